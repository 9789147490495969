"""Fourier transforms: each is the adjoint of another."""
