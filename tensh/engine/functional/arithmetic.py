"""Arithmetic with PyTorch's overloads: alpha, rounding modes, reflected operators."""
