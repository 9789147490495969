"""Sparse tensors: indices and values in place of an array, and the rules of operators on them."""
