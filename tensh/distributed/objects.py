"""Collectives of Python objects, which are pickled, so that every process gets a copy."""

from tensh.distributed.collectives import root_of
from tensh.distributed.groups import get_global_rank, get_rank, member_group


def all_gather_object(object_list, obj, group=None):
    """Fill a list, one place for each process, with the objects of all.

    >>> import tensh as torch
    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> found = [None]; dist.all_gather_object(found, {"loss": 0.5}); found
    [{'loss': 0.5}]
    >>> dist.destroy_process_group()
    """
    if (group := member_group("all_gather_object", group)) is not None:
        for rank, each in enumerate(group.gather_objects(obj)):
            object_list[rank] = each


def gather_object(obj, object_gather_list=None, dst=None, group=None, group_dst=None):
    """Fill a list of one process, by default the first, with the objects of all.  Raise ValueError without the list."""
    if (group := member_group("gather_object", group)) is None:
        return
    root = root_of(group, dst, group_dst, 0)
    group.check_root("gather", root)
    if get_rank(group) == root and not object_gather_list:
        raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    if get_rank(group) != root and object_gather_list:
        raise ValueError("Argument ``gather_list`` must NOT be specified on non-destination ranks.")
    found = group.gather_objects(obj)
    if root == get_rank(group):
        for rank, each in enumerate(found):
            object_gather_list[rank] = each


def broadcast_object_list(object_list, src=None, group=None, device=None, group_src=None):
    """Copy the list of one process, by default the first, to all.  Raise RuntimeError for a missing process."""
    if (group := member_group("broadcast_object_list", group)) is None:
        return
    root = root_of(group, src, group_src, 0)
    found = group.broadcast_object(list(object_list) if root == get_rank(group) else None, root)
    if root != get_rank(group):
        if len(found) != len(object_list):
            raise RuntimeError(
                f"broadcast_object_list: {len(found)} objects arrived, but the list has {len(object_list)} places"
            )
        object_list[:] = found


def scatter_object_list(
    scatter_object_output_list, scatter_object_input_list=None, src=None, group=None, group_src=None
):
    """Set the first element of a list to this process's element of the list of one process.

    Raise ValueError for an empty list, or if the sender has no list.
    """
    if (group := member_group("scatter_object_list", group)) is None:
        return
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise ValueError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    root = root_of(group, src, group_src, 0)
    group.check_root("scatter", root)
    if root == get_rank(group):
        if scatter_object_input_list is None:
            raise ValueError("source rank must provide non-None scatter_object_input_list")
        group.check_length("scatter", "input", scatter_object_input_list)
    found = group.broadcast_object(scatter_object_input_list if root == get_rank(group) else None, root)
    scatter_object_output_list[0] = found[get_rank(group)]


def send_object_list(object_list, dst=None, group=None, device=None, group_dst=None, use_batch=False):
    """Send the objects of a list to another process.  Raise ValueError for this one, RuntimeError for a missing one."""
    if not object_list:
        raise ValueError("object_list cannot be empty")
    if (group := member_group("send_object_list", group)) is not None:
        target = root_of(group, dst, group_dst)
        if target == get_rank(group):
            raise ValueError(
                "Invalid destination rank: destination rank should not be the same as the rank of the current process."
            )
        group.send_object(list(object_list), target)


def recv_object_list(object_list, src=None, group=None, device=None, group_src=None, use_batch=False):
    """Fill a list with the objects of another process, by default of any; return the rank of the sender."""
    if not object_list:
        raise ValueError("object_list cannot be empty")
    if (group := member_group("recv_object_list", group)) is None:
        return -1
    source = None if src is None and group_src is None else root_of(group, src, group_src)
    found, sender = group.receive_object(source)
    if len(found) != len(object_list):
        raise RuntimeError(
            f"recv_object_list: {len(found)} objects arrived, but the list has {len(object_list)} places"
        )
    object_list[:] = found
    return get_global_rank(group, sender)
