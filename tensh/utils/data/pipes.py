"""A loader's support for pipes: a seed that all workers share, and a part of the samples for each worker.

Pipes are rare: a program that has none does not load their modules, nor do the functions here.
"""

import sys

from tensh.engine import find_public
from tensh.utils.data.sampler import draw_seed


def find_pipes():
    """Return the module of pipes; None as long as the program has no pipe."""
    name = "utils.data.datapipes.datapipe"
    return sys.modules.get(f"tensh.{name}") or sys.modules.get(f"torch.{name}")


def is_stream(dataset):
    """Return True for a pipe whose samples come one after the other."""
    pipes = find_pipes()
    return pipes is not None and isinstance(dataset, pipes.IterDataPipe)


def is_pipe(dataset):
    """Return True for a pipe of either kind."""
    pipes = find_pipes()
    return pipes is not None and isinstance(dataset, (pipes.IterDataPipe, pipes.MapDataPipe))


def wrap_pipe(dataset, shuffle):
    """Return what a loader keeps of its dataset: a pipe in a form that can be sent to workers, and shuffled or not."""
    if not is_pipe(dataset):
        return dataset
    from tensh.utils.data.graph_settings import apply_shuffle_settings

    pipes = find_pipes()
    if not is_stream(dataset):
        return pipes._MapDataPipeSerializationWrapper(dataset)
    apply_shuffle_settings(dataset, shuffle)  # a step that this appends is lost, as in PyTorch
    return pipes._IterDataPipeSerializationWrapper(dataset)


def draw_shared_seed(dataset, generator):
    """Return a seed for the pass of a pipe, the same in all processes of a group, which is applied here; otherwise None."""
    if not is_stream(dataset):
        return None
    seed = draw_seed(generator)
    groups = find_groups()
    if groups is not None:
        shared = find_public("tensor")(seed)
        sys.modules["tensh.distributed"].broadcast(shared, 0)
        seed = shared.item()
    apply_seed(dataset, seed)
    return seed


def apply_seed(dataset, seed):
    """Seed the steps of a pipe that draw random numbers; nothing for None."""
    if seed is not None:
        from tensh.utils.data.graph_settings import apply_random_seed

        apply_random_seed(dataset, find_public("Generator")().manual_seed(seed))


def find_groups():
    """Return the module of groups of processes; None if there is no group."""
    groups = sys.modules.get("tensh.distributed.groups")
    return groups if groups is not None and groups.is_initialized() else None


def find_place(dataset):
    """Return (number of processes, number of this one) for a stream of samples; (1, 0) for others and without a group."""
    groups = find_groups() if is_stream(dataset) else None
    return (1, 0) if groups is None else (groups.get_world_size(), groups.get_rank())


def share(dataset, place, worker=0, workers=1):
    """Leave to a pipe its part of the samples: divided by processes first, then by the workers of each."""
    if is_pipe(dataset):
        from tensh.utils.data.graph_settings import apply_sharding

        world_size, rank = place
        apply_sharding(dataset, workers * world_size, worker * world_size + rank)
