"""Many elements to one, or along a dimension: sums, extremes, norms, spread, running results, sorting, counting."""

from tensh.engine.ops.reductions import (  # noqa: F401
    distinct,
    extremes,
    histogram,
    norms,
    reduce,
    scan,
    sort,
    statistics,
)
