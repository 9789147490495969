"""Sums are as exact as in PyTorch: no error exceeds twice its largest, over layouts, sizes, numbers and dtypes."""

import re

import numpy as np
import pytest

import tensh as torch
from tests.support.accuracy import layers as accuracy_layers
from tests.support.accuracy import reductions as accuracy_reductions
from tests.support.project import ROOT

pytestmark = pytest.mark.thorough

F = torch.nn.functional
LIMIT = 2.1  # times PyTorch's largest error, which is recorded with two digits
PROCESSORS = 4  # times its error on one processor, PyTorch may be off on another: its BLAS adds in another order there
ROUNDING = 0.5  # ulp: what any result may be off
ROW = re.compile(r"^\| `(.+)` \| (\w+) \| (\S+) \| (\S+) \| (\S+) \|$", re.MULTILINE)
SECTIONS = (ROOT / "docs" / "accuracy.md").read_text(encoding="utf-8").split("\n## ")
RECORDED = {
    (text.partition("\n")[0], function, dtype): float(theirs)
    for text in SECTIONS
    for function, dtype, _, theirs, _ in ROW.findall(text)
}
"""(section, function, dtype) -> PyTorch's largest error, as the document shows it."""
MODULES = {section.TITLE: section for section in (accuracy_reductions, accuracy_layers)}
CASES = sorted({(title, function) for title, function, _ in RECORDED if title in MODULES})
SIZES = 3, 100, 4898

each_function = pytest.mark.parametrize(
    ("section", "name"), [pytest.param(MODULES[title], name, id=f"{title}: {name}") for title, name in CASES]
)


def largest_errors(modules, section, name):
    """dtype -> the largest error of each module."""
    found = {}
    for _, dtype, _, errors in section.measure_function(modules, name, SIZES, "f d"):
        found[dtype] = tuple(map(max, errors, found.get(dtype, errors)))
    return found


@each_function
def test_errors_are_at_most_twice_those_recorded_of_pytorch(section, name):
    for dtype, (error,) in largest_errors([torch], section, name).items():
        assert error <= LIMIT * max(RECORDED[section.TITLE, name, dtype], ROUNDING)


PRODUCTS = frozenset(["mm", "mv", "cov", "einsum", "linear, gradient of weight"])
"""What PyTorch leaves to BLAS, which on another processor loses two digits more or less."""


@each_function
def test_recorded_errors_are_those_of_pytorch(section, name, oracle):
    """The sizes here are some of those recorded, whose largest error may be larger; another processor may round otherwise."""
    if name in PRODUCTS:
        pytest.skip("products are BLAS's, and differ from processor to processor")
    for dtype, (error,) in largest_errors([oracle], section, name).items():
        assert error <= PROCESSORS * max(RECORDED[section.TITLE, name, dtype], ROUNDING)


def test_the_document_shows_no_error_of_more_than_twice_pytorchs():
    rows = [row for text in SECTIONS if text.partition("\n")[0] in MODULES for row in ROW.findall(text)]
    assert len(rows) > 80
    over = [row[:2] for row in rows if max(float(row[2]), ROUNDING) > LIMIT * max(float(row[3]), ROUNDING)]
    assert over == []


# ── squares that lost digits ─────────────────────────────────────────────────
SPREADS = [((17, 60_001), 0), ((99_999, 5), 1), ((8191, 65), 0), ((31, 1000, 31), 1), ((2049, 1025), 0), ((300_000,), None), ((50, 60), None), ((3000,), 0)]  # fmt: skip


@pytest.mark.parametrize("shape, dim", SPREADS)
def test_variances_are_rounded_once(shape, dim):
    """Squares that were added in float32 were off by eight units where a few numbers outweigh the others."""
    array = np.exp(np.random.default_rng(0).normal(size=shape) * 3).astype(np.float32)
    exact = array.astype(np.longdouble).var(dim, ddof=1)
    for found, wanted in ((torch.tensor(array).var(dim), exact), (torch.tensor(array).std(dim), np.sqrt(exact))):
        assert np.max(np.abs(found.numpy() - wanted) / np.spacing(wanted.astype(np.float32))) < 0.51
    spread, mean = torch.var_mean(torch.tensor(array), dim)
    np.testing.assert_allclose(mean.numpy(), array.astype(float).mean(dim), 1.2e-7)
    np.testing.assert_allclose(spread.numpy(), exact.astype(float), 1.2e-7)


# ── sums that lost digits ────────────────────────────────────────────────────
TENTH = float(np.float32(0.1))


@pytest.mark.parametrize("rows", [10_000, 1_000_000])
@pytest.mark.parametrize("order", ["rows", "columns"])
def test_sums_of_many_rows(rows, order):
    x = torch.full((rows, 3), 0.1) if order == "rows" else torch.full((3, rows), 0.1).t()
    np.testing.assert_allclose(x.sum(0).numpy(), rows * TENTH, 3e-7)
    np.testing.assert_allclose(x.mean(0).numpy(), TENTH, 3e-7)
    np.testing.assert_allclose(x.sum().item(), 3 * rows * TENTH, 3e-7)


def test_gradient_of_a_bias_over_a_million_rows():
    layer = torch.nn.Linear(3, 3)
    layer(torch.ones(1_000_000, 3)).backward(torch.full((1_000_000, 3), 0.1))
    np.testing.assert_allclose(layer.bias.grad.numpy(), 1_000_000 * TENTH, 3e-7)


def test_sum_of_two_million_equal_numbers():
    assert torch.full((2_000_000,), 0.1).sum().item() == pytest.approx(2_000_000 * TENTH, rel=1e-7)


def test_means_of_columns_of_a_table():
    x = torch.rand(4898, 12, generator=torch.manual_seed(0)) * 100
    np.testing.assert_allclose(x.mean(0).numpy(), x.double().numpy().T.copy().mean(1), 1.5e-7)


@pytest.mark.parametrize("dim", [None, 0, 1])
def test_variances_of_many_numbers_far_from_zero(dim):
    x = torch.randn(1500, 700, generator=torch.manual_seed(0)) + 1000
    exact = np.var(x.double().numpy(), axis=dim, ddof=1)
    np.testing.assert_allclose(x.var(dim).numpy(), exact, 2e-7)
    spread, mean = torch.var_mean(x, dim)
    np.testing.assert_allclose(spread.numpy(), exact, 2e-7)
    np.testing.assert_allclose(mean.numpy(), x.double().numpy().mean(dim), 1.2e-7)


def test_large_numbers_that_cancel():
    numbers = np.random.default_rng(0).permutation(np.repeat([1e6, -1e6], 500_000))
    x = torch.from_numpy(np.append(numbers, 0.5).astype(np.float32))
    assert abs(x.sum().item() - 0.5) <= 1
    assert abs(torch.stack([x, x, x], 1).sum(0) - 0.5).max().item() <= 1


RESIDUES = {10: 0.25, 1000: 4.0, 5000: 12.0, 20_000: 18.0, 100_000: 45.0, 500_000: 180.0}
"""Numbers of a magnitude of 1e6 -> what PyTorch's sums of them and their opposites, shuffled, are off on average."""


@pytest.mark.parametrize("number", RESIDUES)
def test_normal_numbers_that_cancel(number):
    residues = {"one after the other": [], "shuffled": []}
    for seed in range(4):
        r = np.random.default_rng(seed)
        numbers = (r.standard_normal(number) * 1e6).astype(np.float32)
        both = np.concatenate([numbers, -numbers, [np.float32(0.5)]])
        for order, array in zip(residues, (both, r.permutation(both)), strict=True):
            residues[order].append(abs(torch.from_numpy(array).sum().item() - 0.5))
    assert {order: np.mean(found) <= 1.5 * RESIDUES[number] for order, found in residues.items()} == dict.fromkeys(
        residues, True
    )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("rows", [1, 3, 8, 40])
def test_rows_of_equal_numbers_of_any_length(rows, dtype):
    for length in [*range(30, 300, 7), 350, 500, 511, 700, 1031, 1500, 33_000]:
        x = torch.full((rows, length), 0.1, dtype=getattr(torch, dtype))
        exact = length * x[0, 0].item() if dtype == "float32" else float(np.longdouble(0.1) * length)
        np.testing.assert_allclose(x.sum(1).numpy(), exact, 3.2 * torch.finfo(x.dtype).eps)


# ── numbers near the ends of a dtype's range, and numbers that are all the same ───
EDGES = {"float32": (3e38, 1e20, 1e-23, 1e-38), "bfloat16": (1e38, 1e20, 1e-23, 1e-38), "float64": (1e150, 1e-140)}


@pytest.mark.parametrize(("dtype", "scale"), [(dtype, scale) for dtype, scales in EDGES.items() for scale in scales])
@pytest.mark.parametrize("number", [10, 40_000])
def test_deviations_of_very_large_and_very_small_numbers(number, dtype, scale):
    signs = torch.tensor([-1.0, 1.0], dtype=getattr(torch, dtype)).repeat(number // 2)
    x = signs * scale
    exact = x[1].item() * (number / (number - 1)) ** 0.5
    digits = 4 * torch.finfo(x.dtype).eps
    for spread in (x.std(), torch.std_mean(x)[0], torch.stack([x, x], 1).std(0)[1]):
        np.testing.assert_allclose(min(spread.item(), exact), exact, digits)  # the largest may round to infinity
        assert spread > 0


@pytest.mark.parametrize("number", [10, 1000, 40_000, 600_000])
def test_equal_numbers_whose_sum_overflows_have_no_variance(number):
    for x in (torch.full((number,), 1e300, dtype=torch.float64), torch.full((number,), 3e38)):
        spread, mean = torch.var_mean(x)
        assert (x.var().item(), spread.item(), mean.item()) == (0, 0, x[0].item())
        assert torch.stack([x, x], 1).var(0).tolist() == [0, 0]


@pytest.mark.parametrize("number", [10, 40_000])
def test_variances_beyond_the_largest_number_are_infinite(number):
    assert (torch.linspace(0.1, 1, number, dtype=torch.float64) * 1e300).var().item() == np.inf
    beside = torch.full((number,), 1.0)
    beside[3] = np.inf
    assert torch.isnan(beside.var())


NORMALISATIONS = {
    "layer_norm": lambda x: F.layer_norm(x, x.shape[1:]),
    "batch_norm": lambda x: F.batch_norm(x.T, None, None, training=True),
    "group_norm": lambda x: F.group_norm(x, 1),
    "instance_norm": lambda x: F.instance_norm(x[:, None]),
}


@pytest.mark.parametrize("name", NORMALISATIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_equal_numbers_normalise_to_zero(name, dtype):
    for length in (3, 7, 10, 100, 1000, 40_000):
        for value in (0.1, 1 / 3, 1000.1, 1e5 / 7):
            x = torch.full((4, length), value, dtype=getattr(torch, dtype))
            assert NORMALISATIONS[name](x).abs().max() == 0, (length, value)


# ── any layout ───────────────────────────────────────────────────────────────
SHAPES = [
    (1,), (7,), (300, 5), (5, 300), (40, 30, 20), (3, 1, 700), (2, 600, 3), (9, 8, 7, 60), (70_000, 2),
    (1, 1), (20, 1), (300, 1), (1, 300), (70_000, 1), (1, 70_000), (300, 1, 1), (1, 300, 1), (700, 1, 3),
]  # fmt: skip
VIEWS = {
    "as it is": lambda a: a,
    "backwards": lambda a: a.T,
    "every second": lambda a: np.repeat(a, 2, -1)[..., ::2],
    "turned": lambda a: np.moveaxis(np.ascontiguousarray(np.moveaxis(a, 0, -1)), -1, 0),
    "expanded": lambda a: np.broadcast_to(a[..., :1], a.shape),
    "repeated": lambda a: np.broadcast_to(a[:1], a.shape),
    "windows": lambda a: np.lib.stride_tricks.sliding_window_view(a, min(a.shape[-1], 4), -1),
}
# The sum of 70,000 equal numbers is off by 7 units with NumPy 2.0, with 2.4 by less than one.
UNITS = 8 if np.__version__.startswith("2.0.") else 4


@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")  # an expanded one
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8"])
def test_sums_along_any_dimensions_of_any_view(shape, view, dtype):
    r = np.random.default_rng(0)
    array = VIEWS[view]((r.random(shape) + (1j * r.random(shape) if dtype == "c8" else 0)).astype(dtype))
    x, digits = torch.from_numpy(array), UNITS * np.finfo(dtype).eps
    for number in range(1 << array.ndim):
        dims = tuple(i for i in range(array.ndim) if number >> i & 1)
        exact = array.astype(np.clongdouble if dtype == "c8" else np.longdouble).sum(dims or None)
        assert x.sum(dims).shape == exact.shape
        np.testing.assert_allclose(x.sum(dims).numpy(), exact, digits)
        kept = x.sum(dims, keepdim=True)
        assert kept.shape == tuple(1 if i in dims or not dims else n for i, n in enumerate(array.shape))
        assert torch.equal(kept.reshape(exact.shape), x.sum(dims))
    for dim in range(-array.ndim, array.ndim):
        exact = array.astype(np.clongdouble if dtype == "c8" else np.longdouble).sum(dim)
        for kept, found in enumerate((x.sum(dim), x.sum(dim, keepdim=True))):
            np.testing.assert_allclose(found.numpy(), np.expand_dims(exact, dim) if kept else exact, digits)
            assert found.shape == (np.expand_dims(exact, dim) if kept else exact).shape


@pytest.mark.parametrize("number", [2, 3, 7, 100, 999, 5000, 40000])
@pytest.mark.parametrize("value", [0.1, 0.7, 1 / 3, 0.7 + 0.1j])
def test_the_variance_of_equal_numbers_is_zero(value, number):
    dtype = torch.complex128 if isinstance(value, complex) else torch.float64
    rows = torch.full((3, number), value, dtype=dtype)
    assert rows.var(1).tolist() == [0, 0, 0] and rows[0].var().item() == rows.T.std().item() == 0


LOSSES = {
    "mse_loss": lambda x, y: torch.nn.functional.mse_loss(x, y),
    "l1_loss": lambda x, y: torch.nn.functional.l1_loss(20 * x, y),
    "smooth_l1_loss": lambda x, y: torch.nn.functional.smooth_l1_loss(20 * x, y),
    "huber_loss": lambda x, y: torch.nn.functional.huber_loss(20 * x, y),
    "pairwise_distance": lambda x, y: torch.nn.functional.pairwise_distance(30 * x, y).float().mean(),
    "triplet_margin_loss": lambda x, y: torch.nn.functional.triplet_margin_loss(x, y, x.roll(1, 1), margin=1000.0),
}


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES.keys())
def test_losses_of_halves_are_those_of_wider_numbers(loss, dtype):
    """Also where a sum has no room in float16, or the gradient of a mean hardly any digits."""
    generator = torch.Generator().manual_seed(0)
    x, y = (torch.round(torch.randn(1500, 4, generator=generator) * 40).to(dtype) for _ in range(2))
    found = []
    for wanted in (dtype, torch.float64):
        leaf = x.clone().to(wanted).requires_grad_()
        value = loss(leaf, y.to(wanted))
        value.backward()
        found.append((value.item(), leaf.grad.double()))
    (value, gradient), (exact, slope) = found
    assert value == pytest.approx(exact, rel=4 * torch.finfo(dtype).eps)
    assert (gradient - slope).abs().max() <= 4 * torch.finfo(dtype).eps * slope.abs().max()


def test_gradients_of_batch_norm_in_evaluation_are_right_for_transposed_gradients():
    torch.manual_seed(0)
    x = torch.randn(1, 3, 2, 2, dtype=torch.float64, requires_grad=True)
    weight, bias = (torch.randn(3, dtype=torch.float64, requires_grad=True) for _ in range(2))
    start = torch.zeros(3, dtype=torch.float64), torch.ones(3, dtype=torch.float64)
    w = torch.randn(1, 4, 3, dtype=torch.float64)
    out = torch.nn.functional.batch_norm(x, *start, weight, bias, eps=0.0).flatten(2).transpose(1, 2)
    found = torch.autograd.grad((out * w).sum(), (x, weight, bias))
    g = w.transpose(1, 2).reshape(1, 3, 2, 2)
    right = g * weight[:, None, None], (g * x).sum((0, 2, 3)), g.sum((0, 2, 3))
    assert all(torch.allclose(*pair) for pair in zip(found, right, strict=True))


@pytest.mark.parametrize("shape", [(7, 7), (16, 16), (50, 3), (2, 5, 9)])
def test_the_gradient_of_a_number_is_the_sum_of_its_shares(shape):
    torch.manual_seed(0)
    for x in (torch.randn(shape) for _ in range(20)):
        number = torch.ones((), requires_grad=True)
        (number * x).sum().backward()
        assert torch.equal(number.grad, x.sum())
