"""Reductions, over all elements or along dimensions: sums, extremes, norms, variances; scans, sorting and counting."""
