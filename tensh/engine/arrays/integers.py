"""Products of integer matrices by BLAS, in float32 or float64: exact, in a thirtieth of the time of NumPy's loops.

Larger numbers are cut into limbs, whose products are exact, and wrap around as integers do.
"""

import numpy as np

MANY = 1 << 14  # products of two numbers from which this is faster
F4, F8, I8, U8 = map(np.dtype, (np.float32, np.float64, np.int64, np.uint64))
EXACT = {F4: 1 << 24, F8: 1 << 53}  # up to here a dtype holds every integer
LIMB = 22  # bits
DEPTH = EXACT[F8] >> 2 * LIMB  # products of limbs whose sum is exact


def multiply_integers(multiply, first, second):
    """Multiply matrices or stacks of integers by ``multiply``, a product of floating point numbers."""
    dtype, depth = first.dtype, first.shape[-1]
    largest = find_largest(first) * find_largest(second) * depth
    for kind, most in EXACT.items():
        if largest <= most:
            product = multiply(first.astype(kind), second.astype(kind)).astype(I8)
            return product.astype(dtype, copy=False)  # only now, numbers outside a small dtype wrap around
    total = U8.type(0)
    for start in range(0, depth, DEPTH):
        rows = cut_into_limbs(first[..., start : start + DEPTH])
        columns = cut_into_limbs(second[..., start : start + DEPTH, :])
        for i, row in enumerate(rows):
            for j, column in enumerate(columns[: len(rows) - i]):
                total = total + (multiply(row, column).astype(U8) << U8.type((i + j) * LIMB))
    return total.astype(dtype)


def find_largest(array):
    """Return the largest absolute value, as an integer of Python."""
    return max(int(array.max()), -int(array.min())) if array.size else 0


def cut_into_limbs(array):
    """Return the limbs of integers modulo a power of two, the lowest first, as float64."""
    size = array.dtype.itemsize
    bits = array.astype(f"u{size}").astype(U8)
    return [(bits >> U8.type(shift) & U8.type((1 << LIMB) - 1)).astype(F8) for shift in range(0, 8 * size, LIMB)]
