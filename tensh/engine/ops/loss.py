"""Losses and activations that PyTorch records as one node."""
