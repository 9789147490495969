"""Sorting and searching with PyTorch's overloads."""
