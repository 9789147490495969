"""Special functions: exact values (tests/recorded/special), and values at the ends of their domains."""

import math
from math import inf, nan

import numpy as np
import pytest

import tensh as torch
from tests.recorded.answers import read_answers
from tests.support.project import RECORDED

EXACT = read_answers(RECORDED / "special" / "special.json")
LIMITS = {
    "log_ndtr": 2, "zeta": 8, "gammainc": 900, "gammaincc": 900, "airy_ai": 900, "hermite": 20, "laguerre": 20, "legendre": 20, "chebyshev": 60,
    "i0": 4, "i1": 4, "modified": 10, "scaled": 10, "bessel": 60,
}  # fmt: skip
"""The beginning of a name -> the largest error in ulp; 1 for all others, which are rounded once."""


def evaluate(m, name, arguments):
    """The function at numbers, computed together in float64."""
    columns = [m.tensor(column, dtype=m.float64) for column in zip(*arguments, strict=True)]
    return getattr(m.special, name)(*columns).numpy()


def errors(m, name):
    """The errors at the recorded points in ulp: of functions that cross zero, in ulp of 1 where the result is smaller."""
    arguments, expected = map(np.array, zip(*EXACT[name], strict=True))
    crossing = name.startswith(("bessel", "airy", "digamma", "chebyshev", "hermite", "laguerre", "legendre"))
    unit = np.spacing(np.maximum(np.abs(expected), 1) if crossing else np.abs(expected))
    return np.abs(evaluate(m, name, arguments) - expected) / unit, arguments


@pytest.mark.parametrize("name", EXACT)
def test_digits_at_recorded_points(name):
    found, arguments = errors(torch, name)
    limit = next((limit for start, limit in LIMITS.items() if name.startswith(start)), 1)
    assert found.max() <= limit, f"{name}{arguments[found.argmax()]}: {found.max():.3g} ulp"


@pytest.mark.oracle
@pytest.mark.parametrize("name", EXACT)
def test_errors_are_at_most_twice_those_of_pytorch(name):
    """Allow twice PyTorch's largest error, or a unit in the last place."""
    ours, theirs = (errors(m, name)[0].max() for m in (torch, pytest.importorskip("torch")))
    assert ours <= max(2 * theirs, 1)


ENDS = {
    "airy_ai": {-inf: nan, inf: nan, nan: nan, 1e10: 0.0},
    "bessel_j0": {-inf: nan, inf: nan, nan: nan, 0.0: 1.0},
    "bessel_j1": {-inf: nan, inf: nan, nan: nan, 0.0: 0.0},
    "bessel_y0": {-1.0: nan, 0.0: -inf, inf: nan, nan: nan},
    "bessel_y1": {-1.0: nan, 0.0: -inf, inf: nan, nan: nan},
    "spherical_bessel_j0": {-inf: 0.0, 0.0: 1.0, inf: 0.0, nan: nan},
    "i0": {-1e10: inf, 0.0: 1.0, 1e10: inf, inf: nan, nan: nan},
    "i0e": {-inf: 0.0, 0.0: 1.0, inf: 0.0, nan: nan},
    "i1": {-1e10: -inf, 0.0: 0.0, 1e10: inf, inf: nan, nan: nan},
    "i1e": {-inf: 0.0, 0.0: 0.0, inf: 0.0, nan: nan},
    "modified_bessel_k0": {-1.0: nan, 0.0: inf, inf: 0.0, nan: nan},
    "modified_bessel_k1": {-1.0: nan, 0.0: inf, inf: 0.0, nan: nan},
    "scaled_modified_bessel_k0": {-1.0: nan, 0.0: inf, inf: 0.0, nan: nan},
    "scaled_modified_bessel_k1": {-1.0: nan, 0.0: inf, inf: 0.0, nan: nan},
    "erf": {-inf: -1.0, 0.0: 0.0, inf: 1.0, nan: nan},
    "erfc": {-inf: 2.0, 0.0: 1.0, inf: 0.0, nan: nan},
    "erfcx": {-inf: inf, 0.0: 1.0, inf: 0.0, nan: nan},
    "erfinv": {-1.0: -inf, 0.0: 0.0, 1.0: inf, 1.5: nan, nan: nan},
    "ndtr": {-inf: 0.0, 0.0: 0.5, inf: 1.0, nan: nan},
    "ndtri": {-0.5: nan, 0.0: -inf, 0.5: 0.0, 1.0: inf, 1.5: nan, nan: nan},
    "log_ndtr": {-inf: -inf, inf: 0.0, nan: nan},
    "gammaln": {-inf: inf, -1.0: inf, 0.0: inf, 1.0: 0.0, inf: inf, nan: nan},
    "digamma": {-inf: nan, -1.0: nan, -0.0: inf, inf: inf, nan: nan},
    "zeta": {(1.0, 2.0): inf, (0.5, 2.0): nan, (2.0, 0.0): inf, (2.0, -3.0): inf, (2.5, -2.5): nan, (2.0, nan): nan},
    "gammainc": {(-1.0, 1.0): nan, (1.0, -1.0): nan, (0.0, 0.0): nan, (0.0, 1.0): 1.0, (2.0, 0.0): 0.0,
                 (inf, 1.0): 0.0, (2.0, inf): 1.0, (inf, inf): nan, (1.0, nan): nan},
    "gammaincc": {(-1.0, 1.0): nan, (1.0, -1.0): nan, (0.0, 0.0): nan, (0.0, 1.0): 0.0, (2.0, 0.0): 1.0,
                  (inf, 1.0): 1.0, (2.0, inf): 0.0, (inf, inf): nan, (1.0, nan): nan},
    "hermite_polynomial_h": {(2.0, -1.0): 0.0, (2.0, 2.9): 14.0, (2.0, nan): 0.0, (nan, 3.0): nan, (inf, 2.0): inf},
    "legendre_polynomial_p": {(0.5, 2000.0): -0.0049607028565, (-1.0, 7.0): -1.0},
    "chebyshev_polynomial_t": {(2.0, 2000.0): nan, (0.3, 2000.0): 0.9965024376},
}  # fmt: skip
"""name -> arguments -> value"""


def assert_ends(m, name):
    arguments = [key if isinstance(key, tuple) else (key,) for key in ENDS[name]]
    np.testing.assert_allclose(evaluate(m, name, arguments), list(ENDS[name].values()), 1e-6, 1e-12)


@pytest.mark.parametrize("name", ENDS)
def test_special_functions_have_their_limits_at_the_ends(name):
    assert_ends(torch, name)


@pytest.mark.oracle
@pytest.mark.parametrize("name", ENDS)
def test_ends_are_those_of_pytorch(name):
    assert_ends(pytest.importorskip("torch"), name)


def test_any_size_and_order():
    """The result for many elements at once, in any order of dimensions, is that for each."""
    x = torch.linspace(-40, 40, 30000, dtype=torch.float64).reshape(100, 300)
    for name in ("erf", "erfcx", "i1e", "bessel_j0", "airy_ai", "digamma", "log_ndtr"):
        function = getattr(torch.special, name)
        whole = function(x)
        np.testing.assert_array_equal(function(x.T).T.numpy(), whole.numpy(), name)
        assert function(x.T).stride() == x.T.stride()
        np.testing.assert_allclose(function(x[7, :50]).numpy(), whole[7, :50].numpy(), 1e-14, 1e-15, err_msg=name)


def test_without_a_derivative():
    p = torch.ones(2, requires_grad=True)
    for name, call in {
        "igamma: input": lambda: torch.igamma(p, torch.ones(2)),
        "igammac: input": lambda: torch.igammac(p, torch.ones(2)),
        "zeta": lambda: torch.special.zeta(p + 1, 2),
    }.items():
        with pytest.raises(NotImplementedError, match=f"^the derivative for '{name}' is not implemented.$"):
            call().sum().backward()
    assert not torch.special.bessel_j0(p).requires_grad


# ── degrees and counts without an end ────────────────────────────────────────
MANY = 70_001  # more degrees than those for which kernels follow the recurrence


def by_recurrence(x, second, step):
    """Return a polynomial of the degree ``MANY`` by its recurrence, in Python's numbers."""
    before, last = 1.0, second
    for k in range(2, MANY + 1):
        before, last = last, step(k, before, last)
    return last


RECURRENCES = {
    "legendre_polynomial_p": (
        lambda x: x,
        lambda x: lambda k, before, last: ((2 * k - 1) * x * last - (k - 1) * before) / k,
    ),
    "laguerre_polynomial_l": (
        lambda x: 1 - x,
        lambda x: lambda k, before, last: ((2 * k - 1 - x) * last - (k - 1) * before) / k,
    ),
    "chebyshev_polynomial_t": (lambda x: x, lambda x: lambda k, before, last: 2 * x * last - before),
    "chebyshev_polynomial_u": (lambda x: 2 * x, lambda x: lambda k, before, last: 2 * x * last - before),
    "chebyshev_polynomial_v": (lambda x: 2 * x - 1, lambda x: lambda k, before, last: 2 * x * last - before),
    "chebyshev_polynomial_w": (lambda x: 2 * x + 1, lambda x: lambda k, before, last: 2 * x * last - before),
}


@pytest.mark.parametrize("name", RECURRENCES)
@pytest.mark.parametrize("x", [0.3, -0.7, 1.0, -1.0, 1.00000001, -1.00000001, 0.0, 0.9999])
def test_polynomials_of_many_degrees_are_those_of_the_recurrence(name, x):
    second, step = RECURRENCES[name]
    found = getattr(torch.special, name)(torch.tensor(x, dtype=torch.float64), MANY).item()
    assert found == pytest.approx(by_recurrence(x, second(x), step(x)), rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("name", [name for name in dir(torch.special) if "polynomial" in name])
def test_polynomials_of_any_degree_end(name):
    found = getattr(torch.special, name)(torch.tensor([0.5, 1.0, -1.0, 1.5, 0.0]), 2**60)
    assert found.shape == (5,)


def test_mvlgamma_of_many_terms_is_their_sum():
    x, p = torch.tensor([700.5, 1000.0], dtype=torch.float64), 1000
    terms = [torch.lgamma(x - j / 2) for j in range(p)]
    assert torch.allclose(torch.mvlgamma(x, p), sum(terms) + p * (p - 1) / 4 * math.log(math.pi), rtol=1e-12)


@pytest.mark.parametrize("decimals", [10**9, -(10**9), 309, -309])
def test_rounding_beyond_all_digits_ends(decimals):
    assert torch.round(torch.tensor([1.5, 0.0], dtype=torch.float64), decimals=decimals).isnan().all()


# ── pieces and sums of many numbers ──────────────────────────────────────────
SMOOTH = {  # functions of float64 that are computed in pieces -> the ends of these
    "digamma": np.arange(1, 10, 1 / 64), "lgamma": np.arange(0.5, 10, 1 / 64), "special.erfcx": 128 / np.arange(1.0, 64) - 2,
}  # fmt: skip


@pytest.mark.parametrize("name", SMOOTH)
def test_pieces_meet(name):
    """Between neighbours on both sides of an end the function changes by little more than its argument does."""
    x = torch.tensor(SMOOTH[name])
    below, above = (torch.nextafter(x, x + sign) for sign in (-1, 1))
    values = evaluate_by_name(name, torch.cat([below, x, above])).reshape(3, -1)
    assert ((values - values[1]).abs() <= 3 * torch.finfo(torch.float64).eps * (values[1].abs() + x)).all()


def evaluate_by_name(name, x):
    function = torch
    for part in name.split("."):
        function = getattr(function, part)
    return function(x)


@pytest.mark.parametrize(
    "name", ["digamma", "lgamma", "special.erfcx", "special.log_ndtr", "special.erfc", "special.ndtri"]
)
def test_a_number_among_many_has_the_value_that_it_has_alone(name):
    x = torch.tensor(np.random.default_rng(0).uniform(0.001, 0.999 if name == "special.ndtri" else 14, 3000))
    alone = torch.cat([evaluate_by_name(name, part) for part in x.split(30)])
    np.testing.assert_allclose(evaluate_by_name(name, x).numpy(), alone.numpy(), 4e-16, 4e-16)


@pytest.mark.parametrize("name", ["gammainc", "gammaincc"])
@pytest.mark.parametrize("dtype, digits", [(torch.float32, 1e-6), (torch.float64, 1e-13)])
def test_parts_of_many_gamma_distributions_are_those_of_few(name, dtype, digits):
    """Sums go on until the last of many numbers needs no further term."""
    rng = np.random.default_rng(0)
    a, x = (torch.tensor(rng.uniform(0.01, high, 4000), dtype=dtype) for high in (30, 40))
    function = getattr(torch.special, name)
    alone = torch.cat([function(*parts) for parts in zip(a.split(20), x.split(20), strict=True)])
    np.testing.assert_allclose(function(a, x).numpy(), alone.numpy(), digits)
