"""Arguments of calls by the names of their parameters, beside PyTorch's."""

import numbers

import pytest

import tensh as torch
from tensh.fx import operator_schemas

pytestmark = pytest.mark.filterwarnings("ignore")
ONLY = {"normalize_to_only_use_kwargs": True}
CALLS = {
    "relu": lambda torch, n: n(torch.relu, (1,), {}),
    "relu by name": lambda torch, n: n(torch.relu, (1,), {}, **ONLY),
    "functional": lambda torch, n: n(torch.nn.functional.relu, (1,), {}, **ONLY),
    "linear": lambda torch, n: n(torch.nn.functional.linear, (1, 2), {}, **ONLY),
    "layer_norm": lambda torch, n: n(torch.nn.functional.layer_norm, (1, 2), {"eps": 3}, **ONLY),
    "cat": lambda torch, n: n(torch.cat, ([1], 0), {}, (list[torch.Tensor], int)),
    "add": lambda torch, n: n(torch.add, (1, 2), {}, (torch.Tensor, torch.Tensor), {}, True),
    "add number": lambda torch, n: n(torch.add, (1, 2), {"alpha": 3}, (torch.Tensor, int), {"alpha": int}),
    "softmax": lambda torch, n: n(torch.nn.functional.softmax, (1, 2), {}, **ONLY),
    "max_pool2d": lambda torch, n: n(torch.nn.functional.max_pool2d, (1, 2), {"stride": 3}, **ONLY),
    "operator": lambda torch, n: n(__import__("operator").add, (1, 2), {}),
    "aten": lambda torch, n: n(torch.ops.aten.add.Tensor, (1, 2), {}, **ONLY),
}


@pytest.mark.parametrize("name", CALLS)
def test_arguments_of_functions_are_named_as_in_pytorch(oracle, name):
    from torch.fx import operator_schemas as theirs

    found, expected = (
        CALLS[name](library, module.normalize_function)
        for library, module in ((torch, operator_schemas), (oracle, theirs))
    )
    assert found == expected


def test_several_overloads_need_types():
    with pytest.raises(RuntimeError, match="torch._VariableFunctionsClass.add but the schema match was ambiguous!"):
        operator_schemas.normalize_function(torch.add, (1, 2))


def make(library):
    class Net(library.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = library.nn.Linear(2, 3)

        def forward(self, x):
            return library.nn.functional.relu(library.relu(self.linear(x)) + x.sum(1, keepdim=True))

    return Net()


@pytest.mark.parametrize("only", [False, True])
def test_arguments_of_nodes_are_named_as_in_pytorch(oracle, only):
    found = []
    for library in torch, oracle:
        traced = library.fx.symbolic_trace(make(library))
        found.append([str(n.normalized_arguments(traced, None, None, only)) for n in traced.graph.nodes])
    assert found[0] == found[1]


def test_types_and_writes(oracle):
    from torch.fx import operator_schemas as theirs

    pairs = [
        (int, float),
        (numbers.Number, int),
        (list[int], int),
        (float, int),
        (int, bool),
    ]
    assert [operator_schemas.type_matches(*each) for each in pairs] == [theirs.type_matches(*each) for each in pairs]
    for hint in ([int, int], (int, bool), [1, 2], (1,), 3):
        assert operator_schemas.create_type_hint(hint) == theirs.create_type_hint(hint)
    with pytest.raises(NotImplementedError, match="Tried to trace mutable operation aten::relu_"):
        operator_schemas.check_for_mutable_operation(torch.relu_, (1,), {})
    assert operator_schemas.check_for_mutable_operation(torch.relu, (1,), {}) is None
