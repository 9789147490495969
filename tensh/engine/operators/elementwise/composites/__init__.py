"""Arithmetic, comparison and special functions with PyTorch's overloads."""
