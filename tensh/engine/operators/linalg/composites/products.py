"""``matmul`` in all its forms, and functions of a few products: composed of mm, bmm, mv and dot."""

import math

import numpy as np

from tensh.engine.arguments.signatures import Form
from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.mixing import refuse
from tensh.engine.codegen.registry import METHODS, PUBLIC, PYTHON_ONLY
from tensh.engine.codegen.table import OR_THE_SAME
from tensh.engine.core import ports
from tensh.engine.core.clock import mode, stamp_write
from tensh.engine.core.lift import Absence, Lift
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.core.views import refresh_node
from tensh.engine.dispatch.override.points import armed, arrivals
from tensh.engine.errors.messages import broadcast_clash, size_at, wrap_dim
from tensh.engine.inplace.out import check_out, write_out
from tensh.engine.inplace.writes import name_node
from tensh.engine.operators.forms import require
from tensh.engine.operators.linalg import products
from tensh.engine.operators.namespaces import LINALG
from tensh.engine.operators.shapes.views import permute, squeeze_dim, unsafe_view


# ── matmul ───────────────────────────────────────────────────────────────────
def matmul(input, other, *, out=None):
    """The matrix product ``input @ other``: of vectors, matrices, and stacks of matrices, whose batch dimensions broadcast.

    Two vectors give their dot product; a vector counts as a row before and as a column after a matrix.  RuntimeError
    if the shapes do not fit or the dtypes differ.  Differentiable.  Shapes: [..., n, k] and [..., k, m] to [..., n, m].

    >>> import tensh as torch
    >>> torch.matmul(torch.tensor([[1, 2], [3, 4]]), torch.tensor([1, 1]))
    tensor([3, 7])
    """
    if not isinstance(other, Tensor) or not isinstance(input, Tensor):
        refuse("matmul", *(("other", 2, other) if isinstance(input, Tensor) else ("input", 1, input)))
    a, b = input.array.ndim, other.array.ndim
    if out is None:
        try:
            return products.mm.fn(input, other) if a == 2 == b else multiply_by_dims(input, other, a, b)
        except Absence:
            raise
        except Lift:  # within another function, which vmap calls
            return ports.batched_function("matmul", matmul, (input, other), {})
    check_out(out, "matmul", (input, other))
    strict = products.OTHER_NUMBER if a == b == 1 else products.OTHER_VECTOR if b == 1 else products.OTHER_DTYPE
    fits = a and b and (b != 2 or a > 2 or input.array.shape[-1] == other.array.shape[0])
    if (
        fits
        and isinstance(out, Tensor)
        and out.dtype is not input.dtype
        and (input.dtype is other.dtype or a <= b == 2)
    ):
        raise RuntimeError(strict.format(input.dtype, out.dtype))
    write_out(out, matmul(input, other), "matmul")
    if a == 1 and b == 2:
        stamp_write(out.array)  # as PyTorch counts versions: it writes a row, and reshapes it to a vector
    return out


LINALG["matmul"] = composite(matmul)


def multiply_by_dims(input, other, a, b):
    """Return the product of operands other than two matrices."""
    if not a or not b:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {a}D and {b}D")
    if a == b == 1:
        return products.dot.fn(input, other)
    if a == 2 and b == 1:
        return products.mv.fn(input, other)
    if a == 1 and b == 2:
        return only_row(products.mm.fn(input.unsqueeze(0), other))
    if a == 3 == b and (len(input.array) == 1) is not (len(other.array) == 1):
        input, other = squeeze_single(input, other), squeeze_single(other, input)
        a, b = input.array.ndim, other.array.ndim
    return fold_rows(input, other) if folds(input, other, a, b) else multiply_batches(input, other, a, b)


def squeeze_single(stack, other):
    """Return the only matrix of a stack beside several of another, if it requires a gradient: that is one product, too."""
    if len(stack.array) == 1 != len(other.array) and mode.grad and refresh_node(stack) is not None:
        return squeeze_dim.fn(stack, 0)
    return stack


def only_row(matrix):
    """Turn a matrix of one row into a vector in place, as ``squeeze_`` does."""
    row = squeeze_dim.fn(matrix, 0)
    row._base = None
    return name_node(row, "SqueezeBackward4")


def multiply_others(input, other):
    """Compute ``input @ other`` for operands other than two matrices."""
    return multiply_by_dims(input, other, input.array.ndim, other.array.ndim)


products.mm.beyond, products.mm.whole = multiply_others, matmul
matmul.operator = products.mm


def folds(input, other, a, b):
    """Return True if a stack times one matrix (or vector) is better computed as one product of all its rows.

    This is so if the matrix requires a gradient, which is then one product, too, or if no copy is needed.
    """
    stack, single = (input, other) if a >= b else (other.swapaxes(-2, -1), input)
    if stack.array.ndim < 3 or single.array.ndim > 2:
        return False
    if mode.grad and refresh_node(single) is not None:
        return True
    if a == 2:
        return False
    shape, strides = stack.array.shape, stack.array.strides
    return not stack.array.size or all(strides[i] == strides[i + 1] * shape[i + 1] for i in range(stack.array.ndim - 2))


def fold_rows(input, other):
    """Multiply all rows of a stack by one matrix or vector."""
    transposed = other.array.ndim > input.array.ndim
    stack = other.swapaxes(-2, -1) if transposed else input
    single = input.t() if transposed and input.array.ndim == 2 else input if transposed else other
    *size, last = stack.shape
    rows = stack.reshape(math.prod(size), last)
    if single.array.ndim == 1:
        return unsafe_view.fn(products.mv.fn(rows, single), tuple(size))
    result = unsafe_view.fn(products.mm.fn(rows, single), (*size, single.array.shape[1]))
    return result.swapaxes(-2, -1).contiguous() if transposed else result


def multiply_batches(input, other, a, b):
    """Broadcast both stacks to one batch and multiply them with ``bmm``."""
    if a > 1 < b and is_unrecorded(input, other) and (product := multiply_unrecorded(input, other)) is not None:
        return product
    first = input.unsqueeze(0) if a == 1 else input
    second = other.unsqueeze(1) if b == 1 else other
    *one, n, k = first.shape
    *two, j, m = second.shape
    clash = broadcast_clash((tuple(one), tuple(two)))
    if clash:
        raise RuntimeError(clash)
    batch = broadcast_sizes(one, two)
    count = math.prod(batch)
    first = first.expand(*batch, n, k).reshape(count, n, k)
    second = second.expand(*batch, j, m).reshape(count, j, m)
    size = (*batch, *((n,) if a > 1 else ()), *((m,) if b > 1 else ()))
    return unsafe_view.fn(products.bmm.fn(first, second), size)


def is_unrecorded(input, other):
    """Return True if nothing sees the steps of a product: no gradient, no capture, no other kind of tensor."""
    if arrivals or armed.now or not type(input.array) is type(other.array) is np.ndarray:
        return False
    return not mode.grad or refresh_node(input) is None and refresh_node(other) is None


def multiply_unrecorded(input, other):
    """Multiply stacks, in a fifth of the time of all steps for small ones; None if their batches do not fit."""
    one, two = input.array, other.array
    batch = one.shape[:-2]
    if batch != two.shape[:-2]:
        if broadcast_clash((batch, two.shape[:-2])) is not None:
            return None
        batch = np.broadcast_shapes(batch, two.shape[:-2])
        one, two = (np.broadcast_to(each, (*batch, *each.shape[-2:])) for each in (one, two))
    if len(batch) == 1:
        return products.bmm.fn(wrap(one), wrap(two))
    count = math.prod(batch)
    result = products.bmm.fn(*[wrap(each.reshape(count, *each.shape[-2:])) for each in (one, two)])
    result.array = result.array.reshape(*batch, *result.array.shape[1:])
    return result


def broadcast_sizes(one, two):
    """Return the shape to which two compatible shapes are broadcast."""
    longer, shorter = (one, two) if len(one) >= len(two) else (two, one)
    tail = len(longer) - len(shorter)
    return (*longer[:tail], *(n if m == 1 else m for n, m in zip(longer[tail:], shorter)))


def rmatmul(input, other):
    """``other @ input``, Python's reflected operator."""
    return matmul(other, input) if isinstance(other, Tensor) else NotImplemented


PYTHON_ONLY["rmatmul"] = rmatmul


# ── other products ───────────────────────────────────────────────────────────
@composite(out=True, apart=OR_THE_SAME)
def outer(input, vec2):
    """The outer product of two vectors: a matrix of all products of their elements.  Differentiable.

    Shapes: [n] and [m] to [n, m]. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.outer(torch.tensor([1, 2]), torch.tensor([3, 4]))
    tensor([[3, 4],
            [6, 8]])
    """
    for name, vector in (("self", input), ("vec2", vec2)):
        if vector.array.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {vector.array.ndim}-D")
    return input.reshape(-1, 1) * vec2


PUBLIC["ger"], METHODS["ger"] = PUBLIC["outer"], METHODS["outer"]


@composite(out=True)
def inner(input, other):
    """The sums of products over the last dimension of both.  Differentiable.

    Shapes: [*a, n] and [*b, n] to [*a, *b]. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.inner(torch.tensor([1, 2]), torch.tensor([3, 4]))
    tensor(11)
    """
    require(other, "inner", "other", 2)
    if not input.array.ndim or not other.array.ndim:
        return input * other
    if input.array.shape[-1] != other.array.shape[-1]:
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input.shape)} and {list(other.shape)}"
        )
    require_one_dtype(input, other)
    return contract(input, other, [input.array.ndim - 1], [other.array.ndim - 1])


@composite(out=True, method=False)
def tensordot(a, b, dims=2):
    """The sums of products over the last ``dims`` dimensions of one and the first of the other, or over two lists.

    Differentiable.  Shapes: [*a, *s] and [*s, *b] to [*a, *b]. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.tensordot(torch.ones(2, 3), torch.ones(3, 4), dims=1).shape
    torch.Size([2, 4])
    """
    if not isinstance(dims, (int, list, tuple, Tensor)):
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, but got "
            f"dims={dims}"
        )
    first, second = dims_to_contract(a, b, dims)
    if len(first) != len(second):
        raise RuntimeError("both dimension lists should have same length")
    require_one_dtype(a, b)
    for d, e in zip(first, second):
        n, m = size_at(a.shape, d), size_at(b.shape, e)
        if n != m and 1 not in (n, m):
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {n} in dim {d} and second has size {m} in dim {e}"
            )
        if m == 1:
            a = a.sum(d, True, dtype=a.dtype)
        elif n == 1:
            b = b.sum(e, True, dtype=b.dtype)
    return contract(a, b, [wrap_dim(d, a.ndim) for d in first], [wrap_dim(d, b.ndim) for d in second])


def require_one_dtype(a, b):
    if a.array.dtype != b.array.dtype:
        raise RuntimeError("both inputs should have same dtype")


def contract(a, b, first, second):
    """Return the sums of products over the dimensions ``first`` of one and ``second`` of the other, of the same sizes."""
    shape, other = a.array.shape, b.array.shape
    rows, columns = [d for d in range(len(shape)) if d not in first], [d for d in range(len(other)) if d not in second]
    left, right = [shape[d] for d in rows], [other[d] for d in columns]
    one, two = permute.fn(a, (*rows, *first)), permute.fn(b, (*second, *columns))
    if math.prod(left) == math.prod(right) == 1:
        return multiply_all(one, two).view((*left, *right))
    size = math.prod([shape[d] for d in first])
    product = products.mm.fn(one.reshape(math.prod(left), size), two.reshape(size, math.prod(right)))
    return product.reshape([*left, *right])


def multiply_all(one, two):
    """Return the sum of all products of elements as a number; what does not lie in rows is not copied, as in PyTorch."""
    if one.array.flags.c_contiguous and two.array.flags.c_contiguous:
        one, two = (t if t.array.ndim == 1 else t.view(t.array.size) for t in (one, two))
        return products.dot.fn(one, two)
    return (one.squeeze() * two.squeeze()).sum(dtype=one.dtype)


CONTRACTION = Form("tensordot", "(Tensor input, Tensor other, tuple of ints dims_self, tuple of ints dims_other)")


def dims_to_contract(a, b, dims):
    """Return the dimensions of both that are summed over."""
    if isinstance(dims, Tensor) and dims.array.size > 1:
        if len(dims) != 2:
            raise AssertionError(f"dims tensor must have size 2 in first dimension, got {len(dims)}")
        dims = dims.tolist()
    if isinstance(dims, (list, tuple)):
        first, second = dims
        bound = CONTRACTION.bind((a, b, first, second), {})
        return bound["dims_self"], bound["dims_other"]
    number = int(dims)
    if number < 0:
        raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
    if number > min(a.dim(), b.dim()):
        raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
    return list(range(-number, 0)), list(range(number))


@composite(out=True, apart=OR_THE_SAME)
def kron(input, other):
    """The Kronecker product: each element of one tensor times the whole other tensor.  Differentiable.

    Shapes: [n, m] and [k, l] to [n k, m l], any dimensions.

    >>> import tensh as torch
    >>> torch.kron(torch.tensor([1, 10]), torch.tensor([1, 2]))
    tensor([ 1,  2, 10, 20])
    """
    if not isinstance(other, Tensor):
        refuse("kron", "other", 2, other)
    a, b = input.array.shape, other.array.shape
    ndim = max(len(a), len(b))
    a, b = (1,) * (ndim - len(a)) + a, (1,) * (ndim - len(b)) + b
    one = unsafe_view.fn(input, tuple(n for size in a for n in (size, 1)))
    two = unsafe_view.fn(other, tuple(n for size in b for n in (1, size)))
    return unsafe_view.fn(one * two, tuple(n * m for n, m in zip(a, b)))
