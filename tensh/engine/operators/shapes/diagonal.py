"""Diagonals: as views, copied, and embedded in matrices of zeros."""

import numpy as np

from tensh.engine.codegen.table import op
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.operators.shapes.views import view_op

FAR = 2**31


def diagonal_of(array, offset, dim1, dim2):
    """``np.diagonal``, writable, with PyTorch's errors."""
    one, two = wrap_dim(dim1, array.ndim), wrap_dim(dim2, array.ndim)
    if one == two:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    if not -FAR < offset < FAR:  # NumPy's offsets have 32 bits, and there is no element so far out
        offset = array.shape[two]
    out = array.diagonal(offset, one, two)
    if array.flags.writeable:
        out.flags.writeable = True
    return out


@view_op(input="diagonal_back(g, input.shape, offset, dim1, dim2)")
def diagonal(input, offset=0, dim1=0, dim2=1):
    """The diagonals over two dimensions, as the last dimension.  Differentiable, a view.

    ``offset`` counts from the main diagonal: 1 is the one above it.  Shape: [n, m, ...] to [..., k]. Raise RuntimeError for
    equal dimensions.

    >>> import tensh as torch
    >>> torch.tensor([[1, 2], [3, 4]]).diagonal()
    tensor([1, 4])
    """
    return diagonal_of(input, offset, dim1, dim2)


@op(public=False, node="DiagonalBackwardBackward0", grad="diagonal(g, offset, dim1, dim2)")
def diagonal_back(grad, shape, offset, dim1, dim2):
    """``grad`` as a diagonal of zeros."""
    out = np.zeros(shape, grad.dtype)
    diagonal_of(out, offset, dim1, dim2)[...] = grad
    return out


@op(out=False, input="diagonal(g, offset, dim1, dim2)")
def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    """Matrices of zeros with the last dimension of the input as their diagonals.  Differentiable.

    Shape: [..., n] to [..., n, n]. Raise RuntimeError for equal dimensions.

    >>> import tensh as torch
    >>> torch.diag_embed(torch.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    """
    one, two = wrap_dim(dim1, input.ndim + 1), wrap_dim(dim2, input.ndim + 1)
    if one == two:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    shape, size = list(input.shape[:-1]), input.shape[-1] + abs(offset)
    for d in sorted((one, two)):
        shape.insert(d, size)
    out = np.zeros(shape, input.dtype)
    diagonal_of(out, offset, one, two)[...] = input
    return out


@op(public=False, out=False, node="DiagonalBackward0_copy", input="diagonal_back(g, input.shape, offset, 0, 1)")
def copy_diagonal(input, offset):
    """Copy the diagonal of a matrix into new memory."""
    return diagonal_of(input, offset, 0, 1).copy()
