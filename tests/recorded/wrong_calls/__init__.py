"""Calls that are right, and PyTorch's errors for spoiled ones."""
