"""Reductions with PyTorch's overloads."""
