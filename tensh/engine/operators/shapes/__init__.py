"""Shapes: views, joined and repeated tensors, diagonals."""
