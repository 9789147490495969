"""Tensors of a table that share memory, and the name under which such memory is kept."""

import numpy as np

from tensh.engine.arrays import memory
from tensh.engine.core.clock import owner

UNSUITABLE = (
    "Error while trying to find names to remove to save state dict, but found no suitable name to keep for saving amongst: {{{}}}. "
    "None is covering the entire storage.Refusing to save/load the model since you could be storing much more memory than needed. "
    "Please refer to https://huggingface.co/docs/safetensors/torch_shared_tensors for more information. Or open an issue."
)


def group_shared(tensors):
    """Groups of names whose tensors overlap; a tensor that overlaps with no other is a separate group."""
    places = []
    for name, tensor in tensors.items():
        if tensor.array.size:
            begin, end = np.lib.array_utils.byte_bounds(tensor.array)
            places.append((memory.address(owner(tensor.array)), begin, end, name))
    groups, last = [], None
    for whole, begin, end, name in sorted(places):
        if last is not None and last[0] == whole and begin < last[1]:
            groups[-1].append(name)
            end = max(end, last[1])
        else:
            groups.append([name])
        last = whole, end
    return groups


def names_to_remove(state, preferred=()):
    """Name that is kept -> the other names of the same memory; kept is one that has all of it, of the preferred ones if it can be."""
    found = {}
    for names in group_shared(state):
        complete = sorted(name for name in names if covers(state[name].array))
        if not complete:
            raise RuntimeError(UNSUITABLE.format(", ".join(map(repr, sorted(names)))))
        kept = next((name for name in complete if name in preferred), complete[0])
        others = [name for name in sorted(names) if name != kept]
        if others:
            found[kept] = others
    return found


def covers(array):
    """True if an array has all of the memory that it lies in."""
    whole = owner(array)
    return memory.address(array) == memory.address(whole) and array.nbytes == whole.nbytes
