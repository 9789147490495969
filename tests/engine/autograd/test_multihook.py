"""Hooks on several tensors: called once in a pass, for the tensors that it reaches."""

import pytest

import tensh

PASSES = {  # code -> which of a, b, c, d, a * b get gradients; recorded from PyTorch 2.13, which refuses autograd.grad
    "a backward pass": (lambda a, b, c, d, ab: (ab.sum() + c.sum()).backward(), [[1, 1, 1, 0, 1]]),
    "for one leaf": (lambda a, b, c, d, ab: (c.sum() + d.sum()).backward(inputs=[d]), [[0, 0, 0, 1, 0]]),
    "two passes": (lambda a, b, c, d, ab: [(ab * c).sum().backward(retain_graph=True) for _ in range(2)], [[1, 1, 1, 0, 1]] * 2),
    "several outputs": (lambda a, b, c, d, ab: (ab.sin().sum() + tensh.stack([a, c]).unbind(0)[1].sum()).backward(), [[1, 1, 1, 0, 1]]),
    "autograd.grad": (lambda a, b, c, d, ab: tensh.autograd.grad((ab * d * a).sum(), ab), [[0, 0, 0, 0, 1]]),
    "nothing of them": (lambda a, b, c, d, ab: tensh.ones(1, requires_grad=True).backward(), []),
    "of second order": (lambda a, b, c, d, ab: tensh.autograd.grad((ab**2).sum(), ab, create_graph=True)[0].sum().backward(), [[0, 0, 0, 0, 1], [1, 1, 0, 0, 1]]),
}  # fmt: skip


def leaves():
    a, b, c, d = (tensh.rand(2, requires_grad=True) for _ in range(4))
    return a, b, c, d, a * b


@pytest.mark.parametrize("run, expected", PASSES.values(), ids=PASSES)
def test_a_hook_is_called_when_all_are_there(run, expected):
    tensors, calls = leaves(), []
    hook = tensh.autograd.graph.register_multi_grad_hook
    handle = hook(tensors, lambda grads: calls.append([int(g is not None) for g in grads]))
    run(*tensors)
    assert calls == expected
    handle.remove()
    calls.clear()
    sum(t.sum() for t in leaves()).backward()
    assert not calls


@pytest.mark.parametrize("run, expected", PASSES.values(), ids=PASSES)
def test_a_hook_is_called_with_the_first(run, expected):
    tensors, calls = leaves(), []
    with tensh.autograd.graph.register_multi_grad_hook(tensors, lambda g: calls.append(tuple(g.shape)), mode="any"):
        run(*tensors)
    assert calls == [(2,)] * len(expected)


def test_a_pass_that_fails_is_no_pass():
    a, b = (tensh.ones(2, requires_grad=True) for _ in range(2))
    calls = []
    tensh.autograd.graph.register_multi_grad_hook((a, b), calls.append)
    y = a.exp()
    fails = y.register_hook(lambda g: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        (y * b).sum().backward()
    fails.remove()
    calls.clear()
    (a.exp() * b).sum().backward()
    assert len(calls) == 1 and all(g is not None for g in calls[0])


def test_an_unknown_mode_and_a_tensor_without_a_node_are_refused():
    hook = tensh.autograd.graph.register_multi_grad_hook
    with pytest.raises(ValueError, match="Expects mode to be one of"):
        hook((tensh.ones(1, requires_grad=True),), print, mode="x")
    with pytest.raises(AssertionError, match="Expected gradient function to be set"):
        hook((tensh.ones(1),), print)
