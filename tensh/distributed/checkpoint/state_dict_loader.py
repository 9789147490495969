"""``load``: read a checkpoint together."""

from tensh.distributed.checkpoint.default_planner import DefaultLoadPlanner, _EmptyStateDictLoadPlanner
from tensh.distributed.checkpoint.filesystem import FileSystemReader, choose_storage
from tensh.distributed.checkpoint.stateful import Stateful
from tensh.distributed.checkpoint.steps import Steps
from tensh.distributed.groups import is_initialized
from tensh.engine.errors.warnings import warn

__all__ = ["load", "load_state_dict"]

ALONE = "torch.distributed is {}unavailable or uninitialized, assuming the intent is to load in a single process."


def load(state_dict, *, checkpoint_id=None, storage_reader=None, planner=None, process_group=None, no_dist=False):
    """Load a checkpoint into a state dict, on all ranks of a group together.

    Args:
        state_dict: a dict with the keys of the one that was saved, or some of them: tensors, which are overwritten in
            place; objects, which are replaced; nested dicts and lists, and ``Stateful`` values such as models.
        checkpoint_id: the folder.
        storage_reader: what reads, by default ``FileSystemReader(checkpoint_id)``.
        planner: what decides which rank reads what, by default ``DefaultLoadPlanner()``.
        process_group: the ranks that load together, by default all.
        no_dist: load in this process alone, as happens without a process group.

    The number of ranks may differ from that of the save: each reads what its tensors need. Tensors of another dtype are
    converted. No code in the files is run. Raise CheckpointException on all ranks if one of them fails, as for a key that
    the checkpoint lacks, a tensor of another size, and damaged files.

    >>> import tempfile
    >>> import tensh as torch
    >>> import tensh.distributed.checkpoint as dcp
    >>> folder, model = tempfile.mkdtemp(), torch.nn.Linear(2, 1)
    >>> metadata = dcp.save({"model": model}, checkpoint_id=folder, no_dist=True)
    >>> other = torch.nn.Linear(2, 1)
    >>> dcp.load({"model": other}, checkpoint_id=folder, no_dist=True)
    >>> torch.equal(model.weight, other.weight)
    True
    """
    if not (is_initialized() or no_dist):
        warn(ALONE.format("disabled, "))
    storage = choose_storage(storage_reader, checkpoint_id, FileSystemReader)
    keys = sorted(state_dict)
    found = {key: value.state_dict() if isinstance(value := state_dict[key], Stateful) else value for key in keys}
    _load_state_dict(found, storage, process_group, no_dist=no_dist, planner=planner)
    for key in keys:
        if isinstance(state_dict[key], Stateful):
            state_dict[key].load_state_dict(found[key])
        else:
            state_dict[key] = found[key]


def load_state_dict(state_dict, storage_reader, process_group=None, coordinator_rank=0, no_dist=False, planner=None):
    """Load as ``load`` does, which replaces this function, but without opening ``Stateful`` values.

    Raise NotImplementedError for a ``coordinator_rank`` other than 0.
    """
    warn(
        "'load_state_dict' is deprecated and will be removed in future versions. Please use 'load' instead.",
        FutureWarning,
    )
    storage_reader.reset()
    _load_state_dict(state_dict, storage_reader, process_group, coordinator_rank, no_dist, planner)


def _load_state_dict_from_keys(keys=None, *, checkpoint_id=None, storage_reader=None, process_group=None):
    """Return a state dict of all that a checkpoint contains, or of the given keys and what is below them."""
    if not is_initialized():
        warn(ALONE.format(""))
    found = {}
    storage = choose_storage(storage_reader, checkpoint_id, FileSystemReader)
    keys = {keys} if isinstance(keys, str) else keys
    _load_state_dict(found, storage, process_group, planner=_EmptyStateDictLoadPlanner(keys))
    return found


def _load_state_dict(state_dict, storage_reader, process_group=None, coordinator_rank=0, no_dist=False, planner=None):
    """Plan and read, on all ranks together.  Raise NotImplementedError for another coordinator than the first rank."""
    if coordinator_rank:
        raise NotImplementedError("the first rank coordinates a load")
    steps = Steps(process_group, no_dist or not is_initialized())
    planner = planner or DefaultLoadPlanner()

    def plan_own():
        metadata = storage_reader.read_metadata()
        planner.set_up_planner(state_dict, metadata, steps.is_coordinator)
        storage_reader.set_up_storage_reader(metadata, steps.is_coordinator, rank=steps.rank, use_collectives=True)
        return storage_reader.prepare_local_plan(planner.create_local_plan())

    def plan_all(plans):
        return storage_reader.prepare_global_plan(planner.create_global_plan(plans))

    def read():
        storage_reader.read_data(planner.finish_plan(plan), planner).wait()

    plan = steps.scatter("plan", plan_own, plan_all)
    steps.gather("read", read)
