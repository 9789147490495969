"""Collectives of Python objects: pickled, so that every process gets a copy."""

import pickle

from tensh.distributed.collectives import root_of
from tensh.distributed.groups import get_rank, get_world_size, member_group


def copy_object(obj):
    """Copy an object as another process would receive it."""
    return pickle.loads(pickle.dumps(obj))


def all_gather_object(object_list, obj, group=None):
    """Fill a list, with a place for each process, with the objects of all.

    >>> import tensh as torch
    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> found = [None]; dist.all_gather_object(found, {"loss": 0.5}); found
    [{'loss': 0.5}]
    >>> dist.destroy_process_group()
    """
    if (group := member_group("all_gather_object", group)) is not None:
        object_list[0] = copy_object(obj)


def gather_object(obj, object_gather_list=None, dst=None, group=None, group_dst=None):
    """Fill a list of one process, the first where none is named, with the objects of all.  Raise ValueError without the list."""
    if (group := member_group("gather_object", group)) is None:
        return
    root = root_of(group, dst, group_dst, 0)
    if get_rank(group) == root and not object_gather_list:
        raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    if get_rank(group) != root and object_gather_list:
        raise ValueError("Argument ``gather_list`` must NOT be specified on non-destination ranks.")
    if root == get_rank(group):
        object_gather_list[0] = copy_object(obj)


def broadcast_object_list(object_list, src=None, group=None, device=None, group_src=None):
    """Fill a list on all processes with that of one, the first where none is named.  Raise RuntimeError for one that is not there."""
    if (group := member_group("broadcast_object_list", group)) is not None:
        group.check_root("broadcast", root_of(group, src, group_src, 0))
        pickle.dumps(list(object_list))  # what cannot be sent is refused


def scatter_object_list(
    scatter_object_output_list, scatter_object_input_list=None, src=None, group=None, group_src=None
):
    """Put into the first place of a list this process's part of the list of one process.

    Raises ValueError for an empty list, or without the list on the process that sends it.
    """
    if (group := member_group("scatter_object_list", group)) is None:
        return
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise ValueError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    root = root_of(group, src, group_src, 0)
    group.check_root("scatter", root)
    if scatter_object_input_list is None:
        raise ValueError("source rank must provide non-None scatter_object_input_list")
    group.check_length("scatter", "input", scatter_object_input_list)
    scatter_object_output_list[0] = copy_object(scatter_object_input_list[get_rank(group)])


def _make_message(name):
    def refuse(object_list, *args, **options):
        raise RuntimeError(f"{name}: there is no other process in a group of {get_world_size()}")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = "Raise RuntimeError: there is no other process in a group of one."
    return refuse


send_object_list, recv_object_list = _make_message("send_object_list"), _make_message("recv_object_list")
