"""Weight and spectral normalisation, however they are attached to a module."""

from tensh.engine.operators.layers.composites.recurrences import norm_except_dim
from tensh.engine.operators.layers.lengths import with_lengths
from tensh.nn import functional as F


def scale_direction(v, g, dim):
    """``v`` with the lengths ``g`` (Salimans and Kingma, 2016)."""
    ndim = v.dim()
    if dim != -1 and dim in (0, ndim - 1) and ndim > 1:  # one node in the graph, as in PyTorch
        return with_lengths.fn(v, g, tuple(d for d in range(ndim) if d != dim))
    return v * (g / norm_except_dim(v, 2, dim))


def as_matrix(weight, dim):
    """The weight with ``dim`` first, and all other dimensions as one."""
    if dim:
        weight = weight.permute(dim, *(d for d in range(weight.dim()) if d != dim))
    return weight.flatten(1)


def unit_vectors(matrix, eps):
    """Two vectors of length 1, drawn at random, to begin the power iteration with."""
    rows, columns = matrix.size()
    return [F.normalize(matrix.new_empty(n).normal_(0, 1), dim=0, eps=eps) for n in (rows, columns)]


def output_dim(module):
    """The dimension of a module's weight that its outputs belong to."""
    from tensh.nn.modules.conv import _ConvTransposeNd

    return 1 if isinstance(module, _ConvTransposeNd) else 0
