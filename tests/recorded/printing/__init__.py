"""Recorded text of tensors."""
