"""Many elements to one, or along a dimension: sums, extremes, norms, spread, running results, sorting, counting."""
