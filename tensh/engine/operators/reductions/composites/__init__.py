"""Reductions, sorting and counting with PyTorch's overloads."""
