"""Attention: means of values, weighted by how well keys fit a query."""

import numpy as np

from tensh.engine.arrays.matmul import matmul
from tensh.engine.codegen.table import op
from tensh.engine.operators.precision import compute_in_float32
from tensh.engine.operators.reductions.softmax import softmax_dim

SOFTMAX = {"let": {"part": "g * out"}, "input": "part - out * sum_dim(part, -1, True)"}


@op(public=False, out=False, types="f", node="SafeSoftmaxBackward0", **SOFTMAX)
def safe_softmax(input):
    """Softmax along the last dimension, but zeros where all is -inf."""
    out = softmax_dim.kernel(input, -1)
    if not input.size:
        return out
    blocked = np.isneginf(input.max(-1, keepdims=True))
    return np.where(blocked, input.dtype.type(0), out) if blocked.any() else out


@op(
    public=False,
    out=False,
    node="SafeSoftmaxBackward0",
    mask=None,
    query="(g @ key) * scale",
    key="(mT(g) @ query) * scale",
)
@compute_in_float32
def fit(query, key, mask=None, scale=1.0):
    """The score of every key for every query."""
    scores = matmul(query * query.dtype.type(scale), key.swapaxes(-1, -2))
    return scores if mask is None else scores + mask


@op(
    public=False, out=False, node="ScaledDotProductFlashAttentionForCpuBackward0", types="f",
    let={
        "w": "safe_softmax(fit(query, key, mask, scale))",
        "slope": "w * (g @ mT(value) - sum_dim((g @ mT(value)) * w, -1, True))",
    },
    query="(slope @ key) * scale", key="(mT(slope) @ query) * scale", value="mT(w) @ g", mask=None,
)  # fmt: skip
@compute_in_float32
def attend(query, key, value, mask=None, scale=1.0):
    """softmax(query @ key.T * scale + mask) @ value."""
    return matmul(safe_softmax.kernel(fit.kernel(query, key, mask, scale)), value)
