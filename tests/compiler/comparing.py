"""What a call gives, and comparing it with what another gives."""

import copy

import tensh as torch


def tensors(structure):
    if isinstance(structure, torch.Tensor):
        return [structure]
    parts = (
        structure.values() if isinstance(structure, dict) else structure if isinstance(structure, (tuple, list)) else ()
    )
    return [each for part in parts for each in tensors(part)]


def make_arguments(shapes, more, dtype, seed):
    torch.manual_seed(seed)
    return [*(torch.randn(*shape, dtype=dtype, requires_grad=True) for shape in shapes), *copy.deepcopy(more)]


def run(function, arguments, kwargs, create_graph):
    """Everything that a call gives: results, gradients once and twice, and the next random number."""
    results = function(*arguments, **kwargs)
    outs = tensors(results)
    wanted = [each for each in outs if each.requires_grad]
    leaves = [each for each in tensors(arguments) if each.requires_grad]
    loss = sum((each.abs() if each.is_complex() else each * each.detach() + each).sum() for each in wanted)
    grads = (
        list(torch.autograd.grad(loss, leaves, create_graph=create_graph, allow_unused=True, retain_graph=True))
        if wanted
        else []
    )
    again = [each for each in grads if each is not None and each.requires_grad]
    if again:
        total = sum((each * each.conj()).real.sum() for each in again)
        grads += torch.autograd.grad(total, leaves, allow_unused=True)
    elif wanted and not create_graph:
        grads += torch.autograd.grad(loss, leaves, allow_unused=True)
    return [*outs, torch.rand(1)], grads, results


def compare(ours, expected, exactly=True):
    assert len(ours) == len(expected)
    for a, b in zip(ours, expected, strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            assert (a.shape, a.dtype, a.requires_grad) == (b.shape, b.dtype, b.requires_grad)
            assert torch.equal(a, b) if exactly else torch.allclose(a, b, rtol=1e-5, atol=1e-6, equal_nan=True)
