"""Hooks for saved values: what they pack and unpack, and when, as in PyTorch."""

import numpy as np
import pytest

import tensh


def make_hooks(events):
    """Return a pair of hooks that record their arguments as events."""

    def pack(t):
        events.append(("pack", t.tolist(), t.requires_grad, t.is_leaf))
        return t

    def unpack(t):
        events.append(("unpack", t.tolist()))
        return t

    return pack, unpack


def make_exp(torch):
    class Exp(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            result = x.exp()
            ctx.save_for_backward(x, result, y)
            return result

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[1], None

    return Exp.apply


# A computation with hooks on a leaf -> the numbers that are packed
PACKED = {
    "a product": (lambda torch, a: a * (a + 1), [[2, 3], [1, 2]]),
    "a product with a number": (lambda torch, a: a * 3, []),
    "a result": (lambda torch, a: a.relu(), [[1, 2]]),
    "a value twice": (lambda torch, a: a * a, [[1, 2], [1, 2]]),
    "a constant": (lambda torch, a: a * torch.tensor([5.0, 6.0]), [[5, 6]]),
    "a reduction": (lambda torch, a: a.sum(), []),
    "a custom function": (lambda torch, a: make_exp(torch)(a - a.detach(), torch.tensor(3.0)), [[0, 0], [1, 1], 3]),
    "a result written in place": (lambda torch, a: (a - a.detach()).exp_(), [[1, 1]]),
    "a checkpoint": (
        lambda torch, a: torch.utils.checkpoint.checkpoint(lambda x: (x * 2).exp().sin(), a, use_reentrant=False),
        [[1, 2]],
    ),
    "without gradients": (lambda torch, a: a.detach() * a.detach(), []),
}  # fmt: skip


def run_pass(torch, compute):
    """Return the events of a pass through a computation with hooks, and the gradient of its leaf."""
    importing = torch.utils.checkpoint  # noqa: F841  the module is imported on first use
    a, events = torch.tensor([1.0, 2.0], requires_grad=True), []
    with torch.autograd.graph.saved_tensors_hooks(*make_hooks(events)):
        y = compute(torch, a)
    events.append("backward")
    if y.requires_grad:
        y.sum().backward()
    return events, None if a.grad is None else a.grad.tolist()


@pytest.mark.parametrize("name", PACKED)
def test_what_is_saved_is_packed_and_unpacked(name):
    compute, expected = PACKED[name]
    events, grad = run_pass(tensh, compute)
    place = events.index("backward")
    assert events[:place] == [
        ("pack", values, *event[2:]) for values, event in zip(expected, events[:place], strict=True)
    ]
    unpacked = [values for _, values in events[place + 1 :]]
    assert sorted(unpacked, key=str) == sorted((values for _, values, *_ in events[:place]), key=str)
    a = tensh.tensor([1.0, 2.0], requires_grad=True)
    y = compute(tensh, a)
    if y.requires_grad:
        y.sum().backward()
        assert grad == a.grad.tolist()


@pytest.mark.parametrize("name", PACKED)
def test_events_are_pytorchs(name, oracle):
    import torch.utils.checkpoint  # noqa: F401

    ours, theirs = (run_pass(torch, PACKED[name][0]) for torch in (tensh, oracle))
    assert ours[0] == theirs[0]
    np.testing.assert_allclose(ours[1] or 0, theirs[1] or 0, 1e-6)


def make_leaf():
    return tensh.tensor([1.0, 2.0], requires_grad=True)


graph = tensh.autograd.graph


def test_unpacked_values_keep_the_history_of_the_tensor():
    a = make_leaf()
    with graph.saved_tensors_hooks(lambda t: t.numpy(force=True), lambda array: tensh.tensor(array)):
        y = (a * 3).sin()
    (first,) = tensh.autograd.grad(y.sum(), a, create_graph=True)
    (second,) = tensh.autograd.grad(first.sum(), a)
    np.testing.assert_allclose(first.tolist(), 3 * np.cos([3, 6]), 1e-6)
    np.testing.assert_allclose(second.tolist(), -9 * np.sin([3, 6]), 1e-6)


def test_derivatives_use_unpacked_values():
    a = make_leaf()
    with graph.saved_tensors_hooks(lambda t: t, lambda t: t * 10):
        y = a * a
    y.sum().backward()
    assert a.grad.tolist() == [20, 40]


def test_the_innermost_hooks_are_called():
    a, outer, inner = make_leaf(), [], []
    with graph.saved_tensors_hooks(*make_hooks(outer)):
        with graph.saved_tensors_hooks(*make_hooks(inner)):
            b = a * 2 * a
        c = b.exp()
    c.relu()
    assert [len(inner), len(outer)] == [2, 1]
    c.sum().backward()
    assert [len(inner), len(outer)] == [4, 2]


def test_a_write_does_not_change_saved_values():
    a, events = make_leaf(), []
    x = a * 1
    with graph.saved_tensors_hooks(*make_hooks(events)):
        x.mul_(a)
    assert events[-1][1] == [1, 2]
    x.sum().backward()
    assert a.grad.tolist() == [2, 4]


def test_versions_of_packed_values_are_not_checked():
    a, b = make_leaf(), tensh.tensor([3.0, 4.0])
    with graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        y = a * b
    b.zero_()
    y.sum().backward()
    assert a.grad.tolist() == [3, 4]


def test_attributes_of_nodes_unpack_their_value():
    a, events = make_leaf(), []
    with graph.saved_tensors_hooks(*make_hooks(events)):
        y = a * (a + 1)
    events.clear()
    assert y.grad_fn._saved_self.tolist() == [1, 2]
    assert events == [("unpack", [1, 2])]


def multiply(pack, unpack=lambda t: t):
    a = make_leaf() * 1
    with graph.saved_tensors_hooks(pack, unpack):
        y = a * a
    y.sum().backward()


def register(*hooks):
    make_leaf().exp().grad_fn._raw_saved_result.register_hooks(*hooks)


def run_backward_outside():
    a = make_leaf()
    with graph.allow_mutation_on_saved_tensors():
        y = a * a
    y.sum().backward()


def enter_all(*each):
    def enter():
        with each[0]:
            if each[1:]:
                enter_all(*each[1:])()

    return enter


REFUSED = {
    "a pack hook that writes": (lambda: multiply(lambda t: t.add_(1)), RuntimeError, "A saved tensor pack hook is modifying its input in place"),
    "an unpack hook without a tensor": (lambda: multiply(lambda t: 3), TypeError, "unpack_hook expected to be a Tensor but got result of type int"),
    "no functions": (lambda: multiply(1, 2), TypeError, "_push_saved_tensors_default_hooks(): incompatible function arguments"),
    "hooks while they are disabled": (enter_all(graph.disable_saved_tensors_hooks("not here"), graph.save_on_cpu()), RuntimeError, "not here"),
    "disabling while there are hooks": (enter_all(graph.save_on_cpu(), graph.disable_saved_tensors_hooks("not here")), RuntimeError, "not here"),
    "one hook of one tensor": (lambda: register(print), TypeError, "register_hooks(): incompatible function arguments"),
    "a backward pass outside": (run_backward_outside, AssertionError, "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"),
    "writing allowed twice": (enter_all(graph.allow_mutation_on_saved_tensors(), graph.allow_mutation_on_saved_tensors()), RuntimeError, "contexts cannot be nested"),
}  # fmt: skip


@pytest.mark.parametrize("work, error, text", REFUSED.values(), ids=REFUSED)
def test_what_is_refused(work, error, text):
    with pytest.raises(error) as raised:
        work()
    assert text in str(raised.value)
    multiply(lambda t: t)  # nothing is left behind


def test_disabling_ends_with_its_context():
    with graph.disable_saved_tensors_hooks("outer"):
        with graph.disable_saved_tensors_hooks("inner"):
            pass
        with pytest.raises(RuntimeError, match="outer"), graph.save_on_cpu():
            pass
    with graph.save_on_cpu(pin_memory=True):
        multiply(lambda t: t)


def test_hooks_of_one_saved_tensor():
    a, events = make_leaf(), []
    y = a * a
    saved = y.grad_fn._raw_saved_self
    saved.register_hooks(*make_hooks(events))
    assert events == [("pack", [1, 2], False, True)]
    with pytest.raises(RuntimeError, match="hooks have already been set"):
        y.grad_fn._raw_saved_self.register_hooks(*make_hooks(events))
    y.sum().backward()
    assert events[1:] == [("unpack", [1, 2])]
    with pytest.raises(RuntimeError, match="after it has been freed"):
        saved.register_hooks(*make_hooks(events))


def test_saved_tensors_that_may_be_written():
    x = tensh.ones(2, requires_grad=True)
    with graph.allow_mutation_on_saved_tensors():
        y = x.clone()
        z = (y**2).sum()
        y.sin_()
        z.backward()
    assert x.grad.tolist() == [2, 2]


FACTORS = {
    "both": "a @ b", "the first": "a @ b.detach()", "the second": "a.detach() @ b", "columns": "a @ t", "a cut": "s @ b",
    "a layer": "torch.addmm(c, a.detach(), t)", "a cut of a layer": "torch.addmm(c, s, b.detach())",
}  # fmt: skip


@pytest.mark.parametrize("program", FACTORS.values(), ids=FACTORS)
def test_products_know_sizes_and_strides_of_their_factors(program, oracle):
    def read_sizes(torch):
        a, b, c = (torch.ones(*shape, requires_grad=True) for shape in ((2, 3), (3, 4), (4,)))
        t, s = torch.ones(4, 3, requires_grad=True).t(), torch.ones(4, 6, requires_grad=True)[::2, ::2]
        node = eval(program, {"torch": torch, "a": a, "b": b, "c": c, "t": t, "s": s}).grad_fn
        return {name: getattr(node, name) for name in dir(node) if name.startswith("_saved") and "_sym_" in name}

    assert read_sizes(tensh) == read_sizes(oracle)


def test_sizes_of_factors_are_freed_with_the_graph():
    product = tensh.ones(2, 3, requires_grad=True) @ tensh.ones(3, 2)
    product.sum().backward()
    with pytest.raises(RuntimeError, match="second time"):
        _ = product.grad_fn._saved_mat2_sym_sizes
