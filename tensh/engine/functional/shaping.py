"""Shapes: the forms in which PyTorch takes sizes and dimensions, and what is made of several views."""
