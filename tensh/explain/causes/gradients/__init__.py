"""Gradients that are absent or refused: graphs, leaves, and the user's own functions."""
