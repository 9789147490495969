"""Forward accumulation, for every operator by the same tests: its result is the transpose of that of backward.

No operator has a separate forward rule; all samples of tests/recorded/operators run here.
"""

import threading
import weakref

import numpy as np
import pytest

import tensh as torch
from tensh import func
from tensh.autograd import forward_ad as fwAD
from tensh.engine.core.clock import listeners, mode
from tests.recorded.operators import resolve, tensor
from tests.support.operators import STEP, each_operator, product, some_operators


def directions(rng, arrays):
    """A random array of the shape and dtype of each."""
    made = []
    for a in arrays:
        values = rng.standard_normal(a.shape)
        made.append(np.asarray(values + 1j * rng.standard_normal(a.shape) if a.dtype.kind == "c" else values, a.dtype))
    return made


def tensors(arrays):
    return tuple(torch.tensor(a) for a in arrays)


def varied(name, call):
    """Return (the call as a function of its differentiable tensors, their arrays); the same random numbers at every call."""
    made = call.arrays(prefix=name)

    def function(*args):
        torch.manual_seed(0)
        rest = iter(args)
        chosen = [next(rest) if a.differentiable else tensor(torch, array, dtype) for a, dtype, array in made]
        args, kwargs = call.filled(chosen)
        return joined(resolve(torch, name)(*args, **kwargs))

    return function, [array for argument, _, array in made if argument.differentiable]


def joined(result):
    """A result with several differentiable tensors as one."""
    if not isinstance(result, (tuple, list)):
        return result
    parts = [t for t in result if isinstance(t, torch.Tensor) and (t.is_floating_point() or t.is_complex())]
    return parts[0] if len(parts) == 1 else torch.cat([t.reshape(-1) for t in parts]) if parts else result


def derived(function, arrays, rng, graph=False):
    """Return (leaves, result, weight, gradients) of the function, by a backward pass; None if it has no derivative."""
    leaves = [torch.tensor(a).requires_grad_() for a in arrays]
    try:
        out = function(*leaves)
        if not arrays or not isinstance(out, torch.Tensor) or not out.requires_grad:
            return None
        (weight,) = directions(rng, [out.detach().numpy()])
        return (
            leaves,
            out,
            weight,
            torch.autograd.grad(out, leaves, torch.tensor(weight), None, graph, allow_unused=True),
        )
    except (RuntimeError, NotImplementedError):
        return None


def total(ones, others):
    """The scalar product of two lists of arrays or tensors, without pairs that lack one."""
    pairs = (
        (np.asarray(a.detach()) if isinstance(a, torch.Tensor) else a, b) for a, b in zip(ones, others, strict=True)
    )
    return sum(product(a, b) for a, b in pairs if a is not None)


def underived_twice(function, arrays, rng):
    """Has the derivative no derivative, as in PyTorch?"""
    leaves, _, _, grads = derived(function, arrays, rng, graph=True)
    parts = [g for g in grads if g is not None and g.requires_grad]
    try:
        torch.autograd.grad(parts, leaves, [torch.ones_like(g) for g in parts], allow_unused=True)
    except RuntimeError as error:
        return "is not implemented" in str(error)
    return False


def forward(function, arrays, tangents):
    """Return (the values of a function, the tangent of its result), by dual tensors."""
    with fwAD.dual_level():
        out = function(*(fwAD.make_dual(*pair) for pair in zip(tensors(arrays), tensors(tangents), strict=True)))
        value, tangent = fwAD.unpack_dual(out)
        assert not out.requires_grad and out.grad_fn is None and out.is_leaf
    assert not out.requires_grad and out.node is None
    return value, tangent


@pytest.mark.filterwarnings("ignore")  # deprecated operators say so
@some_operators
def test_forward_is_backward_transposed(name, calls, golden):
    """<u, J t> = <J' u, t>, and the values are the same."""
    rng = np.random.default_rng(0)
    for number, call in enumerate(calls):
        function, arrays = varied(name, call)
        found = derived(function, arrays, rng)
        if found is None:
            continue
        _, out, weight, grads = found
        tangents = directions(rng, arrays)
        try:
            value, tangent = forward(function, arrays, tangents)
        except NotImplementedError as error:
            assert str(error).startswith("Trying to use forward AD with ") and underived_twice(function, arrays, rng)
            continue
        np.testing.assert_array_equal(value.numpy(), out.detach().numpy())
        assert tangent.dtype == value.dtype and tangent.shape == value.shape
        where = f"{name}, call {number}"
        expected = pytest.approx(total(grads, tangents), rel=1e-7, abs=1e-9, nan_ok=True)
        assert product(weight, tangent.numpy()) == expected, where


@some_operators
def test_tangents_are_slopes(name, calls, golden):
    """The tangent is the slope of the values in its direction."""
    rng = np.random.default_rng(1)
    for number, call in enumerate(calls):
        function, arrays = varied(name, call)
        found = derived(function, arrays, rng) if call.smooth else None
        if found is None or underived_twice(function, arrays, rng):
            continue
        tangents = directions(rng, arrays)
        ends = [function(*tensors(a + h * t for a, t in zip(arrays, tangents, strict=True))) for h in (STEP, -STEP)]
        slope = (ends[0].numpy() - ends[1].numpy()) / (2 * STEP)
        tangent = forward(function, arrays, tangents)[1].numpy()
        np.testing.assert_allclose(tangent, slope, rtol=1e-4, atol=1e-6, err_msg=f"{name}, call {number}")


@pytest.mark.thorough
@each_operator
def test_every_order_of_two_passes_gives_one_second_derivative(name, calls, golden):
    """Along two directions: backward twice, forward through backward, forward twice."""
    rng = np.random.default_rng(2)
    for number, call in enumerate(calls):
        function, arrays = varied(name, call)
        if not call.smooth or derived(function, arrays, rng) is None or underived_twice(function, arrays, rng):
            continue
        leaves, _, weight, grads = derived(function, arrays, rng, graph=True)
        one, two = directions(rng, arrays), directions(rng, arrays)
        parts = [(g, torch.tensor(v)) for g, v in zip(grads, one, strict=True) if g is not None and g.requires_grad]
        second = [None] * len(leaves)
        if parts:
            second = torch.autograd.grad([g for g, _ in parts], leaves, [v for _, v in parts], allow_unused=True)
        expected = pytest.approx(total(second, two), rel=1e-6, abs=1e-8, nan_ok=True)
        u = torch.tensor(weight)

        def gradient(*xs, function=function, u=u):
            return func.vjp(function, *xs)[1](u)

        def tangent(*xs, function=function, one=one):
            return func.jvp(function, xs, tensors(one))[1]

        xs = tensors(arrays)
        assert total(func.jvp(gradient, xs, tensors(two))[1], one) == expected, f"{name}, call {number}"
        assert product(weight, func.jvp(tangent, xs, tensors(two))[1].numpy()) == expected, f"{name}, call {number}"


@pytest.mark.thorough
@each_operator
def test_jacobians_by_rows_and_by_columns_are_the_same(name, calls, golden):
    """Rows and columns are the same matrix, whether they are computed together or one by one."""
    rng = np.random.default_rng(3)
    function, arrays = varied(name, calls[0])
    found = derived(function, arrays, rng)
    if found is None or underived_twice(function, arrays, rng):
        return
    out = found[1].detach().numpy()
    if any(a.dtype.kind == "c" for a in (out, *arrays)) or max(out.size, sum(a.size for a in arrays)) > 40:
        return
    xs, numbers = tensors(arrays), tuple(range(len(arrays)))
    alone = func.jacrev(function, numbers, chunk_size=1)(*xs)
    for together in (func.jacrev(function, numbers)(*xs), func.jacfwd(function, numbers, randomness="same")(*xs)):
        for a, b in zip(alone, together, strict=True):
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-7, atol=1e-9, err_msg=name)


# ── what is left behind ──────────────────────────────────────────────────────
def fail(*args):
    raise KeyError("in the function")


TRANSFORMS = {
    "grad": lambda f, x: func.grad(f)(x),
    "vjp": lambda f, x: func.vjp(f, x),
    "jvp": lambda f, x: func.jvp(f, (x,), (x,)),
    "jacrev": lambda f, x: func.jacrev(f)(x),
    "jacfwd": lambda f, x: func.jacfwd(f)(x),
    "hessian": lambda f, x: func.hessian(f)(x),
    "linearize": lambda f, x: func.linearize(f, x),
    "nested": lambda f, x: func.jvp(func.grad(lambda y: func.jvp(f, (y,), (y,))[0]), (x,), (x,)),
}


@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize("function", [fail, lambda x: (x * x).sum()], ids=["fails", "returns"])
def test_nothing_stays_switched_on(name, function):
    before = list(listeners), mode.grad
    try:
        TRANSFORMS[name](function, torch.tensor([1.0, 2.0]))
    except KeyError:
        assert function is fail
    assert (list(listeners), mode.grad) == before
    assert (mode.levels, mode.off, mode.held, mode.forward, mode.transforms) == ((), False, None, True, ())


def test_a_level_keeps_no_history():
    """Values and tangents without references are freed at once."""
    with fwAD.dual_level():
        x = fwAD.make_dual(torch.ones(2), torch.ones(2))
        y = x.exp()
        value, tangent = weakref.ref(y), weakref.ref(fwAD.unpack_dual(y).tangent)
        y = y.sin() * y
        assert value() is None and tangent() is None


def test_a_level_belongs_to_its_thread():
    seen = []
    with fwAD.dual_level():
        x = fwAD.make_dual(torch.ones(2), torch.ones(2))
        thread = threading.Thread(target=lambda: seen.append((fwAD.unpack_dual(torch.ones(2) * 2), mode.levels)))
        thread.start()
        thread.join()
        assert fwAD.unpack_dual(x * 2).tangent is not None
    assert seen[0][0].tangent is None and seen[0][1] == ()


def test_results_are_leaves_without_history_unless_something_outside_wants_a_gradient():
    x, w = torch.tensor([1.0, 2.0]), torch.tensor(3.0, requires_grad=True)
    for name in ("grad", "hessian", "jacrev", "jacfwd"):
        assert TRANSFORMS[name](lambda x: (x**3).sum(), x).node is None
        result = TRANSFORMS[name](lambda x: (x**3).sum() * w, x)
        assert result.requires_grad and not TRANSFORMS[name](lambda x: (x**3).sum() * w.detach(), x).requires_grad
        (g,) = torch.autograd.grad(result.sum(), w)
        with torch.no_grad():
            assert not TRANSFORMS[name](lambda x: (x**3).sum() * w, x).requires_grad
        np.testing.assert_allclose(g.numpy(), result.detach().numpy().sum() / 3)
    assert w.grad is None
