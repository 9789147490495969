"""Vectors scaled to given lengths: weight normalisation and its derivative."""

import numpy as np

from tensh.engine.codegen.table import op
from tensh.engine.operators.reductions.product_sums import add_squares


@op(
    public=False, out=False, node="WeightNormInterfaceBackward0",
    let={"norm": "sqrt(sum_dim(v * v, others, True))"},
    v="lengths / norm * (g - v * (sum_dim(g * v, others, True) / (norm * norm)))",
    lengths="sum_dim(g * v, others, True) / norm",
)  # fmt: skip
def with_lengths(v, lengths, others):
    """``v`` scaled to norms of ``lengths`` over the dimensions ``others`` (Salimans and Kingma, 2016)."""
    return v * (lengths / np.sqrt(add_squares(v, others, True)))
