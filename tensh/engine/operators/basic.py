"""The operators that the engine itself calls: expansion, conversion to a dtype, copies, conjugation.

Each is linear, so its derivative is its own adjoint.
"""

from functools import lru_cache

import numpy as np

from tensh.engine.arguments.checks import format_named
from tensh.engine.arrays import memory
from tensh.engine.arrays.eight_bits import round_to_eight_bits
from tensh.engine.arrays.halves import convert
from tensh.engine.codegen.steps import RETYPED
from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import ARRAYS, TENSORS, on_tensors
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.operators.precision import convertible_part

PLAIN = np.ndarray, np.generic
"""Types of arrays with elements: NumPy's quotient of two 0-d arrays is a scalar."""


@op(public="method", out=False, view=True, node="ExpandBackward0", input="sum_to(g, input.shape)")
def expand(input, size):
    """The tensor with dimensions of size 1 repeated up to ``size``, without copying; -1 keeps a size.

    Differentiable, a view that must not be written.  Shape: [*] to [*size]. Raise RuntimeError where sizes do not broadcast.

    >>> import tensh as torch
    >>> torch.tensor([[1], [2]]).expand(-1, 3)
    tensor([[1, 1, 1],
            [2, 2, 2]])
    """
    try:
        if input.flags.c_contiguous and input.dtype.isbuiltin == 1 and isinstance(input, PLAIN):
            size, steps = expansion(input.shape, input.strides, size)
            # a tenth of the time of np.broadcast_to, and writable
            return np.ndarray(size, input.dtype, input, 0, steps)
        size, steps = expansion(input.shape, memory.strides(input), size)
        return memory.view_strided(input, size, steps)
    except ValueError:
        if (full := expanded_size(input, size)) == tuple(size):
            raise
        return expand.kernel(input, full)


@lru_cache(1024)
def expansion(shape, strides, size):
    """Return (size, strides) of an array expanded to ``size``; ValueError if it cannot be."""
    extra = len(size) - len(shape)
    if extra < 0 or any([n < 0 for n in size[:extra]]):
        raise ValueError
    steps, full = [], list(size)
    for d, (n, to, step) in enumerate(zip(shape, size[extra:], strides, strict=True), extra):
        if to == -1:
            full[d] = to = n
        if n != to and n != 1 or to < 0:
            raise ValueError
        steps.append(step if n == to else 0)
    for d in range(extra - 1, -1, -1):
        steps.insert(0, full[d + 1] * steps[0] if full[d] == 1 and steps else 0)
    return tuple(full), steps


def expanded_size(array, size, kind=None):
    """Return the full size of an expansion, in which -1 keeps a size; raise PyTorch's errors for one that does not fit.

    ``kind`` is the type of tensors in errors, that of Python's names by default.
    """
    extra, shape = len(size) - array.ndim, array.shape
    if extra < 0:
        raise RuntimeError(
            f"expand({kind or BY_NUMPY[array.dtype].class_of_tensors}{{{list(shape)}}}, size={list(size)}): the number of sizes provided "
            f"({len(size)}) must be greater or equal to the number of dimensions in the tensor ({array.ndim})"
        )
    full = list(size)
    for d in range(len(size) - 1, -1, -1):
        if d < extra:
            if size[d] == -1 and shape:
                raise RuntimeError(
                    f"The expanded size of the tensor ({size[d]}) isn't allowed in a leading, non-existing dimension {d}"
                )
        elif size[d] == -1:
            full[d] = shape[d - extra]
        elif shape[d - extra] not in (1, size[d]):
            raise RuntimeError(
                f"The expanded size of the tensor ({size[d]}) must match the existing size ({shape[d - extra]}) at "
                f"non-singleton dimension {d}.  Target sizes: {list(size)}.  Tensor sizes: {list(shape)}"
            )
    if any(n < 0 for n in full):
        raise RuntimeError("numel: integer multiplication overflow")
    return tuple(full)


@op(public=False, node="ToCopyBackward0", input="cast(g, input.dtype)")
def cast(input, dtype, memory_format=None):
    """Copy the input in another (NumPy) dtype; of complex numbers take the real part if that is real."""
    if input.dtype.kind in "cWV":
        input = convertible_part(input, dtype)
    if dtype.itemsize < 3 and dtype.kind in "fV":
        if dtype.itemsize == 1:
            input = round_to_eight_bits(input, dtype)
        elif input.itemsize > 2 or input.dtype.kind in "biu":  # NumPy rounds bools and small integers one by one
            input = input.astype(np.float32, copy=False)  # PyTorch rounds twice for 16 bit dtypes
    if memory_format is None and (memory.is_row_major(input) or input.flags.f_contiguous):
        return convert(input, dtype)
    result = memory.empty_like(input, dtype, memory_format)
    result[...] = input
    return result


@op(node="CloneBackward0", inplace=False, out=False, input="g")
def clone(input, *, memory_format=None):
    """Copy the input into new dense memory, with its dimensions in the same order.

    ``memory_format`` orders them otherwise, such as ``torch.contiguous_format``.  Differentiable.

    >>> import tensh as torch
    >>> x = torch.tensor([1.0, 2.0])
    >>> y = x.clone()
    >>> y[0] = 5
    >>> x
    tensor([1., 2.])
    """
    if memory_format is None and input.flags.c_contiguous and (input.ndim < 4 or memory.is_row_major(input)):
        return input.copy()
    return memory.copy(input, format_named(memory_format, "clone"))


@op(node="CopyBackwards", constant_edges=(1, 0), public=False, input="g")
def laid_out(input, strides):
    """A copy of the input with given strides."""
    out = memory.empty_strided(input.shape, strides, input.dtype)
    out[...] = input
    return out


@op(node="ConjBackward0", public=False, input="conj(g)")
def conjugate(input):
    """The complex conjugate."""
    return np.conjugate(input)


@op(public=False, input="conj(g)")
def conj_physical(input):
    """The complex conjugate; in PyTorch ``conj`` is a view, and this is not."""
    return np.conjugate(input)


@op(name="conj_over", node="ConjPhysicalBackward1", public=False, inplace="method", input="conj(g)")
def conj_over(input):
    """The complex conjugate, written over the input; recorded for real numbers, too."""
    return np.conjugate(input) if input.dtype.kind in "cW" else input.copy()


def conj(input):
    """The complex conjugate of a tensor or an array; real ones are returned unchanged."""
    if isinstance(input, Tensor):
        return on_tensors("conjugate")(input) if input.array.dtype.kind in "cW" else input
    return conj_array(input)


def conj_array(input):
    """The complex conjugate; real arrays are returned unchanged."""
    return np.conjugate(input) if input.dtype.kind in "cW" else input


ARRAYS["conj"], TENSORS["conj"] = conj_array, conj


@op(node="RealBackward0", public=False, view=RETYPED, input="complex_of(g, input.dtype)")
def real(input):
    """The real part, sharing memory."""
    return input.real


@op(node="ToCopyBackward0", public=False, input="cast(g, input.dtype)")
def complex_of(input, dtype):
    """Real values as complex ones."""
    return input.astype(dtype)


@op(node="CopyBackwards", constant_edges=(1, 0), public=False, input="g")
def copy_gradient(input):
    """A copy, as a leaf keeps of a recorded gradient."""
    return input.copy()
