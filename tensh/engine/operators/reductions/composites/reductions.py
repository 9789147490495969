"""Reductions with PyTorch's overloads: over all elements, along dimensions, with another dtype.

NumPy's ``axis`` and ``keepdims`` are accepted beside ``dim`` and ``keepdim``.
"""

import numpy as np

from tensh.engine.arguments.checks import dims, require_dtype, sizes
from tensh.engine.codegen.composites import composite
from tensh.engine.core.tensor import wrap
from tensh.engine.dtypes.dtype import DIFFERENTIABLE
from tensh.engine.errors.messages import ABSENT, OTHER_DTYPE
from tensh.engine.inplace.out import check_out, write_out
from tensh.engine.operators.forms import ints, require_kind
from tensh.engine.operators.reductions import reductions
from tensh.engine.operators.reductions.extremes import no_extreme, require_elements

NO_DIM = "prod(): argument 'dim' must be int, not NoneType"


def reduction(name, doc, everything, along, *, dim=True):
    """Make a public function from two operators: ``everything(input, dtype)`` and ``along(input, dim, keepdim, dtype)``."""

    def reduced(input, dim=ABSENT, keepdim=False, *, dtype=None, axis=ABSENT, keepdims=None, out=None):
        if axis is not ABSENT:
            dim = axis
        if dim is ABSENT:
            if keepdim or keepdims or out is not None and name in ("sum", "prod"):
                raise TypeError(f'{name}() missing 1 required positional arguments: "dim"')
            dim = None
        elif dim is None and name == "prod":
            raise TypeError(NO_DIM)
        if dim is None and dtype is None and out is None and not (keepdim or keepdims):
            return everything.fn(input)
        if keepdims is not None:
            keepdim = keepdims
        if dtype is not None:
            dtype = require_dtype(dtype, name).numpy
        strict = None
        if out is not None:
            check_out(out, name, (input,))
            if name != "mean":  # the dtype of ``out`` is the dtype to compute in
                dtype, strict = dtype or out.array.dtype, OTHER_DTYPE
        result = everything.fn(input, dtype) if dim is None and not keepdim else along.fn(input, dim, keepdim, dtype)
        return result if out is None else write_out(out, result, name, strict)

    def reduce_positional(input, dim=ABSENT, keepdim=False):  # saves 100 ns for most calls
        if dim is ABSENT and not keepdim or dim is None and not keepdim and name != "prod":
            return everything.fn(input)
        if dim is ABSENT or dim is None:
            return reduced(input, dim, keepdim)
        return along.fn(input, dim, keepdim, None)

    reduced.__name__ = reduced.__qualname__ = name
    reduced.__doc__, reduced.without_out = doc, reduce_positional
    return composite(reduced)


sum = reduction(
    "sum",
    """The sum of all elements, or of the elements along ``dim`` (an int or a sequence of them).

    ``keepdim`` keeps the reduced dimensions with size 1.  ``dtype`` is the dtype to compute in and of the result;
    without it, bools and integers are summed in int64.  Differentiable.  Shape: [*] to [], or without ``dim``.

    >>> import tensh as torch
    >>> torch.tensor([[1, 2], [3, 4]]).sum(dim=1)
    tensor([3, 7])
    """,
    reductions.sum_all,
    reductions.sum_dim,
)
mean = reduction(
    "mean",
    """The mean of all elements, or of the elements along ``dim`` (an int or a sequence of them).

    ``keepdim`` keeps the reduced dimensions with size 1.  Integers have no mean unless ``dtype`` names a floating
    point dtype: RuntimeError.  Differentiable.  Shape: [*] to [], or without ``dim``.

    >>> import tensh as torch
    >>> torch.tensor([[1.0, 2.0], [3.0, 5.0]]).mean(dim=0)
    tensor([2.0000, 3.5000])
    """,
    reductions.mean_all,
    reductions.mean_dim,
)
prod = reduction(
    "prod",
    """The product of all elements, or of the elements along ``dim``.

    ``keepdim`` keeps the reduced dimension with size 1.  ``dtype`` is the dtype to compute in and of the result; without
    it, bools and integers are multiplied in int64.  Differentiable, also where elements are zero.  Shape: [*] to [], or
    without ``dim``.

    >>> import tensh as torch
    >>> torch.tensor([[1, 2], [3, 4]]).prod(dim=1)
    tensor([ 2, 12])
    """,
    reductions.prod_all,
    reductions.prod_dim,
)


@composite
def nansum(input, dim=None, keepdim=False, *, dtype=None, out=None):
    """The sum of the elements that are not nan, of all or along ``dim``.  Differentiable.

    Shape: [*] to [], or without ``dim``.

    >>> import tensh as torch
    >>> torch.tensor([1.0, float("nan"), 2.0]).nansum()
    tensor(3.)
    """
    dtype = dtype and require_dtype(dtype, "nansum").numpy
    if out is None:
        return reductions.nansum.fn(input, dim, keepdim, dtype)
    check_out(out, "nansum", (input,))
    return write_out(out, reductions.nansum.fn(input, dim, keepdim, dtype or out.array.dtype), "nansum", OTHER_DTYPE)


@composite(out=True)
def nanmean(input, dim=None, keepdim=False, *, dtype=None):
    """The mean of the elements that are not nan, of all or along ``dim``.  Differentiable.

    Shape: [*] to [], or without ``dim``. Raise RuntimeError for integers, given or as ``dtype``.

    >>> import tensh as torch
    >>> torch.tensor([1.0, float("nan"), 2.0]).nanmean()
    tensor(1.5000)
    """
    if input.array.dtype.kind not in DIFFERENTIABLE:
        raise RuntimeError(
            "nanmean(): expected input to have floating point or complex dtype but got " + input.dtype.title
        )
    if dtype is not None and require_dtype(dtype, "nanmean").numpy.kind not in DIFFERENTIABLE:
        raise RuntimeError(reductions.NO_MEAN.format("nanmean", "Optional", dtype.title))
    present = (input == input).detach()
    return nansum(input, dim, keepdim, dtype=dtype) / sum(present, dim, keepdim)


@composite(function=False)
def sum_to_size(self, *size, **named):
    """The sum over the dimensions in which ``size`` is broadcast to the tensor's shape.  Differentiable.

    Shape: [*] to [*size]. Raise RuntimeError for a size that does not broadcast.

    >>> import tensh as torch
    >>> torch.ones(2, 3).sum_to_size(1, 3)
    tensor([[2., 2., 2.]])
    """
    size = sizes(ints(size, named, "sum_to_size", "size"), "sum_to_size")
    own = self.array.shape
    if len(size) > len(own) or any(n != m and n != 1 for n, m in zip(size[::-1], own[::-1])):
        raise RuntimeError(f"size {{{list(size)}}} is not expandable to size {{{list(own)}}}.")
    if not size:
        return sum(self)
    if size == own:
        return self
    more = len(own) - len(size)
    single = [i + more for i, n in enumerate(size) if n == 1 != own[i + more]]
    result = sum(self, (*range(more), *single), True)
    return result.reshape(size) if more else result


@composite(out=True)
def hash_tensor(input, dim=(), *, keepdim=False, mode=0):
    """The exclusive or of the elements' bits as uint64, of all or along ``dim``; floats count as float64.

    Shape: [*] to [], or without ``dim``. Raise NotImplementedError for complex numbers.

    >>> import tensh as torch
    >>> torch.hash_tensor(torch.tensor([1, 2]))
    tensor(3, dtype=torch.uint64)
    """
    require_kind("int", mode, "hash_tensor", "mode")
    if mode != 0:
        raise RuntimeError(f"Unknown hash_tensor mode: {mode}")
    array = input.array
    if array.dtype.kind in "cW":
        raise NotImplementedError(f"\"xor_sum_cpu\" not implemented for '{input.dtype.title}'")
    if not array.size and dim == ():
        raise no_extreme("hash_tensor")
    axes = dims(dim, array.ndim)
    require_elements("hash_tensor", array, axes, "")
    bits = array.astype(np.float64).view(np.uint64) if array.dtype.kind in "fV" else array.astype(np.uint64)
    return wrap(np.bitwise_xor.reduce(bits, axes, None, None, keepdim))
