"""Convolutions beside their definition: large kernels, windows that overlap with a stride, wide padding, many channels."""

import itertools

import numpy as np
import pytest

import tensh as torch
from tensh.engine.operators.layers import convolution
from tensh.engine.operators.layers.convolution_algorithms import little_images

SHAPES = [  # of the image, of the kernel, stride, dilation, padding; channels of inputs and of outputs in a group
    ((20,), (17,), 1, 1, 0, (2, 3)),
    ((25,), (6,), 2, 4, 0, (2, 3)),
    ((9, 8), (9, 7), 1, 1, 0, (2, 3)),
    ((11, 12), (5, 4), 1, 2, 0, (2, 3)),
    ((6, 7, 5), (5, 6, 5), 1, 1, 0, (2, 3)),
    ((7, 7, 6), (5, 4, 5), 2, 1, 0, (2, 3)),
    ((22,), (5,), 2, 1, 0, (2, 3)),
    ((14, 15), (3, 4), 2, 1, 0, (2, 3)),
    ((16, 15), (3, 3), 2, 2, 0, (2, 3)),
    ((17, 18), (5, 4), 3, 1, 0, (2, 3)),
    ((9, 10, 11), (3, 3, 2), 2, 1, 0, (2, 3)),
    ((4, 3), (3, 3), 1, 1, 1, (12, 70)),
    ((5, 5), (3, 3), 2, 1, 1, (12, 20)),
    ((2, 3), (1, 1), 1, 1, 0, (96, 50)),
    ((9,), (3,), 3, 2, 4, (24, 64)),
    ((2, 3, 2), (2, 3, 2), 1, 1, 1, (6, 130)),
    ((1, 1), (3, 3), 1, 1, 1, (2, 3)),
    ((4, 4), (3, 3), 1, 12, 12, (8, 40)),
    ((3, 5), (3, 4), 2, 5, 7, (3, 2)),
    ((4,), (5,), 1, 4, 9, (30, 40)),
    ((2, 2, 2), (3, 3, 3), 1, 3, 3, (2, 2)),
    ((25, 17), (8, 8), 8, 1, 0, (2, 3)),
    ((118,), (64,), 64, 1, 5, (2, 3)),
    ((9, 8, 11), (4, 4, 4), 4, 1, 2, (2, 3)),
]


def windows_of(size, kernel, stride, dilation):
    """Yield (place in the output, slices of its window), in order."""
    counts = [(n - dilation * (k - 1) - 1) // stride + 1 for n, k in zip(size, kernel)]
    for place in itertools.product(*map(range, counts)):
        yield (
            place,
            tuple(slice(p * stride, p * stride + dilation * (k - 1) + 1, dilation) for p, k in zip(place, kernel)),
        )


@pytest.mark.parametrize("dtype, error", [("float32", 2e-4), ("float64", 1e-10)])
@pytest.mark.parametrize("little", [0, 1 << 20])
@pytest.mark.parametrize("size, kernel, stride, dilation, padding, channels", SHAPES)
def test_values_and_gradients_are_those_of_the_definition(
    size, kernel, stride, dilation, padding, channels, little, dtype, error, monkeypatch
):
    monkeypatch.setattr(little_images, "LITTLE", little)
    compare_with_definition(size, kernel, stride, dilation, padding, channels, dtype, error)


@pytest.mark.parametrize("size, kernel, stride, dilation, padding, channels", SHAPES)
def test_groups_of_large_images_are_computed_apart(size, kernel, stride, dilation, padding, channels, monkeypatch):
    monkeypatch.setattr(convolution, "GROUPED", 1)
    monkeypatch.setattr(little_images, "LITTLE", 0)
    compare_with_definition(size, kernel, stride, dilation, padding, channels, "float64", 1e-10)


def compare_with_definition(size, kernel, stride, dilation, padding, channels, dtype, error):
    rng, (ins, outs) = np.random.default_rng(0), channels
    x, w = rng.standard_normal((2, 2 * ins, *size)), rng.standard_normal((2 * outs, ins, *kernel))
    image, weight = (torch.tensor(each.astype(dtype), requires_grad=True) for each in (x, w))
    options = {"stride": stride, "dilation": dilation, "padding": padding, "groups": 2}
    result = getattr(torch.nn.functional, f"conv{len(size)}d")(image, weight, **options)
    g = rng.standard_normal(result.shape)
    gradient = torch.tensor(g.astype(dtype))
    result.backward(gradient)
    back = getattr(torch.nn.functional, f"conv_transpose{len(size)}d")(gradient, weight.detach(), **options)
    x = np.pad(x, [(0, 0)] * 2 + [(padding, padding)] * len(size))
    y, dx, dw = np.zeros_like(g), np.zeros_like(x), np.zeros_like(w)
    for place, window in windows_of(x.shape[2:], kernel, stride, dilation):
        for group in range(2):
            read, wrote = slice(ins * group, ins * group + ins), slice(outs * group, outs * group + outs)
            seen, grad = x[(slice(None), read, *window)].reshape(2, ins, -1), g[(slice(None), wrote, *place)]
            kernels = w[wrote].reshape(outs, ins, -1)
            y[(slice(None), wrote, *place)] = np.einsum("nck,ock->no", seen, kernels)
            dx[(slice(None), read, *window)] += np.einsum("no,ock->nck", grad, kernels).reshape(2, ins, *kernel)
            dw[wrote] += np.einsum("no,nck->ock", grad, seen).reshape(outs, ins, *kernel)
    dx = dx[(..., *[slice(padding, padding + n) for n in size])]
    reached = tuple(slice(n) for n in back.shape[2:])
    assert not dx[(..., *[slice(n, None) for n in back.shape[2:]])].any()
    for found, wanted in ((result, y), (image.grad, dx), (weight.grad, dw), (back, dx[(..., *reached)])):
        np.testing.assert_allclose(found.detach().numpy(), wanted, rtol=error, atol=error)


def test_elements_that_meet_only_padding_make_no_nan():
    image, gradient = torch.ones(1, 1, 1, 1), torch.full((1, 1, 1, 1), torch.inf)
    weight = torch.full((1, 1, 3, 3), torch.inf)
    weight[..., 1, 1] = 2
    assert torch.conv2d(image, weight, padding=1).tolist() == [[[[2]]]]
    assert torch.nn.grad.conv2d_input(image.shape, weight, image, padding=1).tolist() == [[[[2]]]]
    inf = torch.inf
    found = torch.nn.grad.conv2d_weight(image, weight.shape, gradient, padding=1)
    assert found.tolist() == [[[[0, 0, 0], [0, inf, 0], [0, 0, 0]]]]
