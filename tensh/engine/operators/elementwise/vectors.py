"""Kernels of 16 bit numbers that round once where PyTorch computes whole vectors, and after every step where it does not.

PyTorch cuts rows into vectors; the elements left over at the end of a row, all of a short one, are computed one by one.
"""

import math

import numpy as np

VECTORS = 32  # elements of two vectors, of which a row has a whole number; also with AVX-512


def compute_in_vectors(length, at_once, in_steps, *arrays):
    """Return ``at_once(*arrays)``, and ``in_steps(*arrays)`` for the rest of rows cut after ``length`` elements."""
    shape = np.broadcast_shapes(*[a.shape for a in arrays])
    flat = all([not a.ndim or a.shape == shape and a.flags.c_contiguous for a in arrays])
    row = math.prod(shape) if flat else shape[-1]
    whole = row // length * length
    if not whole:
        return in_steps(*arrays)
    out = at_once(*arrays)
    if whole < row:
        rest = [
            a if not a.ndim else (a.reshape(-1) if flat else np.broadcast_to(a, shape))[..., whole:] for a in arrays
        ]
        (out.reshape(-1) if flat else out)[..., whole:] = in_steps(*rest)
    return out
