"""Results of compiled functions that share memory, and writes under several names."""

import warnings

import pytest

import tensh as torch
from tests.compiler.alias_programs import PROGRAMS

COMPILED = {
    "own": torch.compile,
    "back_end": lambda function: torch.compile(function, backend=lambda module, inputs: module.forward),
}


def run(function, requires_grad, is_leaf):
    """Return what a call gives: values, which results are one object or share memory, gradients, and values after writes."""
    x = torch.tensor([[1.0, 2.0], [3.0, 0.5]], requires_grad=requires_grad)
    w = torch.tensor([[0.3, 1.0], [2.0, 0.7]], requires_grad=True)
    given = x if is_leaf else x * 1
    try:
        outs = function(given, w)
    except RuntimeError:  # a leaf is written
        return "refused"
    tensors = [given, w, *outs]
    found = [(each.tolist(), each.requires_grad, each.is_inference()) for each in tensors]
    memory = [each.untyped_storage().data_ptr() for each in tensors]
    found += [[(a is b, m == n) for b, n in zip(tensors, memory)] for a, m in zip(tensors, memory)]
    wanted = [(each * number).sum() for number, each in enumerate(outs, 1) if each.requires_grad]
    if wanted:
        leaves = [each for each in (x, w) if each.requires_grad]
        gradients = torch.autograd.grad(sum(wanted), leaves, allow_unused=True)
        found += [
            None if each is None else [round(number, 4) for number in each.flatten().tolist()] for each in gradients
        ]
    with torch.no_grad():
        for each in outs:
            if not each.is_inference():
                each.add_(1)
    return found, [each.tolist() for each in tensors]


@pytest.mark.parametrize(("requires_grad", "is_leaf"), [(True, True), (True, False), (False, True)])
@pytest.mark.parametrize("compile", COMPILED.values(), ids=COMPILED)
@pytest.mark.parametrize("function", PROGRAMS)
def test_results_share_memory_as_those_of_the_function(function, compile, requires_grad, is_leaf):
    expected, compiled = run(function, requires_grad, is_leaf), compile(function)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="torch.compile")
        for _ in range(3):
            assert run(compiled, requires_grad, is_leaf) == expected


@pytest.mark.parametrize("compile", COMPILED.values(), ids=COMPILED)
def test_a_sparse_tensor_from_outside_is_no_error(compile):
    matrix = torch.eye(3).to_sparse()
    compiled = compile(lambda x: torch.sparse.mm(matrix, x))
    with pytest.warns(UserWarning, match="no dense array"):
        assert all(compiled(torch.ones(3, 2)).equal(torch.ones(3, 2)) for _ in range(2))


def test_the_first_call_of_a_graph_for_a_back_end_warns_once():
    compiled = torch.compile(
        lambda x: torch.nn.functional.mse_loss(x, x[:1]), backend=lambda module, inputs: module.forward
    )
    with pytest.warns(UserWarning, match="target size") as noted:
        compiled(torch.ones(2, 2))
    assert len(noted) == 1
