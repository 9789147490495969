"""Sparse tensors: indices and values in place of an array, and rules for operators on them."""
