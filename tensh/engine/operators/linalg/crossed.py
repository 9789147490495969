"""Cross products, and the trace."""

import numpy as np

from tensh.engine.arrays.orders import move_axis
from tensh.engine.codegen.table import op
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.operators.precision import I8, WIDER


@op(
    public=False,
    kernel_name="cross",
    input="linalg_cross(conj(other), g, dim)",
    other="linalg_cross(g, conj(input), dim)",
)
def linalg_cross(input, other, dim=-1):
    """The cross products of vectors along ``dim``."""
    if input.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    axis = wrap_dim(dim, input.ndim)
    n, m = input.shape[axis], other.shape[axis]
    if n != 3 or m != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got {n} and {m}")
    a, b = move_axis(input, axis, 0), move_axis(other, axis, 0)
    turned = [a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2] for i in range(3)]
    if input.dtype != other.dtype:
        raise RuntimeError(
            f"expected scalar type {BY_NUMPY[input.dtype].title} but found {BY_NUMPY[other.dtype].title}"
        )
    return np.ascontiguousarray(np.stack(turned, axis))


@op(types="iufc", kernel_name="trace", out=False, input="on_diagonal(g, input.shape)")
def trace(input):
    """The sum of the elements on the diagonal of a matrix.  Differentiable.

    Shape: [n, m] to []. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.trace(torch.tensor([[1, 2], [3, 4]]))
    tensor(5)
    """
    if input.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input.ndim}")
    if input.dtype.kind in "iu":
        return np.trace(input, dtype=I8)
    return np.trace(input, dtype=WIDER.get(input.dtype)).astype(input.dtype, copy=False)


@op(public=False, node="TraceBackwardBackward0", input="trace(g)")
def on_diagonal(input, shape):
    """Zeros with one number along the diagonal."""
    result = np.zeros(shape, input.dtype)
    np.fill_diagonal(result, input)
    return result
