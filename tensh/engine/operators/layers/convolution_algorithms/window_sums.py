"""Products of windows and gradients, summed over the windows of all images: the gradient of a convolution's weight."""

import numpy as np

from tensh.engine.arrays.copying import copy_into
from tensh.engine.arrays.matmul import matmul
from tensh.engine.arrays.vectors import BLAS_HAS_AVX512
from tensh.engine.operators.linalg.products import cut
from tensh.engine.operators.precision import F4
from tensh.engine.operators.reductions.summation import add_along

# Sums up to which OpenBLAS multiplies without copies, with AVX-512, although the inner dimensions of both factors are contiguous
FEW = 1200


def sum_products(parts, lines):
    """Return the products of windows and gradients at each element of the kernel, or of a row of it.

    ``parts`` are stacks of windows [N, groups, n, L], ``lines`` the gradients [N, groups, m, L]; the result is
    [parts, groups, n, m].
    """
    n, m, turned = parts[0].shape[2], lines.shape[2], lines.swapaxes(-1, -2)
    if not BLAS_HAS_AVX512 or lines.dtype is not F4 or n * m <= FEW:
        return np.stack([add_along(matmul(each, turned), 0) for each in parts])
    if n < m and len(parts) == 1:
        return sum_products([lines], parts[0]).swapaxes(-1, -2)
    rows = np.empty(turned.shape, turned.dtype)
    copy_into(rows, turned)
    return np.stack([sum_pieces(each, rows) for each in parts])


def sum_pieces(windows, lines):
    """Return the products of [N, groups, n, L] and [N, groups, L, m], summed over N, by blocks of L.

    Short blocks are multiplied in pieces, since the rows of ``lines`` are contiguous: 192 x 256 by 256 x 64 takes 0.8 of
    the time of the product with the gradient as it is, and 0.9 if that is copied three times.
    """
    images, groups, length, width = lines.shape
    number, size = cut(length)
    whole = number * size
    products = np.empty((images, number, groups, windows.shape[2], width), F4)
    left = windows[..., :whole].reshape(*windows.shape[:3], number, size).swapaxes(-2, -3)
    right = lines[..., :whole, :].reshape(images, groups, number, size, width)
    matmul(left, right, products.swapaxes(1, 2))
    total = add_along(products.reshape(-1, *products.shape[2:]), 0)
    if whole < length:
        total += add_along(np.matmul(windows[..., whole:], lines[..., whole:, :]), 0)
    return total
