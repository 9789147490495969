"""Convolutions beside their definition: kernels as large as the image, and windows that overlap with a stride."""

import itertools

import numpy as np
import pytest

import tensh as torch

SHAPES = [  # of the image, of the kernel, stride, dilation
    ((20,), (17,), 1, 1),
    ((25,), (6,), 2, 4),
    ((9, 8), (9, 7), 1, 1),
    ((11, 12), (5, 4), 1, 2),
    ((6, 7, 5), (5, 6, 5), 1, 1),
    ((7, 7, 6), (5, 4, 5), 2, 1),
    ((22,), (5,), 2, 1),
    ((14, 15), (3, 4), 2, 1),
    ((16, 15), (3, 3), 2, 2),
    ((17, 18), (5, 4), 3, 1),
    ((9, 10, 11), (3, 3, 2), 2, 1),
]


def windows_of(size, kernel, stride, dilation):
    """(place in the output, slices of its window), in order."""
    counts = [(n - dilation * (k - 1) - 1) // stride + 1 for n, k in zip(size, kernel)]
    for place in itertools.product(*map(range, counts)):
        yield (
            place,
            tuple(slice(p * stride, p * stride + dilation * (k - 1) + 1, dilation) for p, k in zip(place, kernel)),
        )


@pytest.mark.parametrize("size, kernel, stride, dilation", SHAPES)
def test_values_and_gradients_are_those_of_the_definition(size, kernel, stride, dilation):
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((2, 4, *size)), rng.standard_normal((6, 2, *kernel))
    image, weight = torch.tensor(x, requires_grad=True), torch.tensor(w, requires_grad=True)
    options = {"stride": stride, "dilation": dilation, "groups": 2}
    result = getattr(torch.nn.functional, f"conv{len(size)}d")(image, weight, **options)
    g = rng.standard_normal(result.shape)
    result.backward(torch.tensor(g))
    back = getattr(torch.nn.functional, f"conv_transpose{len(size)}d")(torch.tensor(g), weight.detach(), **options)
    y, dx, dw = np.zeros_like(g), np.zeros_like(x), np.zeros_like(w)
    for place, window in windows_of(size, kernel, stride, dilation):
        for group in range(2):
            ins, outs = slice(2 * group, 2 * group + 2), slice(3 * group, 3 * group + 3)
            seen, grad = x[(slice(None), ins, *window)].reshape(2, 2, -1), g[(slice(None), outs, *place)]
            kernels = w[outs].reshape(3, 2, -1)
            y[(slice(None), outs, *place)] = np.einsum("nck,ock->no", seen, kernels)
            dx[(slice(None), ins, *window)] += np.einsum("no,ock->nck", grad, kernels).reshape(2, 2, *kernel)
            dw[outs] += np.einsum("no,nck->ock", grad, seen).reshape(3, 2, *kernel)
    reached = tuple(slice(n) for n in back.shape[2:])
    assert not dx[(..., *[slice(n, None) for n in back.shape[2:]])].any()
    for found, wanted in ((result, y), (image.grad, dx), (weight.grad, dw), (back, dx[(..., *reached)])):
        np.testing.assert_allclose(found.detach().numpy(), wanted, rtol=1e-10, atol=1e-10)
