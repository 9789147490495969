"""Every operator of the table, by the same tests; the cases are data in tests/recorded/operators.

Results, gradients and dtypes are PyTorch's, recorded in tests/recorded/operators; derivatives of the first and second order
agree with differences of values; ``out=``, in-place forms, methods and strided inputs give the results of the function.
"""

import functools
import gc
import json
import weakref

import numpy as np
import pytest

import tensh as torch
from tensh.engine.codegen.registry import METHODS, PUBLIC
from tensh.engine.codegen.vocabulary import OPS
from tests.recorded.operators import resolve, tensor
from tests.recorded.operators.record import answer, in_dtypes, weights
from tests.support.operators import FAMILIES, STEP, each_operator, product, some_operators
from tests.support.project import ROOT

# deprecated operators say so; operands by position beyond the second are errors in a later NumPy
pytestmark = pytest.mark.filterwarnings("ignore", "error:Passing more than 2 positional")

OF_MEMORY = {name for f in FAMILIES for name in getattr(f, "OF_MEMORY", ())}
RESHAPED = {name for f in FAMILIES for name in getattr(f, "RESHAPED", ())}
TOLERANCE = {
    "float16": 2e-3, "bfloat16": 2e-2, "float32": 3e-6, "float64": 1e-9, "complex32": 2e-3, "complex64": 6e-6,
    "complex128": 1e-9,
}  # fmt: skip


def assert_same(expected, actual, where):
    """Two answers, as ``record.answer`` gives them."""
    if isinstance(expected, dict):
        assert expected.keys() == actual.keys(), where
        for key in expected:
            assert_same(expected[key], actual[key], f"{where}, {key}")
    elif isinstance(expected, list) and expected and isinstance(expected[0], str):
        assert expected[:2] == actual[:2], f"{where}: {actual[:2]} instead of {expected[:2]}"
        tolerance = TOLERANCE.get(expected[0], 0)
        same = np.allclose(
            np.array(expected[2], float), np.array(actual[2], float), tolerance, tolerance, equal_nan=True
        )
        assert same, f"{where}: {actual[2]} instead of {expected[2]}"
    elif isinstance(expected, list):
        assert isinstance(actual, list) and len(expected) == len(actual), f"{where}: {actual} instead of {expected}"
        for number, (one, two) in enumerate(zip(expected, actual, strict=True)):
            assert_same(one, two, f"{where} {number}")
    else:
        assert expected == actual, where


@each_operator
def test_results_and_gradients(name, calls, golden):
    """They are PyTorch's."""
    for number, (each, expected) in enumerate(zip(calls, golden["calls"], strict=True)):
        assert_same(expected, answer(torch, name, each), f"{name}, call {number}")


@each_operator
def test_results_in_every_dtype(name, calls, golden):
    """Every dtype gives PyTorch's dtype and numbers, or its type of error."""
    assert_same(golden["dtypes"], in_dtypes(torch, name, calls[0]), name)


@pytest.mark.oracle
@each_operator
def test_recorded_calls_are_what_pytorch_answers(name, calls, golden):
    """What is recorded is what PyTorch answers."""
    oracle = pytest.importorskip("torch")
    actual = {"calls": [answer(oracle, name, each) for each in calls], "dtypes": in_dtypes(oracle, name, calls[0])}
    assert_same(json.loads(json.dumps(actual)), golden, name)


# ── derivatives against differences ──────────────────────────────────────────


def assert_slopes(function, arrays, order, where):
    """The gradients of ``function`` (of tensors) at ``arrays``, and theirs, are the slopes of its values."""
    leaves = [torch.tensor(a).requires_grad_() for a in arrays]
    out = function(*leaves)
    if not out.requires_grad:
        return
    weight = weights(torch, out)
    grads = torch.autograd.grad(out, leaves, weight, create_graph=True, allow_unused=True)
    rng = np.random.default_rng(len(arrays))
    steps = [
        rng.standard_normal(a.shape) + (1j * rng.standard_normal(a.shape) if a.dtype.kind == "c" else 0) for a in arrays
    ]
    sides = [function(*(torch.tensor(a + h * s) for a, s in zip(arrays, steps, strict=True))) for h in (STEP, -STEP)]
    high, low = (product(weight.numpy(), side.detach().numpy()) for side in sides)
    slope = sum(product(g.detach().numpy(), s) for g, s in zip(grads, steps, strict=True) if g is not None)
    assert slope == pytest.approx((high - low) / (2 * STEP), rel=1e-5, abs=1e-7), where
    if order > 1:
        for number, g in enumerate(grads):
            if g is not None and g.requires_grad:
                assert_slopes(
                    functools.partial(gradient, function, number, weight), arrays, order - 1, f"{where}, again"
                )


def gradient(function, number, weight, *tensors):
    """One of the gradients of ``function``, as a function of its tensors."""
    tensors = [t if t.requires_grad else t.requires_grad_() for t in tensors]
    return torch.autograd.grad(function(*tensors), tensors[number], weight, create_graph=True)[0]


@some_operators
def test_first_and_second_derivatives(name, calls, golden):
    """Derivatives of the first and second order are the slopes of the values."""
    for number, each in enumerate(calls):
        made = each.arrays(prefix=name)
        varied = [array for argument, _, array in made if argument.differentiable]
        if each.smooth and varied:
            assert_slopes(with_others_fixed(name, each, made), varied, 2, f"{name}, call {number}")


def with_others_fixed(name, call, made):
    """The call as a function of its differentiable tensors, with one tensor as its result."""

    def function(*tensors):
        rest = iter(tensors)
        chosen = [next(rest) if a.differentiable else tensor(torch, array, dtype) for a, dtype, array in made]
        args, kwargs = call.filled(chosen)
        result = resolve(torch, name)(*args, **kwargs)
        return result[0] if isinstance(result, (tuple, list)) else result

    return function


@some_operators
def test_a_gradient_alone_is_the_one_among_all(name, calls, golden):
    """So are its own gradients in all inputs."""
    options = {"retain_graph": True, "allow_unused": True}
    for each in calls:
        made = each.arrays(prefix=name)
        leaves = [torch.tensor(array).requires_grad_() for argument, _, array in made if argument.differentiable]
        out = with_others_fixed(name, each, made)(*leaves) if len(leaves) > 1 else None
        if not getattr(out, "requires_grad", False):
            continue
        weight = weights(torch, out)
        try:
            together = torch.autograd.grad(out, leaves, weight, create_graph=True, **options)
        except RuntimeError as error:
            assert "is not implemented" in str(error)
            continue
        for leaf, expected in zip(leaves, together, strict=True):
            assert_close(expected, torch.autograd.grad(out, leaf, weight, **options)[0])
            (alone,) = torch.autograd.grad(out, leaf, weight, create_graph=True, **options)
            assert (alone is not None and alone.requires_grad) == (expected is not None and expected.requires_grad)
            if alone is not None and alone.requires_grad:
                second = [torch.autograd.grad(g.abs().sum(), leaves, **options) for g in (expected, alone)]
                for one, two in zip(*second, strict=True):
                    assert_close(one, two)


def assert_close(one, two):
    """Two gradients, which may be None, are equal but for the order of sums."""
    assert (one is None) == (two is None) and (one is None or torch.allclose(one, two, equal_nan=True))


# ── other ways to call ───────────────────────────────────────────────────────
def values(result):
    """A result as plain data that can be compared."""
    parts = result if isinstance(result, (tuple, list)) else [result]
    return [(p.dtype, p.detach().numpy()) if isinstance(p, torch.Tensor) else p for p in parts]


def assert_equal(expected, actual, where):
    for one, two in zip(values(expected), values(actual), strict=True):
        if not isinstance(one, tuple):
            assert one == two, where
            continue
        assert one[0] == two[0], where
        np.testing.assert_array_equal(one[1], two[1], err_msg=where)


def tensors_of(name, call):
    return [tensor(torch, array, dtype) for _, dtype, array in call.arrays(prefix=name)]


def first_is_tensor(call):
    return bool(call.args) and hasattr(call.args[0], "differentiable")


@some_operators
def test_methods_give_the_result_of_the_function(name, calls, golden):
    """A method gives the result of the function."""
    if name not in METHODS or name == "where":  # its method takes the tensor second
        return
    for each in filter(first_is_tensor, calls):
        args, kwargs = each.filled(tensors_of(name, each))
        assert_equal(resolve(torch, name)(*args, **kwargs), getattr(args[0], name)(*args[1:], **kwargs), name)


@some_operators
def test_in_place_form(name, calls, golden):
    """``name_`` writes the function's result into the tensor and returns it, or refuses and changes nothing."""
    if f"{name}_" not in METHODS or name in RESHAPED:
        return
    for each in filter(first_is_tensor, calls):
        args, kwargs = each.filled(tensors_of(name, each))
        before, expected = args[0].clone(), resolve(torch, name)(*args, **kwargs)
        target = args[0]
        if each.in_place and expected.shape == target.shape and torch.can_cast(expected.dtype, target.dtype):
            version = target._version
            assert getattr(target, f"{name}_")(*args[1:], **kwargs) is target
            assert_equal(expected.to(target.dtype), target, name)
            assert target._version == version + 1
        else:
            with pytest.raises(RuntimeError):
                getattr(target, f"{name}_")(*args[1:], **kwargs)
            assert_equal(before, target, name)


ANY_OUT = {"sum", "nansum", "prod", "cumsum", "cumprod"}  # ``out=`` says the dtype to compute in


@some_operators
def test_out_takes_the_result_or_is_refused(name, calls, golden):
    """``out=`` takes the result, whatever its shape was; a dtype that cannot hold it, or a gradient, is refused."""
    entry = PUBLIC.get(name)
    if not getattr(entry, "out", "out" in getattr(getattr(entry, "__code__", None), "co_varnames", ())):
        return
    each = calls[0] if name not in ("sum", "prod") else next(c for c in calls if len(c.args) > 1)  # with a dimension
    args, kwargs = each.filled(tensors_of(name, each))
    expected = resolve(torch, name)(*args, **kwargs)
    if isinstance(expected, tuple):
        return
    target = torch.empty(0, dtype=expected.dtype)
    assert resolve(torch, name)(*args, **kwargs, out=target) is target
    assert_equal(expected, target, name)
    if expected.is_floating_point() and name not in ANY_OUT:
        with pytest.raises(
            (RuntimeError, TypeError),
            match="can't be cast|[Ee]xpected|does not match|same (scalar type|dtype|as)|different dtypes|invalid combination|missing|requires dtype",
        ):
            resolve(torch, name)(*args, **kwargs, out=torch.empty(0, dtype=torch.int64))
        floats = [t for t in args if isinstance(t, torch.Tensor) and t.is_floating_point()]
        if floats and name in OPS:
            floats[0].requires_grad_()
            with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
                resolve(torch, name)(*args, **kwargs, out=target)


@some_operators
def test_strided_inputs(name, calls, golden):
    """Where the elements of the inputs lie in memory makes no difference."""
    if name in OF_MEMORY:
        return
    for each in calls:
        plain = tensors_of(name, each)
        strided = [spread_out(t) for t in plain]
        one, two = (resolve(torch, name)(*args, **kwargs) for args, kwargs in map(each.filled, (plain, strided)))
        for a, b in zip(values(one), values(two), strict=True):
            if isinstance(a, tuple):
                np.testing.assert_allclose(a[1], b[1], rtol=1e-13, err_msg=name)


def spread_out(t):
    """The same tensor in every other element of a larger, transposed array."""
    array = t.numpy()
    room = np.zeros((*(2 * n for n in array.shape[::-1]),), array.dtype).T
    part = room[(*(slice(None, None, 2) for _ in array.shape), ...)]
    part[...] = array
    return torch.from_numpy(part)


@some_operators
def test_freed_by_reference_count(name, calls, golden):
    """No result keeps itself alive."""
    each = calls[0]
    made = each.arrays(prefix=name)
    tensors = [tensor(torch, array, dtype) for _, dtype, array in made]
    for t, (argument, _, _) in zip(tensors, made, strict=True):
        if argument.differentiable:
            t.requires_grad_()
    gc.disable()
    try:
        args, kwargs = each.filled(tensors)
        result = resolve(torch, name)(*args, **kwargs)
        if isinstance(result, torch.Tensor) and result is not args[0]:
            watched = [weakref.ref(result), *([weakref.ref(result.grad_fn)] if result.grad_fn is not None else [])]
            del result
            assert all(reference() is None for reference in watched)
    finally:
        gc.enable()


# ── the table ────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_every_public_operator_has_samples(family):
    named = {name.rpartition(".")[2].removeprefix("Tensor.") for name in family.SAMPLES}
    covered = [ROOT / "tensh" / "engine" / file for file in family.COVERS]
    assert [file for file in covered if not file.is_file()] == []
    declared = {op.name for op in OPS.values() if op.public and op.place[0] in map(str, covered)}
    without = declared - named
    assert without == set()


def test_every_operator_is_written():
    """The function, its method, its in-place form and its derivatives, in both vocabularies."""
    for op in list(OPS.values()):
        assert callable(op.fn) and callable(op.public_form(op.name)) and callable(op.public_form(op.name, method=True))
        if op.inplace:
            assert callable(op.inplace_fn) and callable(op.public_form(f"{op.name}_", inplace=True))
        if op.derivatives:
            assert callable(op.node_class.backward) and callable(op.node_class.backward_graph)
