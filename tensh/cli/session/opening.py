"""Opening a file of tensors: each array of it becomes a tensor with a name."""

import importlib
import keyword
import os
import re

from tensh.show.describe import brief

CHECKPOINTS = (".pt", ".pth")  # files of torch.save
FORMATS = (".npy", ".npz", ".safetensors", *CHECKPOINTS)
NOT_YET = (".onnx", ".gguf")


class OpeningError(Exception):
    """A file that cannot be opened."""


def is_tensor_file(path):
    """Whether a file is one of tensors, by its name; OpeningError for a format that cannot be read."""
    extension = os.path.splitext(path)[1].lower()
    if extension in NOT_YET:
        raise OpeningError(f"{path}: tensh cannot read {extension} files yet; it reads {', '.join(FORMATS)}")
    return extension in FORMATS


def defined(session, path):
    """Define the arrays of a file as names of the user's; what they are, in words."""
    try:
        names = named(session, path)
    except Exception as error:  # zip, pickle and each format have errors of their own
        raise OpeningError(str(error) if path in str(error) else f"{path}: {error}") from None
    found = [f"{name} {brief(value) or type(value).__name__}" for name, value in names.items()]
    return ", ".join(found) or "no arrays in it"


def named(session, path):
    """Name -> value of what a file brings."""
    from tensh.cli.session import saving  # and NumPy

    if saving.is_session(path):
        return saving.load(session, path)[0]
    engine, names = importlib.import_module(session.engine), {}
    with saving.telling(path):
        found = contents(path, engine)
    for name, value in found.items():
        name = free(name, session.namespace)
        names[name] = session.namespace[name] = value
    return names


def contents(path, engine):
    """Name -> value of a file of any of the formats; what a checkpoint holds that is no table has the name of the file."""
    if path.lower().endswith(CHECKPOINTS):
        loaded = engine.load(path)
        return (
            loaded if isinstance(loaded, dict) and all(isinstance(key, str) for key in loaded) else {stem(path): loaded}
        )
    return {name: tensor(array, engine) for name, array in arrays(path).items()}


def arrays(path):
    """Name -> array of a file. That of a .npy file stays on the disk until it is read."""
    import numpy

    if path.lower().endswith(".safetensors"):
        from tensh.utils.safetensors.format import read

        return read(path)[0]
    loaded = numpy.load(path, mmap_mode="c", allow_pickle=False)  # a write changes a copy, never the file
    if isinstance(loaded, numpy.ndarray):
        return {stem(path): numpy.asarray(loaded)}
    with loaded:
        return {name: loaded[name] for name in loaded.files}


def stem(path):
    """The name of a file, without its folder and its kind."""
    return os.path.splitext(os.path.basename(path))[0]


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
