"""Texts of PyTorch's errors and warnings, and the checks that raise them."""
