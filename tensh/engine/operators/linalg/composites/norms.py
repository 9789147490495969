"""Norms of tensors and matrices, and condition numbers."""

import math

import numpy as np

from tensh.engine.arguments.mismatches import type_name
from tensh.engine.codegen.composites import composite
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dtypes.dtype import BY_NUMPY, DIFFERENTIABLE
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.operators.forms import require
from tensh.engine.operators.namespaces import linalg
from tensh.engine.operators.reductions.composites.norms import numpy_of, vector_norm
from tensh.engine.operators.reductions.norms import norm_dtype
from tensh.engine.operators.reductions.reductions import sum_dim

INF = math.inf


@composite(out=True)
def norm(input, p="fro", dim=None, keepdim=False, dtype=None):
    """The ``p``-norm of all elements, or of those along ``dim``.

    ``p`` is a number, "fro" (the square root of the sum of squares) or "nuc" (the sum of a matrix's singular values).
    Differentiable.  Shape: [*] to [], or without ``dim``. Raise RuntimeError for more than two dimensions of a matrix norm.

    >>> import tensh as torch
    >>> torch.tensor([3.0, 4.0]).norm()
    tensor(5.)
    """
    if isinstance(input, type):  # a tensor subclass: PyTorch dispatches to its ``__torch_function__``
        require(input, "norm", "input", 1)
    if not isinstance(input, Tensor):
        raise AttributeError(f"'{type(input).__name__}' object has no attribute 'layout'")
    if isinstance(dim, int):
        dim = (dim,)
    if type(keepdim) is not bool and p != "nuc":
        raise TypeError(f"linalg_vector_norm(): argument 'keepdim' (position 4) must be bool, not {type_name(keepdim)}")
    if isinstance(p, str) and not (p == "fro" and (dim is None or len(dim) <= 2)):
        return matrix_norm(input, p, range(input.ndim) if dim is None else dim, keepdim, dtype=dtype)
    return vector_norm(input, 2 if p is None or p == "fro" else p, dim, keepdim, dtype=dtype)


@linalg
def matrix_norm(input, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None):
    """A norm of matrices, over the two dimensions ``dim``.

    ``ord`` is "fro", "nuc" (the sum of the singular values), 2 and -2 (the largest and smallest singular value), 1 and
    -1 (the largest and smallest sum of a column's magnitudes), inf and -inf (of a row's).  Differentiable.  Shape:
    [..., m, n] to [...]. Raise RuntimeError for vectors.

    >>> import tensh as torch
    >>> torch.linalg.matrix_norm(torch.tensor([[3.0, 0.0], [0.0, 4.0]]))
    tensor(5.)
    """
    wanted = numpy_of(dtype, "linalg_matrix_norm")
    dims = check_matrix(input, ord, dim, wanted)
    if ord == "fro":
        return vector_norm(input, 2, dims, keepdim, dtype=dtype)
    if wanted is not None:
        input = input.to(dtype)
    if ord in ("nuc", 2, -2):
        if input.dtype.itemsize == 2:
            raise RuntimeError(f"linalg.matrix_norm: Low precision dtypes not supported. Got {input.dtype.title}")
        return compute_from_singular_values(input, ord, dims, keepdim)
    row, column = dims
    if abs(ord) == INF:
        row, column = column, row
    sums = vector_norm(input, 1, row, keepdim)
    if not keepdim and row < column:
        column -= 1
    return largest(sums, column, keepdim) if ord > 0 else sums.amin(column, keepdim)


def largest(magnitudes, dim, keepdim=False):
    """Return the largest of the magnitudes along ``dim``; that of none is 0."""
    if magnitudes.array.shape[dim] == 0:
        return sum_dim.fn(magnitudes.detach(), dim, keepdim)
    return magnitudes.amax(dim, keepdim)


def check_matrix(A, ord, dim, wanted):
    """Return the two dimensions from 0; raise PyTorch's errors for invalid arguments of a matrix norm."""
    if isinstance(ord, str) and ord not in ("fro", "nuc"):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    if A.array.ndim < 2:
        raise RuntimeError("linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    dim = tuple(dim)
    if len(dim) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dim))}")
    dims = tuple(wrap_dim(d, A.array.ndim) for d in dim)
    if dims[0] == dims[1]:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({dim[0]}, {dim[1]})")
    if wanted is not None and wanted.kind not in DIFFERENTIABLE:
        title = BY_NUMPY[wanted].title
        raise RuntimeError(f"linalg.matrix_norm: dtype should be floating point or complex, but got {title}")
    norm_dtype("linalg.matrix_norm", A.array.dtype, wanted)
    if not isinstance(ord, str) and ord not in (2, -2, 1, -1, INF, -INF):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord:g} not supported.")
    return dims


def compute_from_singular_values(A, ord, dims, keepdim):
    """Return the norms defined by singular values."""
    from tensh.engine.operators.linalg.composites.spectra import svdvals  # rarely needed

    order = [*(d for d in range(A.array.ndim) if d not in dims), *dims]
    values = svdvals(A.permute(*order))
    if ord == "nuc":
        result = values.sum(-1, keepdim)
    elif ord > 0:
        result = largest(values, -1, keepdim)
    else:
        result = values.amin(-1, keepdim)
    return result.unsqueeze(-1).permute(*map(order.index, range(len(order)))) if keepdim else result


@linalg
def linalg_norm(input, ord=None, dim=None, keepdim=False, *, dtype=None):
    """The norm of vectors or matrices: over one dimension that of vectors, over two that of matrices.

    Without ``ord`` the 2-norm of all elements (or of those along ``dim``) as one vector; without ``dim`` the input has
    one or two dimensions.  Differentiable.  Shape: [*] to [], or without ``dim``. Raise RuntimeError for an ``ord``
    that does not fit the dimensions.

    >>> import tensh as torch
    >>> torch.linalg.norm(torch.tensor([[3.0, 0.0], [0.0, 4.0]]), 1)
    tensor(4.)
    """
    if isinstance(dim, int):
        dim = (dim,)
    if isinstance(dim, (tuple, list)) and len(dim) not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dim)}")
    if ord is None:
        return vector_norm(input, 2, dim, keepdim, dtype=dtype)
    if dim is None and input.array.ndim not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {input.array.ndim}D."
        )
    if not isinstance(ord, str) and (input.array.ndim == 1 if dim is None else len(dim) == 1):
        return vector_norm(input, ord, dim, keepdim, dtype=dtype)
    dim = tuple(range(input.array.ndim)) if dim is None else dim
    return matrix_norm(input, ord, dim, keepdim, dtype=dtype)


@linalg
def cond(input, p=None):
    """The condition numbers of matrices: the norm ``p`` of the matrix times that of its inverse.  Differentiable.

    Shape: [..., m, n] to [...]. Raise RuntimeError for another ``p``.

    >>> import tensh as torch
    >>> torch.linalg.cond(torch.tensor([[2.0, 0.0], [0.0, 1.0]]))
    tensor(2.)
    """
    from tensh.engine.operators.linalg.composites.spectra import svdvals
    from tensh.engine.operators.linalg.shared import check_square
    from tensh.engine.operators.linalg.solve import linalg_inv_ex

    if input.array.ndim < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if p in (None, 2, -2):
        values = svdvals(input)
        if not input.array.size:
            return wrap(np.zeros(input.array.shape[:-2], values.array.dtype))
        first, last = values.narrow(-1, 0, 1), values.narrow(-1, values.array.shape[-1] - 1, 1)
        return ((last / first) if p == -2 else (first / last)).squeeze(-1)
    if p not in ("fro", "nuc", 1, -1, np.inf, -np.inf):
        kind = "norm type" if isinstance(p, str) else "norm order"
        raise RuntimeError(f"linalg.cond got an invalid {kind}: {p}")
    shown = p if isinstance(p, str) else f"{p:g}"
    check_square(f"linalg.cond(ord={shown})", input.array)
    if p == "nuc":
        values = svdvals(input)
        return values.sum(-1) * values.reciprocal().sum(-1)
    inverse, info = linalg_inv_ex.fn(input)
    singular = wrap((info.array != 0)[..., None, None])
    inverse = inverse.masked_fill(singular, np.inf)
    return (matrix_norm(input, p) * matrix_norm(inverse, p)).nan_to_num(np.inf, np.inf, -np.inf)
