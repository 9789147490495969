"""Pooling by windows of any form: values, places and gradients beside PyTorch, also where elements are equal."""

import numpy as np
import pytest

import tensh as torch


def outcome(m, kind, dims, seed):
    """Values, places and the gradient of a random case; every fourth has other numbers everywhere."""
    rng = np.random.default_rng(seed)
    shape = (2, 3, *rng.integers(4, 9, dims)) if seed % 2 else (3, *rng.integers(4, 9, dims))
    numbers = rng.standard_normal(shape) if seed % 4 == 0 else rng.integers(0, 4, shape)
    x = m.tensor(numbers.astype(np.float32), requires_grad=True)
    function = getattr(m.nn.functional, f"{kind}_max_pool{dims}d")
    if kind == "adaptive":
        values, places = function(x, rng.integers(1, 9, dims).tolist(), return_indices=True)
    else:
        m.manual_seed(seed)
        kernel = rng.integers(1, 4, dims).tolist()
        sizes = [int(rng.integers(1, n - k + 1)) for n, k in zip(shape[-dims:], kernel)]
        values, places = function(x, kernel, output_size=sizes, return_indices=True)
    values.square().sum().backward()
    return [t.detach().numpy() for t in (values, places, x.grad)]


@pytest.mark.oracle
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("dims", [2, 3])
@pytest.mark.parametrize("kind", ["adaptive", "fractional"])
def test_the_largest_elements_are_those_of_pytorch(kind, dims, seed, oracle):
    for one, other in zip(outcome(torch, kind, dims, seed), outcome(oracle, kind, dims, seed), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("kind", ["adaptive", "fractional"])
def test_nan_is_the_largest_element(kind):
    x = torch.arange(16.0).reshape(1, 1, 4, 4)
    x[0, 0, 1, 1] = float("nan")
    function = getattr(torch.nn.functional, f"{kind}_max_pool2d")
    values, places = function(x, 2, **{"output_size": 2} if kind == "fractional" else {}, return_indices=True)
    assert places[values.isnan()].eq(5).all() and values.isnan().any()


@pytest.mark.parametrize("nan", [0, 0.1, 1])
@pytest.mark.parametrize("size", [(1, 1), (2, 4), (3, 5)])
def test_of_equal_elements_the_first_is_taken_and_of_nan_the_last(size, nan):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 3, (2, 16, 32)).astype(np.float32)
    x[rng.random(x.shape) < nan] = np.nan
    values, places = torch.nn.functional.adaptive_max_pool2d(torch.tensor(x), size, return_indices=True)
    bounds = [[(i * n // k, -(-(i + 1) * n // k)) for i in range(k)] for n, k in zip(x.shape[1:], size)]
    for plane in range(2):
        for row, (top, bottom) in enumerate(bounds[0]):
            for column, (left, right) in enumerate(bounds[1]):
                best = -1, -np.inf
                for i in range(top, bottom):
                    for j in range(left, right):
                        value = x[plane, i, j]
                        best = (i * 32 + j, value) if value > best[1] or np.isnan(value) else best
                found = places[plane, row, column].item(), values[plane, row, column].item()
                assert np.array_equal(found, best, equal_nan=True)


# ── few windows and many ─────────────────────────────────────────────────────
PLANES = 60
POOLED = {
    "largest": lambda x: torch.nn.functional.adaptive_max_pool2d(x, (3, 5)),
    "places": lambda x: torch.nn.functional.adaptive_max_pool2d(x, (3, 5), return_indices=True)[1],
    "largest of lines": lambda x: torch.nn.functional.adaptive_max_pool1d(x[:, :, 0], 4),
    "means": lambda x: torch.nn.functional.adaptive_avg_pool2d(x, (3, 5)),
    "means by area": lambda x: torch.nn.functional.interpolate(x, size=(4, 3), mode="area"),
    "reduced": lambda x: torch.nn.functional.interpolate(x, size=(3, 4), mode="bilinear", antialias=True),
}


@pytest.mark.parametrize("lost", [0, 0.1])
@pytest.mark.parametrize("pool", POOLED)
def test_many_planes_are_pooled_as_each_alone(pool, lost):
    """Windows of few planes are copied at once."""
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, 9, (PLANES, 1, 13, 17)).astype(np.float32)
    numbers[rng.random(numbers.shape) < lost] = np.nan
    numbers[0, 0, 2, 2] = np.inf
    x = torch.from_numpy(numbers)
    together, alone = POOLED[pool](x), torch.cat([POOLED[pool](plane) for plane in x.split(1)])
    np.testing.assert_allclose(together.numpy(), alone.numpy(), 1e-6)


# ── sizes beyond what can be counted ─────────────────────────────────────────
WIDE = 2**63 - 1
COUNT, ROOM = "numel: integer multiplication overflow", "Storage size calculation overflowed"
TOO_WIDE = {
    "adaptive_avg_pool1d(x, WIDE)": (RuntimeError, COUNT),
    "adaptive_avg_pool1d(x, 2**61)": (RuntimeError, ROOM),
    "adaptive_avg_pool1d(x, 2**63)": (ValueError, "Overflow when unpacking long long"),
    "adaptive_avg_pool2d(x2, WIDE)": (RuntimeError, COUNT),
    "adaptive_max_pool1d(x, WIDE)": (RuntimeError, ROOM),
    "adaptive_max_pool2d(x2, (1, WIDE))": (RuntimeError, ROOM),
    "max_pool1d(x, 2, 2**63)": (ValueError, "Overflow when unpacking long long"),
    "max_pool2d(x2, 2**63)": (ValueError, "Overflow when unpacking long long"),
    "interpolate(x, WIDE)": (RuntimeError, ROOM),
    "interpolate(x, WIDE, mode='linear')": (RuntimeError, ROOM),
    "interpolate(x2, WIDE, mode='bicubic')": (RuntimeError, ROOM),
    "interpolate(x, WIDE, mode='area')": (RuntimeError, COUNT),
    "interpolate(x, 2**63)": (TypeError, "upsample_nearest1d.*Overflow when unpacking long long"),
}


@pytest.mark.parametrize("call", TOO_WIDE)
def test_sizes_that_cannot_be_counted_are_refused(call):
    error, text = TOO_WIDE[call]
    names = {name: getattr(torch.nn.functional, name) for name in [call.partition("(")[0]]}
    with pytest.raises(error, match=text):
        eval(call, names | {"x": torch.zeros(1, 2, 8), "x2": torch.zeros(1, 2, 8, 8), "WIDE": WIDE})


def test_the_largest_elements_of_no_windows_are_none():
    assert torch.nn.functional.adaptive_max_pool1d(torch.zeros(1, 2, 8), 0).shape == (1, 2, 0)
    assert torch.nn.functional.adaptive_max_pool2d(torch.zeros(1, 2, 8, 8), (0, 3)).shape == (1, 2, 0, 3)


@pytest.mark.parametrize("size", [2**63, -(2**63) - 1, (2**63, 2)])
def test_windows_beyond_64_bits_are_refused_by_the_name_of_the_argument(size):
    functional = torch.nn.functional
    calls = {
        "im2col(): argument 'kernel_size'": lambda: functional.unfold(torch.ones(1, 1, 3, 3), size),
        "im2col(): argument 'padding'": lambda: functional.unfold(torch.ones(1, 1, 3, 3), 2, padding=size),
        "col2im(): argument 'output_size'": lambda: functional.fold(torch.ones(1, 1, 3), size, 1),
        "col2im(): argument 'kernel_size'": lambda: functional.fold(torch.ones(1, 1, 3), 3, size),
    }
    for words, call in calls.items():
        with pytest.raises(TypeError) as failure:
            call()
        assert (
            str(failure.value)
            == f'{words} failed to unpack the object at pos 1 with error "Overflow when unpacking long long"'
        )
