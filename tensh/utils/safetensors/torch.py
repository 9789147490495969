"""safetensors.torch: tensors into files of the safetensors format, and out of them.

>>> import tensh as torch
>>> from tensh.utils.safetensors.torch import load, save
>>> load(save({"w": torch.ones(2)}))
{'w': tensor([1., 1.])}
"""

from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dtypes.device import strided
from tensh.engine.dtypes.dtype import ALL, EIGHT_BITS
from tensh.utils.safetensors import numpy
from tensh.utils.safetensors.format import DTYPES, as_array
from tensh.utils.safetensors.opening import from_bytes, safe_open
from tensh.utils.safetensors.sharing import (  # noqa: F401  (programs import those with an underscore, too)
    _end_ptr,
    _find_shared_tensors,
    _is_complete,
    _remove_duplicate_names,
    storage_ptr,
    storage_size,
)

__all__ = ["load", "load_file", "load_model", "safe_open", "save", "save_file", "save_model"]

SHARED = """
            Some tensors share memory, this will lead to duplicate memory on disk and potential differences when loading them again: [{}].
            A potential way to correctly save your model is to use `save_model`.
            More information at https://huggingface.co/docs/safetensors/torch_shared_tensors
            """
NOT_CONTIGUOUS = (
    "You are trying to save a non contiguous tensor: `{}` which is not allowed. It either means you are trying to save tensors "
    "which are reference of each other in which case it's recommended to save only the full tensors, and reslice at load time, "
    "or simply call `.contiguous()` on your tensor to pack it before saving."
)
SPARSE = (
    "You are trying to save a sparse tensors: `{}` which this library does not support. You can make it a dense tensor before "
    "saving with `.to_dense()` but be aware this might make a much larger file than needed."
)


_TYPES = {word: ALL.get(name) or EIGHT_BITS[name] for word, name in DTYPES.items()}
"""The format's words -> dtypes."""
_SIZE = {dtype: dtype.itemsize for dtype in _TYPES.values()}
"""Dtype -> the number of bytes of an element."""


def _getdtype(dtype_str):
    """Return the dtype for a word of the format; raise KeyError for one that tensh does not support."""
    return _TYPES[dtype_str]


def save(tensors, metadata=None):
    """Return the bytes of a file that holds tensors, by name, and texts.

    Args:
        tensors: a dict of contiguous tensors, none of which shares memory with another.
        metadata: a dict of texts.

    The format has every dtype but complex32 and complex128.  Raise ValueError for what it cannot hold, RuntimeError for
    shared memory.
    """
    return numpy.save(arrays(tensors), metadata)


def save_file(tensors, filename, metadata=None):
    """Write tensors, by name, and texts into a file, as ``save``.  An existing file is replaced once all is written."""
    numpy.save_file(arrays(tensors), filename, metadata)


def load(data):
    """Return the tensors in the bytes of a file, by name; raise SafetensorError for anything else."""
    return {name: wrap(as_array(found, entry)) for name, entry, found in from_bytes(data)}


def load_file(filename, device="cpu", *, backend="mmap"):
    """Return the tensors of a file, by name; raise SafetensorError for any other file.

    >>> import os, tempfile, tensh as torch
    >>> from tensh.utils.safetensors.torch import load_file, save_file
    >>> path = os.path.join(tempfile.mkdtemp(), "model.safetensors")
    >>> save_file({"w": torch.ones(2, dtype=torch.bfloat16)}, path)
    >>> load_file(path)
    {'w': tensor([1., 1.], dtype=torch.bfloat16)}
    """
    with safe_open(filename, framework="pt", device=device, backend=backend) as file:
        return file.get_tensors()


def arrays(tensors):
    """Return the arrays of tensors that the format can hold, by name; raise the package's errors for others."""
    if not isinstance(tensors, dict):
        raise ValueError(f"Expected a dict of [str, torch.Tensor] but received {type(tensors)}")
    for name, tensor in tensors.items():
        if not isinstance(tensor, Tensor):
            raise ValueError(f"Key `{name}` is invalid, expected torch.Tensor but received {type(tensor)}")
    if sparse := [name for name, tensor in tensors.items() if tensor.layout is not strided]:
        raise ValueError(SPARSE.format(sparse))
    groups = [names for names in _find_shared_tensors(tensors) if len(names) > 1]
    if groups:
        raise RuntimeError(SHARED.format(", ".join(f"{{{', '.join(map(repr, sorted(names)))}}}" for names in groups)))
    for name, tensor in tensors.items():
        if not tensor.is_contiguous():
            raise ValueError(NOT_CONTIGUOUS.format(name))
        if not isinstance(name, str):
            raise TypeError(f"argument 'tensor_dict': '{type(name).__name__}' object is not an instance of 'str'")
    return {name: tensor.cpu().array for name, tensor in tensors.items()}


# ── models ───────────────────────────────────────────────────────────────────
def save_model(model, filename, metadata=None, force_contiguous=True):
    """Write the state of a module into a file; tensors that share memory are written once, under one of their names.

    The names that are left out are in the metadata, each with the name that is kept.
    """
    state = model.state_dict()
    for kept, names in _remove_duplicate_names(state).items():
        metadata = {} if metadata is None else metadata
        for name in names:
            metadata.setdefault(name, kept)
            del state[name]
    if force_contiguous:
        state = {name: tensor.contiguous() for name, tensor in state.items()}
    try:
        save_file(state, filename, metadata=metadata)
    except ValueError as error:
        hint = " Or use save_model(..., force_contiguous=True), read the docs for potential caveats."
        raise ValueError(str(error) + hint) from None


def load_model(model, filename, strict=True, device="cpu", *, backend="mmap"):
    """Load a file of ``save_model`` into a module; return (names that the file lacks, names that the module lacks).

    Raise RuntimeError if there are such names, unless ``strict=False``.
    """
    state = load_file(filename, device=device, backend=backend)
    doubles = _remove_duplicate_names(model.state_dict(), preferred_names=state)
    missing, unexpected = model.load_state_dict(state, strict=False)
    missing = set(missing)
    for name in (name for names in doubles.values() for name in names):
        if name in missing:
            missing.remove(name)
        else:
            unexpected.append(name)
    if strict and (missing or unexpected):
        error = f"Error(s) in loading state_dict for {type(model).__name__}:"
        for word, names in (("Missing", missing), ("Unexpected", unexpected)):
            if names:
                error += f"\n    {word} key(s) in state_dict: " + ", ".join(f'"{name}"' for name in sorted(names))
        raise RuntimeError(error)
    return missing, unexpected
