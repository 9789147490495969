"""Tensors of a table that share memory, and the name under which such memory is kept."""

from collections import defaultdict

UNSUITABLE = (
    "Error while trying to find names to remove to save state dict, but found no suitable name to keep for saving amongst: {}. "
    "None is covering the entire storage.Refusing to save/load the model since you could be storing much more memory than needed. "
    "Please refer to https://huggingface.co/docs/safetensors/torch_shared_tensors for more information. Or open an issue."
)


def storage_ptr(tensor):
    """Return the address of a tensor's memory."""
    return tensor.untyped_storage().data_ptr()


def storage_size(tensor):
    """Return the number of bytes of a tensor's memory."""
    return tensor.untyped_storage().nbytes()


def _end_ptr(tensor):
    """Return the address after the last element of a tensor."""
    begin = tensor.data_ptr()
    if not tensor.numel():
        return begin
    steps = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True))
    return begin + (steps + 1) * tensor.element_size()


def _find_shared_tensors(state_dict):
    """List sets of names whose tensors overlap; a tensor without overlap is a set of one name.

    Tensors without memory, such as those of the device "meta", are left out.
    """
    storages = defaultdict(list)
    for name, tensor in state_dict.items():
        if tensor.device.type != "meta" and storage_ptr(tensor) and storage_size(tensor):
            storages[tensor.device, storage_ptr(tensor), storage_size(tensor)].append(name)
    return [group for names in storages.values() for group in group_overlapping(names, state_dict)]


def group_overlapping(names, tensors):
    """List sets of those names of one memory whose tensors overlap with the one before."""
    groups, last = [], 0
    for begin, end, name in sorted((tensors[name].data_ptr(), _end_ptr(tensors[name]), name) for name in names):
        if not groups or begin >= last:
            groups.append(set())
        groups[-1].add(name)
        last = end
    return groups


def _is_complete(tensor):
    """Return True if a tensor has all of the memory that it lies in."""
    return tensor.data_ptr() == storage_ptr(tensor) and tensor.numel() * tensor.element_size() == storage_size(tensor)


def _remove_duplicate_names(state_dict, *, preferred_names=None, discard_names=None):
    """Return name that is kept -> the other names of the same memory.

    The name that is kept has all of the memory: one of ``preferred_names`` if it can be, otherwise none of ``discard_names``
    if that can be. Raise RuntimeError where no name has all of it.
    """
    found = defaultdict(list)
    for names in _find_shared_tensors(state_dict):
        complete = {name for name in names if _is_complete(state_dict[name])}
        if not complete:
            raise RuntimeError(UNSUITABLE.format("{" + ", ".join(map(repr, sorted(names))) + "}"))
        liked = complete.intersection(preferred_names or ()) or complete.difference(discard_names or ()) or complete
        kept = min(liked)
        for name in sorted(names - {kept}):
            found[kept].append(name)
    return found
