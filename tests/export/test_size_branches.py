"""Branches that depend on sizes or on numbers that a program reads, and branches within parts without gradients."""

import pytest

import tensh as torch
from tests.export.programs import saved


def make_programs(torch):
    """Return name -> (function, arguments, dynamic shapes, other arguments), written for either library."""
    cond, rows, some = torch.cond, {0: torch.export.Dim("n", min=3)}, {0: torch.export.Dim.AUTO}

    def without_gradients(x):
        a = x.sin()
        with torch.no_grad():
            b = cond(x.sum() > 4, lambda x: x.cos() + 1, lambda x: x.sin() - 1, (x,)) + a.cos()
        return b * 2 + a

    def beside_gradients(x):
        with torch.no_grad():
            a = x.cos()
        b = cond(x.sum() > 4, lambda x: x + 1, lambda x: x - 1, (x,))
        with torch.no_grad():
            c = b.cos()
        return a + b + c

    def decide(x):
        if torch.compiler.is_exporting():
            assert isinstance(x.shape[0], torch.SymInt) and isinstance(x.shape[0] > 3, torch.SymBool)
        equal = x.shape[0] == 5
        return cond(equal, lambda x: x + 1, lambda x: x - 1, (x,)), x * 2 if x.shape[0] > 2 else x

    x, y, n = torch.ones(5, 3), torch.ones(4), torch.tensor(3)
    return {
        "size": (lambda x: cond(x.shape[0] > 4, torch.sin, torch.cos, (x,)), (x,), (rows,), (x[:3],)),
        "sizes": (
            lambda x, y: cond(x.shape[0] * 2 > y.shape[0], lambda x: x.sum(), lambda x: x.mean(), (x,)),
            (x, y),
            (some, some),
            (x, torch.ones(12)),
        ),
        "fixed": (lambda x: cond(x.shape[1] > 2, lambda x: x + 1, lambda x: x - 1, (x,)), (x,), (some,), (x[:3],)),
        "decided": (decide, (x,), (rows,), (x[:4],)),
        "number": (
            lambda x, n: cond(n.item() > 2, lambda x: x + 1, lambda x: x - 1, (x,)),
            (x, n),
            None,
            (x, torch.tensor(1)),
        ),
        "without_gradients": (without_gradients, (x,), None, (-x,)),
        "beside_gradients": (beside_gradients, (x,), None, (-x,)),
    }


NAMES = list(make_programs(torch))


def export(torch, name):
    function, args, shapes, others = make_programs(torch)[name]

    class Called(torch.nn.Module):
        def forward(self, *args):
            return function(*args)

    return torch.export.export(Called(), args, dynamic_shapes=None if shapes is None else (shapes,)), args, others


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore:Pred is a Python constant")
def test_programs_take_the_branch_of_their_sizes_and_numbers(name):
    program, *calls = export(torch, name)
    function = make_programs(torch)[name][0]
    for each in (program, program.run_decompositions(), torch.export.load(saved(program))):
        for args in calls:
            torch.testing.assert_close(each.module()(*args), function(*args))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore:Pred is a Python constant")
def test_programs_are_pytorchs(name, oracle):
    ours, theirs = (
        [str(each.graph_module.code), *(part.code for part in each.graph_module.children() if hasattr(part, "code"))]
        for each in (export(torch, name)[0], export(oracle, name)[0])
    )
    assert ours == theirs


def test_a_condition_on_fixed_sizes_chooses_a_branch():
    with pytest.warns(UserWarning, match="Pred is a Python constant"):
        program, *_ = export(torch, "fixed")
    assert [node.name for node in program.graph.nodes if node.op == "call_function"] == ["add"]
