"""``save`` and ``async_save``: write a checkpoint together."""

import functools
from concurrent.futures import ThreadPoolExecutor, wait
from enum import Enum

from tensh.distributed.checkpoint.api import CheckpointException
from tensh.distributed.checkpoint.copies import stage
from tensh.distributed.checkpoint.default_planner import DefaultSavePlanner
from tensh.distributed.checkpoint.filesystem import FileSystemWriter, choose_storage
from tensh.distributed.checkpoint.stateful import Stateful
from tensh.distributed.checkpoint.steps import Steps
from tensh.distributed.groups import find_group, get_process_group_ranks, is_initialized, new_group
from tensh.engine.errors.warnings import warn
from tensh.switched_off import lookup

__all__ = ["AsyncCheckpointerType", "async_save", "save", "save_state_dict"]

__getattr__ = lookup("torch.distributed.checkpoint.state_dict_saver")

ALONE = "torch.distributed is disabled, unavailable or uninitialized, assuming the intent is to {} in a single process."


class AsyncCheckpointerType(Enum):
    """The kinds of savers in the background: a thread of this process. tensh has no other."""

    THREAD = "thread"
    PROCESS = "process"


def save(
    state_dict,
    *,
    checkpoint_id=None,
    storage_writer=None,
    planner=None,
    process_group=None,
    no_dist=False,
    use_collectives=True,
):
    """Save a state dict, together with all ranks of a group; return the ``Metadata`` of the checkpoint.

    Args:
        state_dict: a dict of tensors, objects, nested dicts and lists, and ``Stateful`` values such as models.
        checkpoint_id: the folder.
        storage_writer: what writes, by default ``FileSystemWriter(checkpoint_id)``.
        planner: what decides which rank writes what, by default ``DefaultSavePlanner()``.
        process_group: the ranks that save together, by default all.
        no_dist: save from this process alone, as happens without a process group.

    Values that all ranks have are written once, and the work is shared; of a tensor distributed over ranks, each writes its
    part. A save that is killed or fails leaves the checkpoint that the folder had. Raise CheckpointException on all ranks if
    one of them fails, NotImplementedError without ``use_collectives``.

    >>> import tempfile, warnings
    >>> import tensh as torch
    >>> import tensh.distributed.checkpoint as dcp
    >>> folder = tempfile.mkdtemp()
    >>> metadata = dcp.save({"w": torch.arange(3.), "epoch": 2}, checkpoint_id=folder, no_dist=True)
    >>> found = {"w": torch.zeros(3), "epoch": 0}
    >>> dcp.load(found, checkpoint_id=folder, no_dist=True)
    >>> found
    {'w': tensor([0., 1., 2.]), 'epoch': 2}
    """
    if not use_collectives:
        raise NotImplementedError("tensh saves checkpoints with a description common to all ranks")
    if not (is_initialized() or no_dist):
        warn(ALONE.format("save"))
    storage = choose_storage(storage_writer, checkpoint_id, FileSystemWriter)
    return _save_state_dict(
        _stateful_to_state_dict(state_dict), storage, process_group, no_dist=no_dist, planner=planner
    )


def save_state_dict(state_dict, storage_writer, process_group=None, coordinator_rank=0, no_dist=False, planner=None):
    """Save as ``save`` does, which replaces this function.

    Raise NotImplementedError for a ``coordinator_rank`` other than 0.
    """
    warn(
        "'save_state_dict' is deprecated and will be removed in future versions. Please use 'save' instead.",
        FutureWarning,
    )
    storage_writer.reset()
    return _save_state_dict(
        _stateful_to_state_dict(state_dict), storage_writer, process_group, coordinator_rank, no_dist, planner
    )


def async_save(
    state_dict,
    *,
    checkpoint_id=None,
    storage_writer=None,
    planner=None,
    process_group=None,
    async_checkpointer_type=AsyncCheckpointerType.THREAD,
    async_stager=None,
    no_dist=False,
    use_collectives=True,
):
    """Save copies of a state dict in the background; return a ``concurrent.futures.Future`` of the ``Metadata``.

    The arguments are those of ``save``. The copies are made before this function returns, so training may go on at once.
    Saves of a process follow each other in the order of the calls, and a program ends when they have. All ranks call it
    in the same order, and wait for the result before they destroy the process group. Raise NotImplementedError for an
    ``async_stager`` or a process that saves.

    >>> import tempfile
    >>> import tensh as torch
    >>> import tensh.distributed.checkpoint as dcp
    >>> w, folder = torch.ones(2), tempfile.mkdtemp()
    >>> future = dcp.async_save({"w": w}, checkpoint_id=folder, no_dist=True)
    >>> _ = w.zero_(), future.result()
    >>> dcp.load({"w": w}, checkpoint_id=folder, no_dist=True)
    >>> w
    tensor([1., 1.])
    """
    if async_stager is not None or async_checkpointer_type != AsyncCheckpointerType.THREAD or not use_collectives:
        raise NotImplementedError("tensh copies the state dict itself, and saves in a thread")
    if not (is_initialized() or no_dist):
        warn(ALONE.format("save"))
    storage = choose_storage(storage_writer, checkpoint_id, FileSystemWriter)
    group = process_group
    if is_initialized() and not no_dist:
        group = background_group(find_group(process_group))
    return Background.submit(
        _save_state_dict, stage(_stateful_to_state_dict(state_dict)), storage, group, 0, no_dist, planner
    )


class Background:
    """The saves in the background, each in a thread that waits for the one before."""

    last = None  # the future of the latest save

    @classmethod
    def submit(cls, function, *arguments):
        """Return the future of a call that begins when those before it have ended."""
        before = cls.last

        def run():
            if before is not None:
                wait([before])
            return function(*arguments)

        threads = ThreadPoolExecutor(1, thread_name_prefix="tensh-checkpoint")
        cls.last = threads.submit(run)
        threads.shutdown(wait=False)  # the thread ends with the save
        return cls.last


@functools.cache
def background_group(group):
    """Return a group of the same ranks for the background alone, whose messages do not meet those of the program."""
    return new_group(get_process_group_ranks(group))


def _stateful_to_state_dict(state_dict):
    """Return a state dict with the state dicts of ``Stateful`` values in their places."""
    return {key: value.state_dict() if isinstance(value, Stateful) else value for key, value in state_dict.items()}


def _save_state_dict(state_dict, storage_writer, process_group=None, coordinator_rank=0, no_dist=False, planner=None):
    """Plan, write and finish on all ranks.  Raise NotImplementedError for a coordinator other than rank 0."""
    if coordinator_rank:
        raise NotImplementedError("the first rank coordinates a save")
    # a group that was given may have been destroyed since, which is an error and no reason to save alone
    steps = Steps(process_group, no_dist or process_group is None and not is_initialized())
    planner = planner or DefaultSavePlanner()
    metadata = None

    def plan_own():
        planner.set_up_planner(
            state_dict=state_dict, storage_meta=storage_writer.storage_meta(), is_coordinator=steps.is_coordinator
        )
        storage_writer.set_up_storage_writer(steps.is_coordinator, rank=steps.rank, use_collectives=True)
        return storage_writer.prepare_local_plan(planner.create_local_plan())

    def plan_all(plans):
        nonlocal metadata
        plans, metadata = planner.create_global_plan(plans)
        return storage_writer.prepare_global_plan(plans)

    def write():
        return storage_writer.write_data(planner.finish_plan(plan), planner).wait()

    def finish(results):
        storage_writer.finish(metadata=metadata, results=results)
        return metadata

    plan = steps.scatter("plan", plan_own, plan_all)
    try:
        return steps.broadcast("write", write, finish)
    except CheckpointException:
        if hasattr(storage_writer, "discard"):
            storage_writer.discard()
        raise
