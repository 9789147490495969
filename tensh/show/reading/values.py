"""The elements of any value that can be displayed, as NumPy arrays."""

import math

import numpy as np

from tensh.support.language import _

PIECE = 2**16  # elements processed at a time


def array_of(value):
    """Return a tensor, an array, a number or nested lists of numbers as an array, without copying if possible.

    Raise TypeError for a value without numbers.
    """
    if isinstance(value, np.ndarray):
        array = value
    elif hasattr(value, "array") and hasattr(value, "requires_grad"):
        array = to_dense(value).array
    elif hasattr(value, "detach"):  # a tensor of PyTorch
        value = to_dense(value).detach().cpu().resolve_conj().resolve_neg()
        array = value.float().numpy() if str(value.dtype) == "torch.bfloat16" else value.numpy()
    else:
        array = np.asarray([array_of(each) for each in value] if isinstance(value, list | tuple) else value)
    if array.dtype.kind in "OSUMm":
        raise TypeError(_("there are no numbers in a value of type {name}").format(name=type(value).__name__))
    return array


def to_dense(tensor):
    """Return a tensor with all its elements; raise TypeError if it has none, or is sparse and too large."""
    if tensor.is_meta:
        raise TypeError(_("a tensor on the device meta has no elements"))
    if str(tensor.layout) == "torch.jagged":
        return tensor._values
    if str(tensor.layout) == "torch.strided":
        return tensor
    from tensh.graph.elements import MOST  # imported late: NumPy values are shown without the engine

    if tensor.numel() > MOST:
        raise TypeError(_("this sparse tensor is too large to show all its elements: use its values()"))
    return tensor.detach().to_dense()


def is_complex(array):
    return array.dtype.kind == "c" or "complex" in array.dtype.name


def reals(array):
    """Return the elements as float64; of complex numbers the absolute values."""
    if is_complex(array):
        return np.abs(array.astype(np.complex128))
    return array.astype(np.float64)


def norm(value):
    """Return the square root of the sum of squares of all elements."""
    return math.sqrt(sum(float(np.square(piece).sum()) for piece in pieces(array_of(value))))


def pieces(array):
    """Yield the elements of an array as float64 (see reals), in pieces that fit a processor's cache."""
    flat = array.ravel(order="K")
    for begin in range(0, flat.size, PIECE):
        yield reals(flat[begin : begin + PIECE])


def position(index):
    """Format an index: [12, 7]."""
    return str([int(each) for each in index])
