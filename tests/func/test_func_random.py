"""Random compositions of transforms of random functions, beside PyTorch's: derivatives to the third order, whatever the ways.

A function is a chain of STEPS from vectors to vectors, some of which write in place or stop recording; a plan is a list of
WAYS that each make another function of it.  It is called plainly, without recording, and with a gradient or a tangent of the
result asked for from outside.
"""

import importlib
import random
import warnings

import numpy as np
import pytest

import tensh

PROGRAMS = 150
ELEMENTS = 3


def write(m, x):
    y = x.clone()
    y.mul_(x)
    y[0] = y[1] * 2
    return y


def overwritten(m, x):
    y = x * 1
    z = y * y
    y.add_(1)
    return z + y


def unrecorded(m, x):
    with m.no_grad():
        factor = x.sin()
    return factor * x + x


STEPS = [
    lambda m, x: x * x, lambda m, x: x.sin(), lambda m, x: x.tanh() * x, lambda m, x: x.exp().log1p(), lambda m, x: x.cumsum(0),
    lambda m, x: x.flip(0) * x, lambda m, x: m.outer(x, x).sum(0), lambda m, x: x.softmax(0), lambda m, x: x.sort().values * x,
    lambda m, x: m.where(x > 0, x * 2, x**3), lambda m, x: m.stack([x, x * x]).mean(0), lambda m, x: m.cat([x[1:], x[:1]]) + x,
    lambda m, x: (m.outer(x, x) + m.eye(ELEMENTS, dtype=x.dtype) * 3).inverse() @ x, lambda m, x: x / (1 + x.norm()),
    lambda m, x: (x - x.mean()) / (x.var(0, unbiased=False) + 0.1).sqrt(), lambda m, x: x.detach() * x, write, overwritten,
    lambda m, x: x * x.prod(), lambda m, x: x.clamp(-0.5, 0.7) + x, lambda m, x: m.einsum("i,j->j", x, x.cos()), unrecorded,
    lambda m, x: x.expand(2, -1).sum(0), lambda m, x: m.logsumexp(m.outer(x, x), 1), lambda m, x: x.roll(1) * x.max(),
]  # fmt: skip
WAYS = {
    "grad": lambda m, f, v: lambda x: m.func.grad(lambda y: f(y).sum())(x),
    "jvp": lambda m, f, v: lambda x: m.func.jvp(f, (x,), (v,))[1],
    "jvp along itself": lambda m, f, v: lambda x: sum(m.func.jvp(f, (x,), (x,))),
    "vjp": lambda m, f, v: lambda x: pulled(*m.func.vjp(f, x)),
    "jacrev": lambda m, f, v: lambda x: rows(m.func.jacrev(f)(x)),
    "jacfwd": lambda m, f, v: lambda x: rows(m.func.jacfwd(f)(x)),
    "vmap": lambda m, f, v: lambda x: m.vmap(lambda a: f(x * a))(v).sum(0),
    "vmap of two": lambda m, f, v: lambda x: m.vmap(f)(m.stack([x, x * v])).sum(0),
    "grad of what knows x": lambda m, f, v: lambda x: m.func.grad(lambda y: (f(y) * x).sum())(x),
    "jvp of what knows x": lambda m, f, v: lambda x: m.func.jvp(lambda y: f(y) * x, (x,), (x,))[1],
}


def pulled(value, pull):
    return pull(value)[0]


def rows(jacobian):
    return jacobian.sum(tuple(range(jacobian.ndim - 1))) if jacobian.ndim > 1 else jacobian


def program(seed):
    """A random program, as data: steps, ways, how it is called, whether it knows a tensor ``w``."""
    rng = random.Random(seed)
    steps = [rng.randrange(len(STEPS)) for _ in range(rng.randint(1, 3))]
    ways = [rng.choice(list(WAYS)) for _ in range(rng.randint(1, 3))]
    how = rng.choice(["plainly", "without recording", "by x", "by w", "forward"])
    if how == "forward" and any("j" in way for way in ways):
        how = "plainly"  # PyTorch does not open two levels
    return steps, ways, how, how == "by w" or rng.random() < 0.3


def outcome(m, seed):
    """What a program gives in module ``m``: arrays."""
    steps, ways, how, known = program(seed)
    rng = np.random.RandomState(seed)
    x, v, w = (m.tensor(rng.uniform(-1, 1, ELEMENTS)) for _ in range(3))

    def function(x):
        for step in steps:
            x = STEPS[step](m, x)
        return x * w if known else x

    for way in ways:
        function = WAYS[way](m, function, v)
    if how in ("by x", "by w"):
        leaf = (x if how == "by x" else w).requires_grad_()
        result = function(x)
        found = m.autograd.grad(result.sum(), leaf, allow_unused=True)[0] if result.requires_grad else None
        return [result.detach().numpy(), np.zeros(ELEMENTS) if found is None else found.detach().numpy()]
    if how == "forward":
        fwAD = importlib.import_module(f"{m.__name__}.autograd.forward_ad")
        with fwAD.dual_level():
            value, tangent = fwAD.unpack_dual(function(fwAD.make_dual(x, v)))
            return [
                value.detach().numpy(),
                np.zeros_like(value.detach().numpy()) if tangent is None else tangent.numpy(),
            ]
    with m.set_grad_enabled(how == "plainly"):
        result = function(x)
    assert not result.requires_grad
    return [result.numpy()]


@pytest.mark.oracle
@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_random_program(seed):
    oracle = pytest.importorskip("torch")
    for m in (oracle, tensh):
        importlib.import_module(f"{m.__name__}.func")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = outcome(oracle, seed)
        except RuntimeError:
            return  # a limit of PyTorch's
        for one, two in zip(expected, outcome(tensh, seed), strict=True):
            np.testing.assert_allclose(two, one, 1e-6, 1e-8, err_msg=str(program(seed)))
