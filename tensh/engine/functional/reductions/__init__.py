"""Reductions, sorting and counting with PyTorch's overloads."""

from tensh.engine.functional.reductions import (  # noqa: F401
    counting,
    differences,
    extremes,
    histograms,
    norms,
    quantiles,
    reducing,
    sorting,
    statistics,
)
