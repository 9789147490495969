"""Reshaped, reordered, joined and split tensors, and their memory."""
