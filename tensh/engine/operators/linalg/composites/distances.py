"""Distances between all pairs of rows, as PyTorch computes them: by one matrix product, or by differences."""

from tensh.engine.codegen.composites import composite
from tensh.engine.dtypes.dtype import float32, float64
from tensh.engine.operators.forms import require, require_kind
from tensh.engine.operators.linalg.distances import euclidean_dist, pair_distances
from tensh.engine.operators.shapes.composites.joining import broadcast_shapes

COMPUTE_MODES = {
    "use_mm_for_euclid_dist_if_necessary": None,
    "use_mm_for_euclid_dist": 1,
    "donot_use_mm_for_euclid_dist": 2,
}
"""Name of a mode -> its number in PyTorch."""
MANY = 25  # rows from which Euclidean distances are computed by a matrix product, if not told otherwise


@composite(method=False)
def cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """The ``p``-norm distances of every row of ``x1`` and every row of ``x2``, over batch dimensions.  Differentiable.

    Shapes: [..., n, k] and [..., m, k] to [..., n, m]. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.cdist(torch.tensor([[0.0, 0.0]]), torch.tensor([[3.0, 4.0]]))
    tensor([[5.]])
    """
    if compute_mode not in COMPUTE_MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    for number, x in enumerate((x1, x2), 1):
        require(x, "cdist", f"x{number}", number)
        if x.array.ndim < 2:  # under vmap, a sample has its own dimensions here, too
            raise RuntimeError(f"cdist only supports at least 2D tensors, X{number} got: {x.array.ndim}D")
    require_kind("float", p, "cdist", "p", 3)
    one, other, mode = x1.dtype, x2.dtype, COMPUTE_MODES[compute_mode]
    shapes = x1.array.shape, x2.array.shape
    if one is not other and one in (float32, float64) and other.is_floating_point and x1.numel() and x2.numel():
        raise RuntimeError(f"expected scalar type {one.title} but found {other.title}")
    if (
        one is other
        and one in (float32, float64)
        and shapes[0][-1] == shapes[1][-1]
        and is_by_product(*shapes, p, mode)
    ):
        return compute_by_product(x1, x2)
    return pair_distances.fn(x1, x2, p, mode)


def is_by_product(one, other, p, mode):
    """Return True if the distances of matrices of two shapes are computed by a matrix product."""
    by_product = mode == 1 or mode is None and max(one[-2], other[-2]) > MANY
    return p == 2 and by_product and 0 not in (*one, *other)


def compute_by_product(x1, x2):
    """Return the Euclidean distances of matrices."""
    batch = broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
    shape = *batch, x1.shape[-2], x2.shape[-2]
    if batch:
        x1, x2 = (x.expand(*batch, *x.shape[-2:]).contiguous().view(-1, *x.shape[-2:]) for x in (x1, x2))
    return euclidean_dist.fn(x1, x2).view(shape)
