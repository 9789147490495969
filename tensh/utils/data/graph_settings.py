"""Settings of all steps of a pipe: their seeds, whether they shuffle, and which part of the samples they give."""

import inspect

from tensh.engine.errors.warnings import warn
from tensh.utils.data.datapipes.iter.sharding import SHARDING_PRIORITIES, _ShardingIterDataPipe
from tensh.utils.data.graph import traverse_dps
from tensh.utils.data.sampler import draw_seed

__all__ = ["apply_random_seed", "apply_sharding", "apply_shuffle_seed", "apply_shuffle_settings", "get_all_graph_pipes"]


def get_all_graph_pipes(graph):
    """Return the pipes of a graph of ``traverse_dps``, each once, readers before their sources.

    >>> from tensh.utils.data.datapipes.iter import IterableWrapper
    >>> from tensh.utils.data.graph import traverse_dps
    >>> from tensh.utils.data.graph_settings import get_all_graph_pipes
    >>> get_all_graph_pipes(traverse_dps(IterableWrapper(range(3)).shuffle()))
    [ShufflerIterDataPipe, IterableWrapperIterDataPipe]
    """
    return collect(graph, set())


def collect(graph, seen):
    found = []
    for number, (pipe, below) in graph.items():
        if number not in seen:
            seen.add(number)
            found += [pipe, *collect(below, seen)]
    return found


def has_methods(pipe, *names):
    """Return True if a pipe has methods of these names."""
    return all(inspect.ismethod(getattr(pipe, name, None)) for name in names)


def apply_sharding(datapipe, num_of_instances, instance_id, sharding_group=SHARDING_PRIORITIES.DEFAULT):
    """Leave to a pipe the part ``instance_id`` of ``num_of_instances``, at its step ``sharding_filter``.

    RuntimeError if one such step reads from another.

    >>> from tensh.utils.data.datapipes.iter import IterableWrapper
    >>> from tensh.utils.data.graph_settings import apply_sharding
    >>> list(apply_sharding(IterableWrapper(range(5)).sharding_filter(), 3, 0))
    [0, 3]
    """
    shard(traverse_dps(datapipe), None, (num_of_instances, instance_id), sharding_group)
    return datapipe


def shard(graph, above, part, group):
    for pipe, below in graph.values():
        divides = isinstance(pipe, _ShardingIterDataPipe) or has_methods(pipe, "apply_sharding")
        if divides:
            if above is not None:
                raise RuntimeError(
                    "Sharding twice on a single pipeline is likely unintended and will cause data loss. "
                    f"Sharding already applied to {above} while trying to apply to {pipe}"
                )
            takes_group = len(inspect.signature(pipe.apply_sharding).parameters) >= 3
            pipe.apply_sharding(*part, **({"sharding_group": group} if takes_group else {}))
        shard(below, pipe if divides else above, part, group)


def apply_shuffle_settings(datapipe, shuffle=None):
    """Switch all steps that shuffle on or off; one is appended, with a warning, if there is none to switch on.

    >>> from tensh.utils.data.datapipes.iter import IterableWrapper
    >>> from tensh.utils.data.graph_settings import apply_shuffle_settings
    >>> list(apply_shuffle_settings(IterableWrapper(range(5)).shuffle(), False))
    [0, 1, 2, 3, 4]
    """
    if shuffle is None:
        return datapipe
    pipes = get_all_graph_pipes(traverse_dps(datapipe))
    shufflers = [each for each in pipes if has_methods(each, "set_shuffle", "set_seed")]
    if not shufflers and shuffle:
        warn(
            "`shuffle=True` was set, but the datapipe does not contain a `Shuffler`. Adding one at the end. "
            "Be aware that the default buffer size might not be sufficient for your task."
        )
        datapipe = datapipe.shuffle()
        shufflers = [datapipe]
    for each in shufflers:
        each.set_shuffle(shuffle)
    return datapipe


def apply_shuffle_seed(datapipe, rng):
    """Do what ``apply_random_seed`` does.  Deprecated."""
    warn(
        "`apply_shuffle_seed` is deprecated since 1.12 and will be removed in the future releases. "
        "Please use `apply_random_seed` instead.",
        FutureWarning,
    )
    return apply_random_seed(datapipe, rng)


def apply_random_seed(datapipe, rng):
    """Seed all steps that draw random numbers, from a generator.

    >>> import tensh as torch
    >>> from tensh.utils.data.datapipes.iter import IterableWrapper
    >>> from tensh.utils.data.graph_settings import apply_random_seed
    >>> list(apply_random_seed(IterableWrapper(range(5)).shuffle(), torch.Generator().manual_seed(0)))
    [1, 3, 0, 2, 4]
    """
    for each in get_all_graph_pipes(traverse_dps(datapipe)):
        if has_methods(each, "set_seed"):
            each.set_seed(draw_seed(rng))
    return datapipe
