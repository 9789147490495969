"""Opening a file of tensors: each array of it becomes a tensor with a name."""

import importlib
import keyword
import os
import re

from tensh.cli.session.describe import brief

FORMATS = (".npy", ".npz")
NOT_YET = (".safetensors", ".pt", ".pth", ".onnx", ".gguf")


class OpeningError(Exception):
    """A file that cannot be opened."""


def is_tensor_file(path):
    """Whether a file is one of tensors, by its name; OpeningError for a format that cannot be read."""
    extension = os.path.splitext(path)[1].lower()
    if extension in NOT_YET:
        raise OpeningError(f"{path}: tensh cannot read {extension} files yet; it reads {' and '.join(FORMATS)}")
    return extension in FORMATS


def defined(session, path):
    """Define the arrays of a file as names of the user's; what they are, in words."""
    found = []
    for name, array in arrays(path):
        name = free(name, session.namespace)
        session.namespace[name] = value = tensor(array, importlib.import_module(session.engine))
        found.append(f"{name} {brief(value) or type(value).__name__}")
    return ", ".join(found) or "no arrays in it"


def arrays(path):
    """(name, array) of each array in a file. That of a .npy file stays on the disk until it is read."""
    import numpy

    try:
        loaded = numpy.load(path, mmap_mode="c", allow_pickle=False)  # a write changes a copy, never the file
        if isinstance(loaded, numpy.ndarray):
            return [(os.path.splitext(os.path.basename(path))[0], numpy.asarray(loaded))]
        with loaded:
            return [(name, loaded[name]) for name in loaded.files]
    except Exception as error:  # zip, pickle and the format each have errors of their own
        raise OpeningError(f"{path}: {error}") from None


def tensor(array, engine):
    """An array as a tensor over the same memory; what PyTorch has no dtype for stays an array."""
    try:
        return engine.from_numpy(array.astype(array.dtype.newbyteorder("="), copy=False))
    except TypeError:
        return array


def free(name, taken):
    """A name as Python writes it, and that nothing has yet."""
    name = re.sub(r"\W", "_", name)
    if not name or name[0].isdigit() or keyword.iskeyword(name):
        name = f"_{name}" if not keyword.iskeyword(name) else f"{name}_"
    found, number = name, 2
    while found in taken:
        found, number = f"{name}_{number}", number + 1
    return found
