"""Elementwise functions are as accurate as PyTorch's, on arguments where they once lost digits and on random ones."""

import importlib
import math
import zlib

import numpy as np
import pytest

import tensh as torch

F = torch.nn.functional


def single(values):
    return torch.tensor(values, dtype=torch.float32)


def many(value):
    """Enough equal numbers of float32 for the functions of large arrays."""
    return torch.full((300,), value)


# an expression, and the exact result
CASES = {
    "a power of float16 beyond its range on the way": (lambda: torch.tensor([300.0], dtype=torch.float16) ** -2, 300.0**-2),
    "a cube of float16": (lambda: torch.tensor([3.150390625], dtype=torch.float16) ** 3, 3.150390625**3),
    "an angle of float16": (lambda: torch.rad2deg(torch.tensor([-2.21875], dtype=torch.float16)), np.degrees(-2.21875)),
    "gelu of more than half the largest number": (lambda: F.gelu(single([3e38])), 3e38),
    "gelu by tanh far to the left": (lambda: F.gelu(single([-6.0]), approximate="tanh"), -8.4396467e-11),
    "hardsigmoid near its bound": (lambda: F.hardsigmoid(single([-3 + 2.0**-21])), 2.0**-21 / 6),
    "hardswish near its bound": (lambda: F.hardswish(single([-3 + 2.0**-21])), -(2.0**-21) / 2),
    "the normal distribution far to the left": (lambda: torch.special.ndtr(many(-6.7114)), 0.0),
    "trigamma beside its pole": (lambda: torch.polygamma(1, torch.tensor([-1e-17], dtype=torch.float64)), 1e34),
    "a scaled Bessel function of a huge number": (
        lambda: torch.special.i0e(torch.tensor([1.7e308], dtype=torch.float64)), (2 * np.pi) ** -0.5 / np.sqrt(1.7e308)),
    "a Bessel function of a subnormal number": (
        lambda: torch.special.bessel_y0(torch.tensor([5e-324], dtype=torch.float64)), -473.999073423),
    "a Bessel function whose exponential overflows": (
        lambda: torch.special.i0(torch.tensor([712.0], dtype=torch.float64)), 2.468411058e+307),
    "a square root of infinity in bfloat16": (
        lambda: torch.tensor([-np.inf], dtype=torch.bfloat16) ** -0.5, np.nan),
}  # fmt: skip


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="the exact results have more digits than float64")
@pytest.mark.parametrize("name", ["cosh", "sinh", "atanh"])
@pytest.mark.parametrize("bound", [1, 20, 700])
def test_hyperbolic_functions_of_many_numbers_are_rounded_once(name, bound):
    x = np.random.default_rng(0).uniform(-1, 1, 20_000) * (1 if name == "atanh" else bound)
    exact = getattr(np, {"atanh": "arctanh"}.get(name, name))(x.astype(np.longdouble))
    found = getattr(torch, name)(torch.from_numpy(x)).numpy()
    assert np.max(np.abs(found - exact) / np.spacing(np.abs(exact).astype(np.float64))) < 0.55


SINGLE = {  # functions of float32, and where their arguments lie
    "exp": (-8, 8), "exp2": (-100, 100), "expm1": (-8, 8), "log": (0.01, 20), "log2": (0.5, 2), "log10": (0.5, 2), "log1p": (-0.9, 9),
    "sin": (-1e4, 1e4), "cos": (-1e4, 1e4), "tan": (-8, 8), "asin": (-1, 1), "acos": (-1, 1), "atan": (-8, 8), "tanh": (-5, 5),
    "sinh": (-8, 8), "cosh": (-8, 8), "atanh": (-1, 1),
}  # fmt: skip


@pytest.mark.parametrize("size", [500, 100_000])
@pytest.mark.parametrize("name", SINGLE)
def test_float32_is_off_by_little_more_than_a_unit_on_every_processor(name, size):
    x = np.random.default_rng(0).uniform(*SINGLE[name], size).astype(np.float32)
    function = getattr(torch, name)
    exact = function(torch.from_numpy(x.astype(np.float64))).numpy()
    found = function(torch.from_numpy(x)).numpy()
    assert np.max(np.abs(found - exact) / np.spacing(np.abs(exact).astype(np.float32))) < 1.2


@pytest.mark.parametrize("swapped", [False, True])
def test_angles_of_points_of_float32(swapped):
    y, x = np.random.default_rng(0).uniform(-8, 8, (2, 300, 400)).astype(np.float32)
    exact = np.arctan2(y.astype(np.float64), x)
    y, x = torch.from_numpy(y), torch.from_numpy(x)
    found = torch.atan2(y.t(), x.t()).t() if swapped else torch.atan2(y, x)
    assert found.is_contiguous()
    # by float64; the C library's are off by up to 1.4 units, PyTorch's by 0.9
    assert np.max(np.abs(found.numpy() - exact) / np.spacing(np.abs(exact).astype(np.float32))) < 0.51


def test_angles_of_special_points_of_float32():
    ends = np.array([0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 3e38, -1e-40] * 30, np.float32)
    y, x = (each.reshape(-1) for each in np.meshgrid(ends, ends))
    expected = np.arctan2(y.astype(np.float64), x).astype(np.float32)
    found = torch.atan2(torch.from_numpy(y), torch.from_numpy(x)).numpy()
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))


def test_slopes_of_digamma_of_float32_are_rounded_once():
    x = torch.linspace(-4.35, 9.05, 1000)
    for n in (1, 2, 8, 9):
        exact = torch.polygamma(n, x.double()).numpy()
        found = torch.polygamma(n, x).numpy()
        assert np.max(np.abs(found - exact) / np.spacing(np.abs(exact).astype(np.float32))) < 0.51


@pytest.mark.parametrize("shape", [(), (7,), (500, 300)])
def test_the_slope_of_gelu_by_tanh_about_its_root_and_far_out(shape):
    """Computed as float64, it is rounded once."""
    for low, high in ((-0.753, -0.752), (-6, -4), (-5, 5)):
        x = torch.from_numpy(np.array(np.random.default_rng(0).uniform(low, high, shape), np.float32))
        slopes = []
        for dtype in (torch.float32, torch.float64):
            each = x.to(dtype).requires_grad_()
            (slope,) = torch.autograd.grad(F.gelu(each, approximate="tanh").sum(), each)
            slopes.append(slope.numpy())
        found, exact = slopes
        assert np.all(np.abs(found - exact) <= 0.51 * np.spacing(np.abs(exact).astype(np.float32)))
    ends = torch.tensor([-1e30, -30.0, 0.0, 30.0, 1e30, np.nan], requires_grad=True)
    (slope,) = torch.autograd.grad(F.gelu(ends, approximate="tanh").sum(), ends)
    assert str(slope.tolist()) == "[0.0, 0.0, 0.5, 1.0, 1.0, nan]"


@pytest.mark.parametrize("name", CASES)
def test_digits_where_they_were_lost(name):
    compute, expected = CASES[name]
    result = compute()
    half = result.dtype in (torch.float16, torch.bfloat16)
    np.testing.assert_allclose(result.double().numpy(), expected, 2**-11 if half else 2e-5, 2**-25 if half else 0)


def test_gelu_far_to_the_left():
    """Where PyTorch gives 0: no further from the exact result, which is at least -1.1e-8 there."""
    for size in (3, 300):
        x = torch.linspace(-40, -5.9, size)
        assert F.gelu(x).le(0).all() and F.gelu(x).abs().max() < 1e-8


def test_slopes_near_zero():
    """Where the square of the input vanishes the slope is that at 0."""
    for function, slope, second in (
        (torch.sinc, 0.0, 0.0),
        (torch.special.i1, 0.5, 0.0),
        (torch.special.i1e, 0.5, 0.0),
    ):
        x = torch.tensor([1e-30, -1e-30], requires_grad=True)
        (g,) = torch.autograd.grad(function(x).sum(), x, create_graph=True)
        assert g.tolist() == [slope, slope]
        if function is not torch.sinc:
            assert torch.autograd.grad(g.sum(), x)[0].tolist() == [second, second]


def test_erf_keeps_the_sign_of_zero():
    for size in (4, 300):
        for dtype in (torch.float32, torch.float64):
            zeros = torch.full((size,), -0.0, dtype=dtype)
            assert torch.erf(zeros).signbit().all()


@pytest.mark.oracle
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("function", ["lgamma", "digamma", "erf", "special.erfc", "erfinv", "special.ndtri", "special.log_ndtr", "special.i1e",
                                      "special.modified_bessel_k1", "special.gammaincc(x, y)", "special.zeta(x, y)"])  # fmt: skip
def test_errors_are_at_most_twice_the_oracles(function, dtype):
    """On random numbers, unless the error is within a unit in the last place."""
    oracle = pytest.importorskip("torch")
    pytest.importorskip("mpmath")
    accuracy = importlib.import_module("tests.support.accuracy.special")  # which needs mpmath
    _, ranges = accuracy.FUNCTIONS[function]
    draw = ranges["typical"]
    ours, theirs = accuracy.errors_on((torch, oracle), function, dtype, draw, 24, zlib.crc32(function.encode()))
    assert ours <= max(2 * theirs, 1)


DENSE = {
    "erf": (math.erf, 0.69), "atanh": (math.atanh, 0.51), "log10": (math.log10, 0.76),
    "special.ndtr": (lambda x: math.erfc(-x / math.sqrt(2)) / 2, 2.1),
}  # fmt: skip
"""Function -> its value in float64, and the largest error of PyTorch's in ulp of float32, over 100,000 numbers."""


@pytest.mark.parametrize("function", DENSE)
def test_many_numbers_of_float32(function):
    """A few numbers take another way, and rarely meet the largest error."""
    exact, error = DENSE[function]
    x = np.random.default_rng(0).uniform(0, 1, 20_000).astype(np.float32)
    expected = np.array([exact(each) for each in x.tolist()])
    result = eval(f"torch.{function}", {"torch": torch})(torch.from_numpy(x)).double().numpy()
    unit = 2.0 ** (np.frexp(expected)[1] - 24)
    assert np.max(np.abs(result - expected) / unit) <= max(2 * error, 1)


@pytest.mark.parametrize("order", [0, 1])
def test_bessel_functions_of_the_second_kind_near_zero(order):
    mp = pytest.importorskip("mpmath")
    x = 2.0 ** -np.random.default_rng(0).uniform(4, 40, 1000)
    expected = [float(mp.bessely(order, each)) for each in x]
    result = getattr(torch.special, f"bessel_y{order}")(torch.from_numpy(x)).numpy()
    np.testing.assert_allclose(result, expected, 5e-16)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_reciprocal_square_roots_of_halves_are_rounded_once_in_whole_vectors(dtype):
    x = torch.arange(1, 2048).to(getattr(torch, dtype))
    once, in_steps = torch.rsqrt(x.double()).to(x.dtype), 1 / torch.sqrt(x)
    assert not torch.equal(once, in_steps)
    assert torch.equal(torch.rsqrt(x), torch.cat([once[:2016], in_steps[2016:]]))


@pytest.mark.parametrize("name", ["digamma", "lgamma", "erfinv"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_single_half_is_computed_as_in_a_row(dtype, name):
    number = torch.tensor(0.3, dtype=getattr(torch, dtype), requires_grad=True)
    row = torch.full((1,), 0.3, dtype=number.dtype, requires_grad=True)
    one, other = (getattr(torch, name)(t) for t in (number, row))
    one.backward(), other.sum().backward()
    assert one.item() == other.item() and number.grad.item() == row.grad.item()


# Function -> its limits in units in the last place (PyTorch's largest error twice), and where numbers are drawn.
IN_SINGLE = {
    "exp": (1.12, [(-87, 88), (-104, -80), (-1, 1)]),
    "log": (1.8, [(0.3, 3), (0, 1e-37), (0, 1e38)]),
    "sin": (1.2, [(-4, 4), (-1e3, 1e3), (-2e6, 2e6)]),
    "cos": (1.2, [(-4, 4), (-1e3, 1e3), (-2e6, 2e6)]),
    "tanh": (1.0, [(-10, 10), (-1e-2, 1e-2), (-50, 50)]),
    "sinh": (1.0, [(-3, 3), (-80, 80)]),
    "cosh": (1.0, [(-3, 3), (-80, 80)]),
    "log1p": (1.0, [(-0.99, 9), (-1e-3, 1e-3), (0, 1e38)]),
    "expm1": (1.0, [(-8, 8), (-1e-2, 1e-2), (-80, 80)]),
}
ENDS = np.array(
    [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1e-38, -1e-38, 3e38, -3e38, 89.0, -103.9, 1e10], "f4"
)


def units(found, exact):
    """Errors in units in the last place of float32."""
    return np.abs(found - exact) / np.spacing(np.abs(exact).astype("f4")).astype("f8")


@pytest.mark.parametrize("function", IN_SINGLE)
@pytest.mark.parametrize("size", [100, 40_000])
def test_functions_of_float32(function, size):
    limit, ranges = IN_SINGLE[function]
    random = np.random.default_rng(0)
    for low, high in ranges:
        x = random.uniform(low, high, size).astype("f4")
        exact = getattr(np, function)(x.astype("f8"))
        kept = torch.tensor(x)
        found = getattr(torch, function)(kept)
        assert units(found.numpy(), exact).max() <= limit
        assert np.array_equal(getattr(kept, f"{function}_")().numpy(), found.numpy())


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, for the expected values
@pytest.mark.parametrize("function", IN_SINGLE)
@pytest.mark.parametrize("count", [1, 3000])
def test_ends_of_functions_of_float32(function, count):
    """Infinities, nan, the sign of zero, subnormal and huge numbers are right, among few numbers and among many."""
    x = np.tile(ENDS, count)
    exact = getattr(np, function)(x.astype("f8")).astype("f4")
    found = getattr(torch, function)(torch.tensor(x)).numpy()
    np.testing.assert_allclose(found, exact, 2e-7, 2e-45)
    assert np.array_equal(np.signbit(found[exact == 0]), np.signbit(exact[exact == 0]))


def test_functions_of_float32_in_any_layout():
    numbers = torch.linspace(0.1, 3, 120_000).reshape(300, 400)
    for view in (numbers.T, numbers[:, ::3], numbers.reshape(30, 40, 100).permute(2, 0, 1), numbers[::2, 1::2]):
        for function in IN_SINGLE:
            found, exact = getattr(torch, function)(view), getattr(np, function)(view.double().numpy())
            assert units(found.numpy(), exact).max() <= 2


# a function, number of the derivative, argument, exact result
SLOPES = [
    (torch.special.erfcx, 1, 1e3, -5.641887372856888e-07),
    (torch.special.erfcx, 1, 1e15, -5.641895835477563e-31),
    (torch.special.erfcx, 2, 1e3, 1.1283757819707055e-09),
    (torch.special.erfcx, 2, 1e10, 1.1283791670955127e-30),
    (torch.special.log_ndtr, 1, -1e3, 1000.000999998),
    (torch.special.log_ndtr, 1, -1e10, 1e10),
    (torch.special.log_ndtr, 2, -1e3, -0.999999000006),
    (torch.special.log_ndtr, 2, -1e10, -1.0),
    (torch.special.log_ndtr, 2, 30.0, 0.0),
]


@pytest.mark.parametrize(("function", "order", "x", "exact"), SLOPES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_slopes_far_out(function, order, x, exact, dtype):
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    out = function(x)
    for _ in range(order):
        (out,) = torch.autograd.grad(out, x, create_graph=True)
    np.testing.assert_allclose(out.item(), exact, 1e-6, 1e-37)


def test_logarithms_of_softmax_that_are_nearly_zero():
    """The loss of a confident answer keeps its digits."""
    rows = torch.tensor([[30.0, 20.0, 10.0]] * 200)
    exact = -math.log1p(math.exp(-10) + math.exp(-20))
    assert abs(F.log_softmax(rows, 1)[0, 0].item() - exact) < 2**-24


FAR_OUT = {
    "gammainc": (torch.special.gammainc, 26.0, 1e300, 1.0),
    "gammaincc": (torch.special.gammaincc, 26.0, 1e300, 0.0),
    "gammainc far to the left": (torch.special.gammainc, 20.0, 1e-10, 4.110317622920576e-219),
    "zeta of a huge exponent": (torch.special.zeta, 1e155, 1.0, 1.0),
    "zeta of a huge exponent beyond 1": (torch.special.zeta, 1e20, 2.0, 0.0),
}


@pytest.mark.parametrize("name", FAR_OUT)
def test_special_functions_far_out(name):
    function, a, x, exact = FAR_OUT[name]
    out = function(torch.tensor(a, dtype=torch.float64), torch.tensor(x, dtype=torch.float64))
    np.testing.assert_allclose(out.item(), exact, 1e-12)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, for the expected values
@pytest.mark.parametrize("size", [200, 30_000])
def test_log10_of_float64(size):
    random = np.random.default_rng(0)
    for low, high in ((0.4, 0.75), (0.7, 1.45), (1.4, 3), (1e-300, 1e-3), (1e-308, 1e308)):
        x = random.uniform(low, high, size)
        exact = np.log10(x.astype(np.longdouble))
        found = torch.tensor(x).log10().numpy()
        limit = 1 if np.finfo(np.longdouble).nmant > 52 else 2.5  # where there is nothing more exact to compare with
        assert (np.abs(found - exact) / np.spacing(np.abs(found))).max() <= limit
    ends = torch.tensor([0.0, -0.0, -1, 1, np.inf, np.nan, 5e-324, 1e22] * size, dtype=torch.float64)
    np.testing.assert_allclose(ends.log10().numpy(), np.log10(ends.numpy()), 1e-15)


INVERSES = {0.5: 0.47693627620446987338, 0.03: 0.026593075234088409606, 0.99: 1.8213863677184494559, 0.99999: 3.123413274341570864,
            1 - 2.0**-50: 5.6861284413103909801}  # fmt: skip


@pytest.mark.parametrize("many", [1, 5000])
def test_erfinv_of_float64(many):
    found = torch.erfinv(torch.tensor([*INVERSES] * many, dtype=torch.float64)).numpy()
    exact = np.array([*INVERSES.values()] * many)
    assert (np.abs(found - exact) / np.spacing(exact)).max() <= 1


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64])
@pytest.mark.parametrize(
    "n, m, length", [(3, 3, 30_001), (1, 2, 2048), (8, 2, 80_000), (10, 100, 5000), (100, 1, 30_001)]
)
@pytest.mark.parametrize("is_transposed", [False, True])
@pytest.mark.parametrize("product", [torch.mm, torch.mv, torch.bmm])
def test_products_of_little_matrices_with_long_sums(product, n, m, length, is_transposed, dtype):
    """As of the weight of a small layer over many rows."""
    a, b = torch.full((n, length), 0.1, dtype=dtype), torch.full((length, m), 0.1, dtype=dtype)
    a = a.t().contiguous().t() if is_transposed else a
    if product is torch.bmm:
        found = torch.bmm(torch.stack([a, a]), torch.stack([b, b]))[1]
    else:
        found = torch.mm(a, b) if product is torch.mm else torch.mv(a, b[:, 0])[:, None].expand(n, m)
    factor = complex(a[0, 0].item()).real  # as the dtype holds it
    error = abs(found.to(torch.complex128) - length * factor**2).max().item() / (length * factor**2)
    assert found.shape == (n, m) and error < 64 * torch.finfo(dtype).eps


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 60, reason="there is no number with more digits")
@pytest.mark.parametrize("number", [50, 1000, 40_000])
def test_tanh_of_float64_is_off_by_less_than_one_unit(number):
    values = np.random.default_rng(0).uniform(-1, 1, number) * np.logspace(-4, 0.3, number)
    x = torch.from_numpy(values)
    exact = np.tanh(values.astype(np.longdouble))
    found = x.tanh().numpy()
    assert np.max(np.abs(found - exact) / np.spacing(np.abs(found))) < 0.9
    assert torch.equal(x.clone().tanh_(), x.tanh()) and torch.equal(torch.tanh(x, out=torch.empty_like(x)), x.tanh())
    assert torch.equal(x.reshape(5, -1).T.tanh(), x.tanh().reshape(5, -1).T)
    assert np.all(np.signbit(torch.zeros(number, dtype=torch.float64).neg().tanh().numpy()))
