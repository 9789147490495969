"""Graphs for back ends: calls of public functions as nodes with names, sizes and marks as in PyTorch."""
