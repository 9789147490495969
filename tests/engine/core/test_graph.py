"""The recorded graph: depth, memory, laziness, and the code written from declarations."""

import builtins
import gc
import weakref

import numpy as np
import pytest

import tensh as torch
from tensh.engine.codegen.derivatives import words_of
from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import ARRAYS, OPS, on_tensors

DEEP = 100_000


def chain(x, length):
    for _ in range(length):
        x = x * 1.0
    return x


def test_a_deep_graph_runs_backward_without_recursion():
    x = torch.ones(1, requires_grad=True)
    chain(x, DEEP).backward()
    assert x.grad.item() == 1


def test_a_deep_graph_is_freed_without_recursion():
    x = torch.ones(1, requires_grad=True)
    y = chain(x, DEEP)
    node = weakref.ref(y.grad_fn)
    del y
    assert node() is None


def test_a_deep_graph_is_differentiated_twice():
    x = torch.ones(1, requires_grad=True)
    (g,) = torch.autograd.grad(chain(x * x, 20_000), x, create_graph=True)
    assert torch.autograd.grad(g, x)[0].item() == 2


def test_graphs_die_by_reference_count():
    gc.disable()
    try:
        x = torch.ones(3, requires_grad=True)
        y = (x.exp() * x).sum()
        nodes = [weakref.ref(y.grad_fn), weakref.ref(y.grad_fn.next_functions[0][0])]
        del y
        assert [n() for n in nodes] == [None, None]
    finally:
        gc.enable()


def test_saved_arrays_are_given_back_after_backward():
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    saved = weakref.ref(y.array)
    z = (y * 2).sum()
    del y
    z.backward()
    assert saved() is None


def test_a_node_knows_what_it_saved_by_name():
    x = torch.tensor([2.0], requires_grad=True)
    node = (x * x).grad_fn
    assert torch.equal(node._saved_self, x) and node._saved_self.requires_grad
    with pytest.raises(AttributeError):
        _ = node._saved_nothing


def test_a_failed_backward_leaves_nothing_behind():
    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            raise ZeroDivisionError

    x = torch.ones(1, requires_grad=True)
    with pytest.raises(ZeroDivisionError):
        Fails.apply(x).backward()
    assert torch.is_grad_enabled()
    (x * 2).backward()
    assert x.grad.item() == 2


def test_backward_inside_backward():
    class Inner(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            w = torch.ones(1, requires_grad=True)
            with torch.enable_grad():
                (w * 3).backward()
            return g * w.grad

    x = torch.ones(1, requires_grad=True)
    Inner.apply(x).backward()
    assert x.grad.item() == 3


def test_grad_mode_belongs_to_the_thread():
    from threading import Thread

    seen = []
    with torch.no_grad():
        thread = Thread(target=lambda: seen.append(torch.is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


# ── declarations ─────────────────────────────────────────────────────────────
DERIVED = sorted(name for name, op in OPS.items() if op.derivatives)


def test_every_function_can_be_written():
    assert OPS and [name for name in OPS if not callable(OPS[name].fn)] == []


def unknown_words(op):
    """The words of an operator's derivative that have no meaning on arrays, or none on tensors."""
    known = {*op.parameters, *op.outs, *op.let, *(f"g_{o}" for o in op.outs), "g", "gs", "out"}
    for text in (*op.derivatives.values(), *op.let.values()):
        for word in words_of(text):
            if word not in known and not hasattr(builtins, word):
                if word not in ARRAYS:
                    yield f"{op.name}: {word} is no word for arrays"
                elif not (callable(meaning := on_tensors(word)) or isinstance(meaning, float)):
                    yield f"{op.name}: {word} is no word for tensors"


def test_every_derivative_speaks_in_known_words():
    assert DERIVED and [fault for name in DERIVED for fault in unknown_words(OPS[name])] == []


def test_what_is_saved_is_what_the_derivative_reads():
    assert list(OPS["mul"].saves) == ["other", "input"]
    assert list(OPS["exp"].saves) == ["out"]
    assert not OPS["add"].saves
    x, y = torch.ones(2, requires_grad=True), torch.ones(2)
    assert (x * y).grad_fn.saved[1] is None  # the gradient of y is not wanted, so x is not kept


def test_numpy_warnings_are_silent():
    with np.errstate():
        assert torch.isnan(torch.zeros(1) / 0).item()


def test_a_word_is_declared_once():
    with pytest.raises(TypeError, match="declared twice"):
        op(lambda input: input, name="mul", input="g")


TWICE = {
    True: ["torch.remainder(a, b)", "torch.fmod(a, b)", "torch.addcmul(a, b, b)", "a.index_add(0, i, b[:2])", "torch.addmv(a, n, b)", "a - b"],
    False: ["torch.remainder(b, a)", "torch.addcmul(b, a, b)", "b.index_add(0, i, a[:2])", "torch.addmv(b, n, a)", "a * b", "a.exp()"],
}  # fmt: skip


@pytest.mark.parametrize(("code", "can"), [(code, can) for can, codes in TWICE.items() for code in codes])
def test_a_node_runs_twice_where_no_wanted_gradient_needs_what_it_saved(code, can):
    values = {"a": torch.ones(3, requires_grad=True), "b": torch.full((3,), 2.0), "n": torch.ones(3, 3)}
    y = eval(code, {"torch": torch, "i": torch.tensor([0, 2]), **values})
    g = torch.ones(3)
    y.backward(g)
    if can:
        y.backward(g)
    else:
        with pytest.raises(RuntimeError, match="a second time"):
            y.backward(g)


@pytest.mark.parametrize(("shape", "mask"), [((2, 3), (0,)), ((2, 3), (2, 0)), ((2, 0), (0,)), ((3,), (0,))])
def test_an_empty_mask_that_does_not_fit_is_refused(shape, mask):
    x = torch.zeros(shape)
    for write in (False, True):
        with pytest.raises(IndexError, match="shape of the mask"):
            x.__setitem__(torch.zeros(mask, dtype=torch.bool), 1.0) if write else x[torch.zeros(mask, dtype=torch.bool)]


CHAINS = {  # sizes of input, weight and bias -> the result and the nodes behind it, or the error: recorded from PyTorch 2.13
    ((3,), (2, 3), (2,)): "(2,) ViewBackward0(AddmmBackward0(AccumulateGrad, TBackward0(AccumulateGrad)))",
    ((2, 3), (2, 3), (2,)): "(2, 2) AddmmBackward0(AccumulateGrad, TBackward0(AccumulateGrad))",
    ((2, 2, 3), (2, 3), (2,)): "(2, 2, 2) ViewBackward0(AddmmBackward0(AccumulateGrad, TBackward0(AccumulateGrad)))",
    ((3,), (3,), ()): "() AddBackward0(DotBackward0(TBackward0(AccumulateGrad)), AccumulateGrad)",
    ((2, 2, 3), (3,), (2, 2)): "(2, 2) AddBackward0",
    ((2, 2, 3), (2, 3), (2, 2)): "(2, 2, 2) AddBackward0",
    ((3,), (3,), (1,)): "mat2 must be a matrix, got 1-D tensor",
    ((2, 3), (3,), ()): "mat2 must be a matrix, got 1-D tensor",
    ((3,), (3,), (2, 2)): "output with shape [] doesn't match the broadcast shape [2, 2]",
    ((3,), (2, 3), (2, 2)): "output with shape [2] doesn't match the broadcast shape [2, 2]",
}


def write_node(node):
    inner = ", ".join(write_node(n) for n, _ in node.next_functions if n is not None)
    name = node.name().removeprefix("torch::autograd::")
    return f"{name}({inner})" if inner else name


@pytest.mark.parametrize("sizes, expected", CHAINS.items(), ids=map(str, CHAINS))
def test_linear_of_vectors(sizes, expected):
    input, weight, bias = map(torch.ones, sizes)
    weight.requires_grad, bias.requires_grad = True, True
    try:
        y = torch.nn.functional.linear(input, weight, bias)
    except RuntimeError as error:
        assert str(error) == expected
    else:
        assert f"{tuple(y.shape)} {write_node(y.grad_fn)}".startswith(expected)


def test_a_hook_after_accumulation_returns_nothing_or_its_leaf():
    x = torch.ones(2, requires_grad=True)
    results = iter([None, x, 3, torch.ones(2)])
    x.register_post_accumulate_grad_hook(lambda leaf: next(results))
    for _ in range(2):
        x.sum().backward()
    assert x.grad.tolist() == [2, 2]
    with pytest.raises(TypeError, match="^expected Variable, but hook returned 'int'$"):
        x.sum().backward()
    with pytest.raises(RuntimeError, match="^Tensor post accumulate grad hooks should return None.$"):
        x.sum().backward()
