"""Random numbers: PyTorch's own, for every seed, and the generator's state with them."""

import copy
import math
import pickle
import sys
import threading
from fractions import Fraction

import numpy as np
import pytest

import tensh as torch
from tensh.engine.random import discrete, distributions, polynomials
from tensh.engine.random.generator import STATE, Generator, Uniforms
from tests.recorded.answers import read_answers
from tests.recorded.random_numbers import cases as random_cases
from tests.recorded.random_numbers.cases import CLOSE, EXACT, FILE, POLYNOMIALS, REFUSED, SEEDS

GOLDEN = read_answers(FILE)
ULPS = 8


def assert_close(expected, actual):
    """Assert equality to a few units in the last place, of the value or of 1 where that is more."""
    assert expected.shape == actual.shape and expected.dtype == actual.dtype
    if expected.dtype.kind in "fc":
        step = ULPS * float(np.finfo(expected.dtype).eps)
        np.testing.assert_allclose(actual, expected, rtol=step, atol=step)
    else:
        np.testing.assert_array_equal(actual, expected)


# ── as recorded from PyTorch ─────────────────────────────────────────────────
def test_every_draw_is_recorded():
    assert [*GOLDEN["exact"], *GOLDEN["close"], *GOLDEN["refused"]] == [*EXACT, *CLOSE, *REFUSED]


@pytest.mark.parametrize("code", EXACT)
def test_same_bits_as_recorded(code):
    seed, expected, state = GOLDEN["exact"][code]
    arrays, after = random_cases.run(torch, code, seed)
    assert random_cases.packed(arrays, exact=True) == expected
    assert random_cases.digest(after) == state


@pytest.mark.parametrize("code", CLOSE)
def test_same_numbers_as_recorded(code):
    seed, expected, state = GOLDEN["close"][code]
    arrays, after = random_cases.run(torch, code, seed)
    assert [dtype for dtype, _ in arrays] == [dtype for dtype, _, _ in expected]
    for (_, actual), (_, shape, data) in zip(arrays, expected, strict=True):
        assert list(actual.shape) == shape
        assert_close(random_cases.unpacked(data, actual), actual)
    assert random_cases.digest(after) == state


@pytest.mark.parametrize("code", POLYNOMIALS)
def test_normal_numbers_in_blocks_have_the_recorded_bits(code):
    seed, ((_, _, data),), _ = GOLDEN["close"][code]
    ((_, actual),), _ = random_cases.run(torch, code, seed)
    assert random_cases.unpacked(data, actual).tobytes() == actual.tobytes()


def test_polynomials_are_the_functions_they_stand_for():
    x = np.linspace(0, 1, 10001, dtype=np.float32)[1:]
    np.testing.assert_allclose(polynomials.log(x), np.log(x.astype(np.float64)), rtol=2e-7, atol=1e-9)
    angle = x * np.float32(6.2831855)
    cos, sin = polynomials.cos_and_sin(angle)
    np.testing.assert_allclose(cos, np.cos(angle.astype(np.float64)), atol=1e-7)
    np.testing.assert_allclose(sin, np.sin(angle.astype(np.float64)), atol=1e-7)


def test_large_and_small_tensors_have_the_same_normal_numbers():
    torch.manual_seed(0)
    large = torch.randn(distributions.BLOCK + 16)
    torch.manual_seed(0)
    small = torch.randn(1600)
    assert_close(small.numpy(), large.numpy()[:1600])


@pytest.mark.parametrize("code", REFUSED)
def test_refused_as_recorded_and_nothing_drawn(code):
    refused, untouched = random_cases.refusal(torch, code)
    assert refused == GOLDEN["refused"][code]
    assert untouched


# ── beside PyTorch ───────────────────────────────────────────────────────────
@pytest.mark.parametrize("code", [*EXACT, *CLOSE])
def test_same_as_pytorch_for_every_seed(oracle, code):
    for seed in SEEDS:
        expected, state = random_cases.run(oracle, code, seed)
        actual, after = random_cases.run(torch, code, seed)
        assert [dtype for dtype, _ in expected] == [dtype for dtype, _ in actual]
        for (_, one), (_, other) in zip(expected, actual, strict=True):
            if code in EXACT:
                assert one.tobytes() == other.tobytes()
            assert_close(one, other)
        assert state == after


# ── the generator ────────────────────────────────────────────────────────────
def draws(generator):
    """A few numbers of every kind of draw, and the state after them."""
    numbers = torch.rand(3, generator=generator), torch.randn(5, generator=generator)
    return [t.tolist() for t in numbers], generator.get_state().tolist()


@pytest.mark.parametrize("used", [0, 1, 3, 623, 624, 625, 5000])
def test_state_carries_over(used):
    one = Generator().manual_seed(5)
    one.words(used)
    torch.randn(used % 5, generator=one)  # an odd number leaves a normal number behind
    assert one.get_state().shape == (5056,)
    state, others = one.get_state(), [Generator(), one.clone_state(), copy.copy(one), copy.deepcopy(one)]
    others[0].set_state(state)
    others.append(pickle.loads(pickle.dumps(one)))
    expected = draws(one)
    assert all(draws(other) == expected for other in others)
    assert {other.initial_seed() for other in others} == {5}
    one.set_state(state)
    assert draws(one) == expected


def test_generators_are_apart():
    one, two = Generator(), Generator()
    assert one.initial_seed() == two.initial_seed() == 67280421310721
    torch.manual_seed(1)
    before = torch.get_rng_state().tolist()
    assert torch.rand(3, generator=one).tolist() == torch.rand(3, generator=two).tolist()
    assert torch.get_rng_state().tolist() == before
    assert isinstance(one.seed(), int) and one.initial_seed() != two.initial_seed()


def test_numbers_do_not_depend_on_how_many_are_drawn_at_a_time():
    for size in (10, 5000, 70000):
        whole, parts = Generator().manual_seed(3), Generator().manual_seed(3)
        assert whole.words(size).tolist() == [*parts.words(7), *parts.words(size - 7)]
        assert whole.words64(size).tolist() == [*parts.words64(size - 9), *parts.words64(9)]
        assert whole.word() == parts.words(1)[0]


def test_single_draws_give_back_what_they_do_not_take():
    one, other = Generator().manual_seed(3), Generator().manual_seed(3)
    for count in (0, 1, 64, 65, 1000):
        uniforms = Uniforms(one)
        taken = [uniforms.take() for _ in range(count)]
        uniforms.finish()
        expected = np.empty(count)
        if count:
            distributions.unit(expected, other)
        assert taken == expected.tolist()
        assert one._state() == other._state()


AHEAD = [*[("normal", 64)] * 12, ("single", 3), *[("normal", 32)] * 3, ("single", 5), *[("normal", 640)] * 3, ("double", 7),
         ("normal", 2048), ("normal", 16), ("double", 4001), ("normal", 16), ("double", 40), ("normal", 48)]  # fmt: skip
DRAWS = {
    "normal": (torch.randn, lambda words: distributions.standard_normals(words.astype(np.uint64))),
    "single": (torch.rand, lambda words: np.ldexp((words % 2**24).astype(np.float32), -24)),
    "double": (lambda size: torch.rand(size, dtype=torch.float64), lambda words: np.ldexp(words % 2**53, -53)),
}


def test_numbers_made_ahead_are_those_of_their_words():
    torch.manual_seed(3)
    apart = Generator().manual_seed(3)
    for kind, size in AHEAD:
        draw, expected = DRAWS[kind]
        words = apart.words64(size) if kind == "double" else apart.words(size)
        assert draw(size).tolist() == expected(words).tolist(), (kind, size)
        assert torch.default_generator._state() == apart._state()


def test_threads_share_one_stream():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # so that they meet in every step
    try:
        torch.manual_seed(2)
        drawn = []
        threads = [threading.Thread(target=lambda: drawn.extend(torch.rand(7) for _ in range(300))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    torch.manual_seed(2)
    assert sorted(torch.cat(drawn).tolist()) == sorted(torch.rand(7 * 300 * 4).tolist())


SHARED = (
    lambda: (torch.rand(7), torch.randn(16)),
    lambda: (torch.rand(7), torch.randn(16), torch.randn(3000)),
    lambda: (torch._standard_gamma(torch.ones(3)), torch.rand(2)),
    lambda: torch.manual_seed(1) and torch.rand(3),
    lambda: torch.set_rng_state(torch.get_rng_state()),
)


def test_threads_seed_draw_and_restore_one_stream():
    before, failures = sys.getswitchinterval(), []

    def repeat(function):
        try:
            for _ in range(1000):
                function()
        except Exception as error:
            failures.append(error)

    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=repeat, args=(function,)) for function in SHARED]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert not failures
    assert torch.default_generator.set_state(torch.get_rng_state()) is torch.default_generator


def test_fork_rng_goes_back():
    torch.manual_seed(0)
    torch.randn(1)
    before = torch.get_rng_state().tolist()
    with torch.random.fork_rng():
        torch.manual_seed(99)
    assert torch.get_rng_state().tolist() == before
    with torch.random.fork_rng(enabled=False):
        torch.rand(1)
    assert torch.get_rng_state().tolist() != before


def test_layout_of_the_state():
    assert STATE.itemsize == 5056


# ── how tensors are filled ───────────────────────────────────────────────────
def test_elements_are_filled_in_the_order_of_memory():
    torch.manual_seed(0)
    expected = torch.rand(5, 7)
    torch.manual_seed(0)
    array = np.zeros((5, 7), np.float32)
    torch.from_numpy(array.T).uniform_()
    assert array.tolist() == expected.tolist()


def test_gaps_are_left_alone():
    array = np.zeros(40, np.float32)
    torch.from_numpy(array[::2]).uniform_(1, 2)
    assert (array[1::2] == 0).all() and (array[::2] >= 1).all()


METHODS = {
    "uniform_": ("UniformBackward0", ()), "normal_": ("NormalBackward0", ()), "random_": ("RandomBackward2", ()),
    "bernoulli_": ("BernoulliBackward2", (0.5,)), "exponential_": ("ExponentialBackward0", ()),
    "cauchy_": ("CauchyBackward0", ()), "geometric_": ("GeometricBackward0", (0.5,)),
    "log_normal_": ("LogNormalBackward0", ()),
}  # fmt: skip


@pytest.mark.parametrize("name", METHODS)
def test_writing_in_place_is_recorded_and_stops_the_gradient(name):
    node, args = METHODS[name]
    leaf = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    x = leaf * 2
    assert getattr(x, name)(*args) is x
    assert x.grad_fn.name() == node
    x.sum().backward()
    assert leaf.grad.tolist() == [0, 0, 0]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        getattr(leaf, name)(*args)


def test_draws_from_tensors_have_the_nodes_of_pytorch():
    x = torch.tensor([0.5, 0.25], requires_grad=True)
    nodes = {
        "NormalBackward3": torch.normal(x, x), "NormalBackward1": torch.normal(x, 1.0),
        "NormalBackward2": torch.normal(1.0, x), "BernoulliBackward0": torch.bernoulli(x),
        "PoissonBackward0": torch.poisson(x),
    }  # fmt: skip
    for name, t in nodes.items():
        assert t.grad_fn.name() == name
        (gradient,) = torch.autograd.grad(t.sum(), x)
        assert gradient.tolist() == [0, 0]
    with pytest.raises(RuntimeError, match="derivative for aten::binomial is not implemented"):
        torch.binomial(torch.tensor([3.0, 3.0]), x).sum().backward()


# ── the arithmetic ───────────────────────────────────────────────────────────
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_fused_rounds_once(dtype):
    generator = np.random.default_rng(0)
    x = generator.random(300).astype(dtype)
    scale, shift = dtype(0.7) - dtype(0.1), dtype(0.1)
    exact = [float(Fraction(float(v)) * Fraction(float(scale)) + Fraction(float(shift))) for v in x]
    distributions.fuse_scale_shift(x, scale, shift)
    assert x.tolist() == np.array(exact, dtype).tolist()


def one_swap_after_another(n, targets):
    numbers = list(range(n))
    for step, target in enumerate(targets):
        numbers[step], numbers[target] = numbers[target], numbers[step]
    return numbers


@pytest.mark.parametrize("n", [2, 3, 5, 20, 300])
def test_swaps_at_once_are_swaps_one_by_one(n):
    generator, steps = np.random.default_rng(n), np.arange(n - 1)
    for _ in range(50):
        targets = generator.integers(steps, n)
        assert discrete._swap_many(n, steps, targets).tolist() == one_swap_after_another(n, targets)


def test_huge_permutations_read_64_bits_a_number(monkeypatch):
    monkeypatch.setattr(discrete, "SHUFFLE64", 10)
    numbers, words = [], Generator().manual_seed(1).words64(50).tolist()
    for step, word in enumerate(words):
        target = word % (step + 1)
        numbers.append(step)
        numbers[step], numbers[target] = numbers[target], step
    assert discrete.permutation(50, Generator().manual_seed(1)).tolist() == numbers


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("number", [16, 200, 40_000])
def test_normal_numbers_of_infinite_spread_or_mean_are_infinite(dtype, number):
    torch.manual_seed(0)
    spread = torch.empty(number, dtype=dtype).normal_(0.0, math.inf)
    assert torch.isinf(spread).all() and (spread > 0).any() and (spread < 0).any()
    assert (torch.empty(number, dtype=dtype).normal_(math.inf, 1.0) == math.inf).all()


@pytest.mark.parametrize(
    ("short", "whole"),
    [
        (lambda g: torch.rand(3, 4), lambda g: torch.rand(3, 4, generator=g)),
        (lambda g: torch.rand([300]), lambda g: torch.rand([300], generator=g)),
        (lambda g: torch.randn(40), lambda g: torch.randn(40, generator=g)),
        (lambda g: torch.randint(7, (3, 4)), lambda g: torch.randint(7, (3, 4), generator=g)),
        (lambda g: torch.randint(-3, 2**40, (300,)), lambda g: torch.randint(-3, 2**40, (300,), generator=g)),
        (lambda g: torch.randperm(9), lambda g: torch.randperm(9, generator=g)),
        (lambda g: torch.bernoulli(CHANCES), lambda g: torch.bernoulli(CHANCES, generator=g)),
        (lambda g: torch.bernoulli(CHANCES.t()), lambda g: torch.bernoulli(CHANCES.t(), generator=g)),
    ],
)
def test_calls_without_keywords_draw_what_others_draw(short, whole):
    generator = torch.manual_seed(5)
    one = short(generator)
    torch.manual_seed(5)
    other = whole(generator)
    assert one.dtype is other.dtype and one.tolist() == other.tolist()


CHANCES = torch.arange(12).reshape(3, 4) / 11


@pytest.mark.parametrize("draw", ["rand", "randn"])
def test_keywords_draw_what_the_generator_would(draw):
    for size in (5, 64):
        expected = getattr(torch, draw)(size, generator=Generator().manual_seed(4))
        for given in ({"requires_grad": True}, {"dtype": torch.float32, "device": "cpu"}, {"out": torch.empty(size)}):
            torch.manual_seed(4)
            drawn = getattr(torch, draw)(size, **given)
            assert drawn.tolist() == expected.tolist() and drawn.requires_grad is given.get("requires_grad", False)
        torch.manual_seed(4)
        like = getattr(torch, f"{draw}_like")(expected, requires_grad=True)
        assert like.tolist() == expected.tolist() and like.is_leaf
