"""Shared functions of weight and spectral normalisation, by hook or by parametrization."""

from tensh.engine.operators.layers.composites.recurrences import norm_except_dim
from tensh.engine.operators.layers.lengths import with_lengths
from tensh.nn import functional as F


def scale_direction(v, g, dim):
    """Return ``v`` with the norms ``g`` (Salimans and Kingma, 2016)."""
    ndim = v.dim()
    if dim != -1 and dim in (0, ndim - 1) and ndim > 1:  # a single node in the graph, as in PyTorch
        return with_lengths.fn(v, g, tuple(d for d in range(ndim) if d != dim))
    return v * (g / norm_except_dim(v, 2, dim))


def as_matrix(weight, dim):
    """Return the weight as a matrix, with ``dim`` first and all other dimensions merged."""
    if dim:
        weight = weight.permute(dim, *(d for d in range(weight.dim()) if d != dim))
    return weight.flatten(1)


def unit_vectors(matrix, eps):
    """Draw two random unit vectors, with which the power iteration starts."""
    rows, columns = matrix.size()
    return [F.normalize(matrix.new_empty(n).normal_(0, 1), dim=0, eps=eps) for n in (rows, columns)]


def output_dim(module):
    """Return the dimension of a module's weight that corresponds to its outputs."""
    from tensh.nn.modules.conv import _ConvTransposeNd

    return 1 if isinstance(module, _ConvTransposeNd) else 0
