"""safetensors.numpy: arrays of NumPy into files of the format, and out of them.

>>> import numpy as np
>>> from tensh.utils.safetensors.numpy import load, save
>>> load(save({"a": np.arange(3)}))
{'a': array([0, 1, 2])}
"""

from tensh.utils.safetensors.format import SafetensorError, as_array, pieces, write
from tensh.utils.safetensors.opening import from_bytes, safe_open

__all__ = ["load", "load_file", "safe_open", "save", "save_file"]


def save(tensor_dict, metadata=None):
    """Return the bytes of a file that holds arrays, by name, and texts."""
    return b"".join(pieces(tensor_dict, metadata))


def save_file(tensor_dict, filename, metadata=None):
    """Write arrays, by name, and texts into a file.  A file that was there is replaced when all is written."""
    try:
        write(filename, tensor_dict, metadata)
    except OSError as error:
        raise SafetensorError(
            f"Error while serializing: I/O error: {error.strerror} (os error {error.errno})"
        ) from None


def load(data):
    """Return the arrays in the bytes of a file, by name."""
    return {name: as_array(found, entry) for name, entry, found in from_bytes(data)}


def load_file(filename, *, backend="mmap"):
    """Return the arrays of a file, by name."""
    with safe_open(filename, framework="np", backend=backend) as file:
        return file.get_tensors()
