"""Functions of so many elements that they are computed in blocks, beside their definition in float64."""

import numpy as np
import pytest

import tensh as torch
from tensh.engine.operators.layers import grid

RNG = np.random.default_rng(0)
X, Y = RNG.standard_normal((90, 33)), RNG.standard_normal((70, 33))
NEAR = np.concatenate((X, X[:3]))  # rows without a distance
FIRST, SECOND = np.triu_indices(len(NEAR), 1)


def norms(d, p):
    size = np.abs(d)
    if p == 0:
        return (d != 0).sum(-1).astype(float)
    return size.max(-1) if p == np.inf else (size**p).sum(-1) ** (1 / p)


def slopes(d, p):
    """The derivative of the norms of ``d``, 0 where a norm is 0."""
    r, size = norms(d, p)[..., None], np.abs(d)
    with np.errstate(all="ignore"):
        if p == np.inf:
            return np.sign(d) * (size == r)
        return np.nan_to_num(np.sign(d) * size ** (p - 1) * r ** (1 - p)) * (p > 0)


@pytest.mark.parametrize("p", [0, 1, 1.5, 2, 3, np.inf])
@pytest.mark.parametrize("dtype, tolerance", [("float32", 2e-5), ("float64", 1e-11)])
def test_distances_of_pairs(p, dtype, tolerance):
    x, y, near = (torch.tensor(a.astype(dtype), requires_grad=True) for a in (X, Y, NEAR))
    apart, weights = X[:, None] - Y, RNG.standard_normal((len(X), len(Y)))
    found = torch.cdist(x, y, p, compute_mode="donot_use_mm_for_euclid_dist")
    found.backward(torch.tensor(weights.astype(dtype)))
    check(found, norms(apart, p), tolerance)
    check(x.grad, (weights[..., None] * slopes(apart, p)).sum(1), tolerance)
    check(y.grad, -(weights[..., None] * slopes(apart, p)).sum(0), tolerance)
    apart, weights = NEAR[FIRST] - NEAR[SECOND], RNG.standard_normal(len(FIRST))
    found = torch.pdist(near, p)
    found.backward(torch.tensor(weights.astype(dtype)))
    wanted = np.zeros_like(NEAR)
    np.add.at(wanted, FIRST, weights[:, None] * slopes(apart, p))
    np.add.at(wanted, SECOND, -weights[:, None] * slopes(apart, p))
    check(found, norms(apart, p), tolerance)
    check(near.grad, wanted, tolerance)


def check(found, wanted, tolerance):
    np.testing.assert_allclose(found.detach().numpy(), wanted, rtol=tolerance, atol=tolerance * np.abs(wanted).max())


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64"])
@pytest.mark.parametrize("shapes", [((40, 50), (50, 30)), ((3, 20, 1100), (3, 1100, 5)), ((0, 200), (200, 100))])
@pytest.mark.parametrize("least", [False, True])
def test_products_of_integers_wrap_around(dtype, shapes, least):
    bounds = np.iinfo(dtype)
    low, high = (max(bounds.min, -9), 9) if least else (bounds.min, bounds.max)
    one, two = (RNG.integers(low, high, shape, dtype, endpoint=True) for shape in shapes)
    wanted = np.einsum("...ij,...jk->...ik", one.astype(object), two.astype(object)) if one.size else one[:, :0]
    if one.size:
        modulus = 1 << bounds.bits
        wanted = np.vectorize(lambda n: (n - bounds.min) % modulus + bounds.min, otypes=[dtype])(wanted)
        assert (torch.tensor(one) @ torch.tensor(two)).numpy().tolist() == wanted.tolist()
    else:
        assert (torch.tensor(one) @ torch.tensor(two)).shape == (0, 100)


@pytest.mark.parametrize("classes", [9, 300])
def test_margins_of_several_classes(classes):
    scores, targets = RNG.standard_normal((40, classes)), RNG.integers(-1, classes, (40, classes))
    wanted, slope = np.zeros(40), np.zeros_like(scores)
    for row, (score, target) in enumerate(zip(scores, targets)):
        listed = target[: (target < 0).argmax() if (target < 0).any() else classes]
        others = np.setdiff1d(np.arange(classes), listed)
        for label in listed:
            over = np.maximum(0, 1 - score[label] + score[others])
            wanted[row] += over.sum() / classes
            slope[row, others] += (over > 0) / classes
            slope[row, label] -= (over > 0).sum() / classes
    input = torch.tensor(scores, requires_grad=True)
    loss = torch.nn.functional.multilabel_margin_loss(input, torch.tensor(targets), reduction="none")
    loss.sum().backward()
    check(loss, wanted, 1e-12)
    check(input.grad, slope, 1e-12)


@pytest.mark.parametrize("size", [5, 900])
@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_large_bags_are_reduced_as_by_numpy(size, mode):
    weight, indices = RNG.standard_normal((50, 64)), RNG.integers(0, 50, (30, size))
    found = torch.nn.functional.embedding_bag(torch.tensor(indices), torch.tensor(weight), mode=mode)
    check(found, getattr(np, mode)(weight[indices], 1), 1e-12)


@pytest.mark.parametrize("name", ["median", "nanmedian"])
@pytest.mark.parametrize("distinct", [3, 1000])
@pytest.mark.parametrize("dtype", ["int8", "int64", "float16", "float32", "float64"])
def test_the_median_of_many_numbers_is_in_their_middle(dtype, distinct, name):
    numbers = RNG.integers(0, distinct, 4001) % 100
    found = getattr(torch, name)(torch.tensor(numbers).to(getattr(torch, dtype)))
    assert found.item() == np.sort(numbers)[2000] and found.dtype == getattr(torch, dtype)


@pytest.mark.parametrize("name, expected", [("median", np.nan), ("nanmedian", 1.0)])
def test_the_median_of_many_numbers_with_nan(name, expected):
    x = torch.ones(1000)
    x[::3] = np.nan
    assert np.array_equal(getattr(torch, name)(x).item(), expected, equal_nan=True)


@pytest.mark.parametrize("slopes", [[0.5], [0.0], [-2.0], [3.0], [0.25, -1.0, 1.0]])
def test_leaky_units_with_any_slopes(slopes):
    x = torch.tensor(RNG.standard_normal((40, len(slopes), 300)))
    x[0, 0, :3] = torch.tensor([np.nan, np.inf, -np.inf])
    weight = torch.tensor(slopes, dtype=x.dtype)
    expected = torch.where(x > 0, x, weight[:, None] * x)
    np.testing.assert_array_equal(torch.nn.functional.prelu(x, weight).numpy(), expected.numpy())


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("shapes", [((4, 5), (4, 5)), ((40, 50), (40, 50)), ((40, 50), (50,)), ((50,), (40, 50))])
def test_elements_scattered_under_a_mask_are_those_of_numpy(shapes, transposed):
    x, mask, source = RNG.random(shapes[0]), RNG.random(shapes[1]) < 0.5, RNG.random(3000)
    shape = np.broadcast_shapes(*shapes)
    expected, there = np.broadcast_to(x, shape).copy(), np.broadcast_to(mask, shape)
    expected[there] = source[: there.sum()]
    given = torch.tensor(x.T.copy()).permute(*reversed(range(x.ndim))) if transposed else torch.tensor(x)
    found = given.masked_scatter(torch.tensor(mask), torch.tensor(source))
    np.testing.assert_array_equal(found.numpy(), expected)
    if x.shape == shape:
        given.masked_scatter_(torch.tensor(mask), torch.tensor(source))
        np.testing.assert_array_equal(given.numpy(), expected)


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_images_sampled_together_are_those_sampled_one_by_one(padding, mode, monkeypatch):
    x, points = torch.tensor(RNG.random((5, 3, 4, 6))), torch.tensor(RNG.uniform(-1.5, 1.5, (5, 7, 2, 2)))
    options = {"mode": mode, "padding_mode": padding, "align_corners": False}
    together = torch.nn.functional.grid_sample(x, points, **options)
    monkeypatch.setattr(grid, "MOST", 0)
    np.testing.assert_array_equal(together.numpy(), torch.nn.functional.grid_sample(x, points, **options).numpy())
