"""Matrix products in pieces give what one product gives, and write nothing else."""

import numpy as np
import pytest

from tensh.engine.arrays import pieces
from tensh.engine.operators.layers.convolution_algorithms import window_sums

SHAPES = {  # (stack and shape of the first factor, of the second)
    "whole pieces": ((64, 192), (8, 192, 256)),
    "columns left over": ((16, 192), (3, 192, 1000)),
    "rows left over": ((257, 300), (300, 64)),
    "both left over": ((2, 301, 384), (2, 384, 333)),
    "one piece of columns": ((200, 384), (384, 70)),
    "stacks that broadcast": ((3, 1, 50, 100), (2, 100, 500)),
    "few multiplications": ((4, 4), (4, 64)),
    "deep": ((8, 2000), (2000, 100)),
}


@pytest.fixture(autouse=True)
def everywhere(monkeypatch):
    """Multiply in pieces whatever BLAS the machine has."""
    monkeypatch.setattr(pieces, "BLAS_HAS_AVX512", True)
    monkeypatch.setattr(window_sums, "BLAS_HAS_AVX512", True)


def draw(*shape):
    return np.random.default_rng(0).standard_normal(shape, np.float32)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("given", [False, True])
def test_pieces_give_the_product(name, turned, given):
    one, two = SHAPES[name]
    first, second = draw(*one), draw(*two[:-1], two[-1] + 9)[..., 4:-5]
    if turned:
        first = np.ascontiguousarray(first.swapaxes(-1, -2)).swapaxes(-1, -2)
    expected = first.astype(float) @ second.astype(float)
    around = np.full((*expected.shape[:-2], expected.shape[-2] + 2, expected.shape[-1] + 3), 7, np.float32)
    inside = (..., slice(1, -1), slice(2, -1))
    found = pieces.multiply_stacks(first, second, around[inside] if given else None)
    assert found.dtype == np.float32 and np.allclose(found, expected, atol=1e-3)
    if given:
        assert np.array_equal(around[inside], found)
        around[inside] = 7
        assert (around == 7).all()


def test_pieces_are_as_large_as_blas_takes_without_copies(monkeypatch):
    products = []
    matmul = np.matmul
    monkeypatch.setattr(np, "matmul", lambda a, b, out: products.append((a, b)) or matmul(a, b, out))
    for one, two in SHAPES.values():
        first, second = draw(*one), draw(*two)
        paid, before = pieces.pays(first, second), len(products)
        pieces.multiply_stacks(first, second)
        sizes = [a.shape[-2] * a.shape[-1] * b.shape[-1] for a, b in products[before:]]
        assert max(sizes) <= pieces.PIECE if paid else len(sizes) == 1


WRONG = {
    "inner dimensions differ": (np.zeros((64, 192), np.float32), np.zeros((191, 512), np.float32)),
    "stacks do not broadcast": (np.zeros((2, 64, 192), np.float32), np.zeros((3, 192, 512), np.float32)),
}


@pytest.mark.parametrize("name", WRONG)
def test_shapes_that_do_not_fit_are_refused(name):
    with pytest.raises(ValueError):
        pieces.multiply_stacks(*WRONG[name])


WINDOWS = {  # shape of the windows, number of gradients
    "several images": ((5, 1, 96, 1024), 32),
    "groups": ((2, 3, 60, 500), 40),
    "more outputs than elements": ((2, 1, 20, 700), 90),
    "a prime number of windows": ((1, 1, 70, 1031), 30),
    "few sums": ((4, 1, 9, 900), 8),
}


@pytest.mark.parametrize("name", WINDOWS)
@pytest.mark.parametrize("count", [1, 3])
def test_windows_times_gradients_are_summed_over_images(name, count):
    shape, width = WINDOWS[name]
    parts = [draw(*shape) + k for k in range(count)]
    lines = draw(*shape[:2], width, shape[3])
    found = window_sums.sum_products(parts, lines)
    expected = [np.einsum("bgnl,bgml->gnm", part, lines, dtype=float) for part in parts]
    assert found.shape == np.shape(expected) and np.allclose(found, expected, rtol=1e-4, atol=1e-3)
