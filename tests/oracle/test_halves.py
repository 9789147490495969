"""Results and gradients of float16 and bfloat16 numbers are PyTorch's, bit by bit.

``halves.txt`` has the calls.  Their tensors are made by ``x`` (numbers), ``p`` (positive ones), ``u`` (between 0 and
1), ``k`` and ``kp`` (numbers and positive ones without a gradient), ``f`` (float32), ``i`` (integers below the first
argument) and ``b`` (bools). Lines that begin with ``~`` are called with ordinary numbers only, all others with wide,
mixed and special ones, too. Of lines that begin with ``≈`` the last digit is open, since the order of PyTorch's sums
depends on the processor.
"""

from pathlib import Path

import numpy as np
import pytest

import tensh

oracle = pytest.importorskip("torch")
pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings("ignore")]

LINES = Path(__file__).with_name("halves.txt").read_text(encoding="utf-8").splitlines()
CALLS = [line for line in LINES if not line.startswith("≈ ")]
SUMS = [line.removeprefix("≈ ") for line in LINES if line.startswith("≈ ")]
FINITE = [0.0, -0.0, 6e-8, -6e-8, 3e-5, -3e-5, 60000, -60000, 1e-3, 1, -1, 0.5, -0.5, 2, 1000, -1000, 7.3, -3.0]
SPECIAL = [*FINITE, np.inf, -np.inf, np.nan]
KINDS = {
    "ordinary": lambda rng, shape: rng.standard_normal(shape),
    "wide": lambda rng, shape: rng.standard_normal(shape) * 10.0 ** rng.integers(-4, 4, shape),
    "mixed": lambda rng, shape: np.where(
        rng.random(shape) < 0.3, rng.choice(FINITE, shape), rng.standard_normal(shape)
    ),
    "special": lambda rng, shape: rng.choice(SPECIAL, shape),
}


class Maker:
    """Makes the same tensors in module ``m`` as in any other; ``leaves`` are those with a gradient."""

    def __init__(self, m, dtype, kind):
        self.m, self.dtype, self.kind = m, getattr(m, dtype), kind
        self.rng, self.leaves = np.random.default_rng(5), []

    def values(self, shape):
        return KINDS[self.kind](self.rng, shape)

    def make(self, values, dtype=None):
        return self.m.tensor(np.asarray(values, np.float32).tolist(), dtype=dtype or self.dtype)

    def leaf(self, values, dtype=None):
        self.leaves.append(self.make(values, dtype).requires_grad_())
        return self.leaves[-1]

    def within(self, shape):
        ordinary = self.kind == "ordinary"
        return self.leaf(
            self.rng.random(shape) if ordinary else np.clip(np.abs(np.nan_to_num(self.values(shape))), 0, 1)
        )

    def names(self):
        return {
            "torch": self.m, "F": self.m.nn.functional, "nn": self.m.nn, "dtype": self.dtype, "inf": float("inf"),
            "x": lambda *shape: self.leaf(self.values(shape)),
            "p": lambda *shape: self.leaf(np.abs(self.values(shape))),
            "u": lambda *shape: self.within(shape),
            "k": lambda *shape: self.make(self.values(shape)),
            "kp": lambda *shape: self.make(np.abs(self.values(shape))),
            "f": lambda *shape: self.leaf(self.values(shape), self.m.float32),
            "i": lambda n, *shape: self.m.tensor(self.rng.integers(0, n, shape).tolist()),
            "b": lambda *shape: self.m.tensor((self.rng.random(shape) < 0.5).tolist()),
        }  # fmt: skip


def bits(m, t):
    """The dtype, the shape and the bits of a tensor, with one pattern for nan; None for a gradient of zeros."""
    if t is None or not t.numel():
        return None
    t = t.detach()
    name = str(t.dtype).rpartition(".")[2]
    if name in ("float16", "bfloat16"):
        t = m.where(m.isnan(t), m.tensor(float("nan"), dtype=t.dtype), t).contiguous().view(m.int16)
    return name, tuple(t.shape), repr(t.tolist())


def numbers(m, t):
    """The numbers of a tensor, as an array."""
    return t.detach().float().numpy()


def answer(m, call, dtype, kind, show=bits):
    """Return the outcome of a call in module ``m``: what ``show`` tells of results and gradients, or the error."""
    maker = Maker(m, dtype, kind)
    m.manual_seed(3)
    try:
        made = eval(call, maker.names())
        results = [t for t in ([made] if m.is_tensor(made) else made) if m.is_tensor(t)]
        found = [show(m, t) for t in results]
        ends = [t for t in results if t.requires_grad]
        if ends and maker.leaves:
            rng = np.random.default_rng(9)
            weights = [maker.make(rng.standard_normal(tuple(t.shape))).to(t.dtype) for t in ends]
            grads = m.autograd.grad(ends, maker.leaves, weights, allow_unused=True)
            found += [None if g is None else show(m, g) for g in grads]
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return found


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("call", CALLS)
def test_results_and_gradients_have_the_bits_of_pytorch(call, dtype):
    for kind in ["ordinary"] if call.startswith("~ ") else KINDS:
        found, expected = (answer(m, call.removeprefix("~ "), dtype, kind) for m in (tensh, oracle))
        assert found == expected, kind


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("call", SUMS)
def test_results_and_gradients_are_nearly_those_of_pytorch(call, dtype):
    found, expected = (answer(m, call, dtype, "ordinary", numbers) for m in (tensh, oracle))
    tolerance = 4 * tensh.finfo(getattr(tensh, dtype)).eps
    assert len(found) == len(expected) > 1
    for ours, theirs in zip(found, expected):
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)
