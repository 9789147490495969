"""Functions composed of products: powers, chains, Vandermonde matrices, cross products, tensor equations."""

import math

import numpy as np

from tensh.engine.arguments.binding import bind
from tensh.engine.arguments.checks import integer
from tensh.engine.arguments.mismatches import type_name
from tensh.engine.arrays.absent import is_absent, place_beside
from tensh.engine.codegen.composites import composite
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dtypes.device import contiguous_format
from tensh.engine.dtypes.dtype import DIFFERENTIABLE
from tensh.engine.errors.integers import read_int
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.errors.warnings import warn_once
from tensh.engine.operators.forms import require
from tensh.engine.operators.linalg import crossed, exponential
from tensh.engine.operators.linalg.composites import products
from tensh.engine.operators.linalg.composites.equations import inv, raise_failed, solve
from tensh.engine.operators.linalg.products import vdot
from tensh.engine.operators.linalg.shared import SINGULAR, check_square
from tensh.engine.operators.linalg.solve import linalg_inv_ex
from tensh.engine.operators.namespaces import everywhere, linalg
from tensh.engine.operators.shapes.composites.joining import cat


# ── powers ───────────────────────────────────────────────────────────────────
@everywhere
@linalg(out=False)
def matrix_exp(input):
    """The exponential of square matrices.  Differentiable.  Shape: [..., n, n].

    >>> import tensh as torch
    >>> torch.matrix_exp(torch.zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    return exponential.matrix_exp.fn(input)


@everywhere
@linalg
def matrix_power(input, n):
    """The ``n``-th power of square matrices; for negative ``n`` a power of the inverse.  Differentiable.

    Shape: [..., n, n]. Raise RuntimeError for other shapes, LinAlgError if one is singular.

    >>> import tensh as torch
    >>> torch.matrix_power(torch.tensor([[1, 1], [0, 1]]), 3)
    tensor([[1, 3],
            [0, 1]])
    """
    check_square("linalg.matrix_power", input.array)
    if (power := read_int(n)) is None:
        raise TypeError(f"linalg_matrix_power(): argument 'n' (position 2) must be int, not {type_name(n)}")
    n = power
    if n == 0:
        return input.clone(memory_format=contiguous_format).copy_(
            wrap(np.eye(input.array.shape[-1], dtype=input.array.dtype))
        )
    if n == 1:
        return input.clone(memory_format=contiguous_format)
    if n < 0:
        input, n = inv(input), -n
    if n == 3:
        return products.matmul(products.matmul(input, input), input)
    result, power = None, None
    while n:
        power = input if power is None else products.matmul(power, power)
        if n & 1:
            result = power if result is None else products.matmul(result, power)
        n >>= 1
    return result


# ── chains of products ───────────────────────────────────────────────────────
@linalg
def multi_dot(tensors):
    """The product of two or more matrices (the first and the last may be vectors), in the cheapest order.

    Differentiable.  Shapes: [n, k], [k, m], ... to [n, l]. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.linalg.multi_dot([torch.ones(2, 3), torch.ones(3, 4), torch.ones(4, 1)]).flatten()
    tensor([12., 12.])
    """
    if isinstance(tensors, Tensor):  # iterable, but not a sequence of matrices
        raise TypeError("linalg_multi_dot(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor")
    tensors = list(tensors)
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    return multiply_in_best_order(tensors)


def multiply_in_best_order(tensors):
    """Check the factors of ``multi_dot``, and multiply them in the cheapest order."""
    size = []
    for place, (t, which) in enumerate(((tensors[0], "first"), (tensors[-1], "last"))):
        if t.array.ndim not in (1, 2):
            raise RuntimeError(f"multi_dot(): the {which} tensor must be 1D or 2D but got {t.array.ndim}D")
        if t.array.ndim == 2:
            size.append(t.array.shape[place])
        else:
            tensors[-place] = t.unsqueeze(place)
    for number, t in enumerate(tensors):
        if t.array.ndim != 2:
            raise RuntimeError(f"multi_dot(): tensor {number} must be 2D but got {t.array.ndim}D")
        if t.array.dtype != tensors[0].array.dtype:
            raise RuntimeError(
                f"multi_dot(): all tensors must have be the same dtype but tensor 0 is {tensors[0].dtype.spoken} and "
                f"tensor {number} {t.dtype.spoken}"
            )
        if is_absent(t) is not is_absent(tensors[0]):
            raise RuntimeError(
                f"multi_dot(): all tensors must be on the same device but tensor 0 is on {tensors[0].device} and tensor {number} on "
                f"{t.device}"
            )
        if number and tensors[number - 1].array.shape[1] != t.array.shape[0]:
            before = tensors[number - 1]
            raise RuntimeError(
                f"multi_dot(): tensors {number - 1} and {number} with shapes {list(before.shape)} and {list(t.shape)} "
                "cannot be multiplied"
            )
    return multiply_chain(tensors, find_cheapest_splits(tensors), 0, len(tensors) - 1).reshape(size)


def find_cheapest_splits(tensors):
    """Return the best split of every part of the chain, by dynamic programming over products of the sizes."""
    sizes = [tensors[0].array.shape[0], *(t.array.shape[1] for t in tensors)]
    count = len(tensors)
    cost, split = {(i, i): 0 for i in range(count)}, {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            costs = [cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1] for k in range(i, j)]
            cost[i, j] = min(costs)
            best = [k for k in range(length) if costs[k] == cost[i, j]]
            split[i, j] = i + best[-1 if count == 3 else 0]  # the leftmost of equal costs; of three matrices, the last
    return split


def multiply_chain(tensors, split, i, j):
    if i == j:
        return tensors[i]
    k = split[i, j]
    return products.matmul(multiply_chain(tensors, split, i, k), multiply_chain(tensors, split, k + 1, j))


@composite(method=False)
def chain_matmul(*matrices, out=None):
    """The product of matrices in the cheapest order: ``torch.linalg.multi_dot``, also for one matrix.  Differentiable.

    Shapes: [n, k], [k, m], ... to [n, l]. Raise RuntimeError for other shapes.
    """
    from tensh.engine.inplace.out import write_out

    if len(matrices) == 1 and isinstance(matrices[0], (list, tuple)):
        matrices = matrices[0]
    if not all(isinstance(t, Tensor) for t in matrices):
        bind("chain_matmul", ["(tuple of Tensors matrices)"], (matrices,), {})
    warn_once(
        "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use torch.linalg.multi_dot "
        "instead, which accepts a list of two or more tensors rather than multiple parameters."
    )
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    for t in matrices:
        if t.array.ndim != 2:
            raise RuntimeError(f"Tensor dimension is {t.array.ndim}, expected 2 instead.")
    result = matrices[0].clone() if len(matrices) == 1 else multiply_in_best_order(list(matrices))
    return result if out is None else write_out(out, result, "chain_matmul")


# ── products of vectors ──────────────────────────────────────────────────────
@linalg(apart=True)
def linalg_cross(input, other, *, dim=-1):
    """The cross products of vectors [*, 3] along ``dim``.  Differentiable.

    >>> import tensh as torch
    >>> torch.linalg.cross(torch.tensor([1, 0, 0]), torch.tensor([0, 1, 0]))
    tensor([0, 0, 1])
    """
    return crossed.linalg_cross.fn(input, other, dim)


@composite(out=True, apart=True)
def cross(input, other, dim=None):
    """The cross products along ``dim``, or along the first dimension of size 3.  Differentiable.

    Shapes: [*, 3]. Raise RuntimeError for other shapes.
    """
    require(input, "cross", "input", 1), require(other, "cross", "other", 2)
    if dim is None:
        warn_once(
            "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim explicitly or simply "
            "use torch.linalg.cross.\nThe default value of dim will change to agree with that of linalg.cross in a future "
            "release."
        )
        if 3 not in input.array.shape:
            raise RuntimeError("no dimension of size 3 in input")
        dim = input.array.shape.index(3)
    return crossed.linalg_cross.fn(input, other, dim)


@linalg
def vecdot(x, y, *, dim=-1):
    """The dot products of vectors along ``dim``, the first one conjugated.  Differentiable.

    Shapes: [..., n] to [...]. Raise RuntimeError for integers or several dtypes.

    >>> import tensh as torch
    >>> torch.linalg.vecdot(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([1.0, 1.0]))
    tensor([3., 7.])
    """
    if read_int(dim) is None:
        raise TypeError(f"linalg_vecdot(): argument 'dim' must be int, not {type_name(dim)}")
    check_vecdot(x, y)
    if x.array.ndim == y.array.ndim == 1:
        return vdot.fn(x, y)
    return (x.conj() * y).sum(dim)


def check_vecdot(x, y):
    if x.array.dtype.kind not in DIFFERENTIABLE:
        raise RuntimeError(f"linalg.vecdot: Expected a floating point or complex tensor as input. Got {x.dtype.title}")
    if x.array.dtype != y.array.dtype:
        raise RuntimeError(
            f"linalg.vecdot: Expected x and y to have the same dtype, but found x of type {x.dtype.title} and y of "
            f"type {y.dtype.title} instead"
        )
    if x.array.dtype.kind in "biu":
        raise RuntimeError(f"linalg.vecdot: Expected a floating point or complex tensor as input. Got {x.dtype.title}")


@linalg(out=False)
def linalg_diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    """The diagonals of matrices, as a view.  Differentiable.  Shape: [..., m, n] to [..., k]."""
    return A.diagonal(offset, dim1, dim2)


# ── Vandermonde matrices ─────────────────────────────────────────────────────
@linalg(out=False)
def linalg_vander(x, N=None):
    """The powers 0 to N - 1 of every element, along a new last dimension.  Differentiable.

    Shape: [..., n] to [..., n, N]. Raise RuntimeError for bools, or an ``N`` below 2.

    >>> import tensh as torch
    >>> torch.linalg.vander(torch.tensor([2, 3]), N=3)
    tensor([[1, 2, 4],
            [1, 3, 9]])
    """
    if x.array.dtype.kind in "bV" or x.array.dtype == np.float16:
        raise RuntimeError(
            f"linalg.vander supports floating point, complex, and integer tensors, but got {x.dtype.title}"
        )
    x = x.unsqueeze(-1) if not x.array.ndim else x
    N = x.array.shape[-1] if N is None else N
    if N <= 1:
        raise RuntimeError("N must be greater than 1.")
    return powers_of(x, N)


def powers_of(x, N):
    """Return the powers 0 to N - 1 along a new last dimension."""
    powers = x.unsqueeze(-1).expand(*x.shape, N - 1).cumprod(-1)
    ones = wrap(place_beside(np.ones((*x.array.shape, 1), powers.array.dtype), x.array))
    return cat([ones, powers], -1)


@composite(method=False)
def vander(x, N=None, increasing=False):
    """The powers N - 1 to 0 (0 to N - 1 if ``increasing``) of every element of a vector.  Differentiable.

    Shape: [..., n] to [..., n, N]. Raise RuntimeError for bools or a small ``N``.

    >>> import tensh as torch
    >>> torch.vander(torch.tensor([2, 3]))
    tensor([[2, 1],
            [3, 1]])
    """
    if x.array.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    N = x.array.size if N is None else N
    if N < 0:
        raise RuntimeError("N must be non-negative.")
    if N < 2:
        dtype = np.int64 if x.array.dtype.kind in "biu" else x.array.dtype
        return wrap(np.ones((x.array.size, N), dtype))
    result = powers_of(x, N)
    return result if increasing else result.flip(-1)


# ── tensor equations ─────────────────────────────────────────────────────────
@linalg
def tensorinv(input, ind=2):
    """The inverse of A for ``tensordot`` over its first ``ind`` dimensions.  Differentiable.

    Shape: [*a, *b] to [*b, *a]. Raise RuntimeError unless prod(a) is prod(b), and for a singular A.
    """
    ind = integer(ind, "linalg_tensorinv", "ind", None)
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    if ind > input.array.ndim:
        raise RuntimeError(f"ArrayRef: invalid slice, N = {ind}; size = {input.array.ndim}")
    first, last = input.array.shape[:ind], input.array.shape[ind:]
    n, m = math.prod(first), math.prod(last)
    if n != m:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), "
            f"but got {m} != {n}"
        )
    inverse, info = linalg_inv_ex.fn(input.reshape(m, n))
    raise_failed("inv", info, SINGULAR)
    return inverse.reshape(*last, *first)


@linalg
def tensorsolve(input, other, dims=None):
    """The X for which ``tensordot(A, X, X.ndim)`` is B.  Differentiable.

    Shapes: A [*b, *x], B [*b], X [*x]. Raise RuntimeError for other shapes, LinAlgError for a singular A.
    """
    ndim = input.array.ndim
    if dims is not None:
        dims = [wrap_dim(d, ndim) for d in dims]
        input = input.permute([*(d for d in range(ndim) if d not in dims), *dims])
    size = input.array.shape[other.array.ndim - ndim :] if other.array.ndim < ndim else ()
    n, m = math.prod(size), other.array.size
    if n != m:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
            f"but got {n} != {m}"
        )
    return solve(input.reshape(n, n), other.reshape(-1)).reshape(size)
