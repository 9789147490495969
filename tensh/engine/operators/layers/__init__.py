"""Operators of neural network layers: convolution, pooling, normalisation, losses."""
