"""Sizes that depend on elements: an exported program computes them anew for every input."""

from pathlib import Path

import pytest

import tensh as torch
from tests.export.programs import saved
from tests.export.test_decomposing import close

LINES = Path(__file__).with_name("data_sizes.txt").read_text(encoding="utf-8").splitlines()
INPUTS = [1.0, -1.0, 2.0, 3.0], [1.0, -1.0, -2.0, 3.0], [1.0, 5.0, 2.0, 3.0], [-1.0, -1.0, 7.0, 7.0]


def export(torch, text, dims=None):
    function = eval(f"lambda x: {text}", {"torch": torch})

    class Expression(torch.nn.Module):
        def forward(self, x):
            return function(x)

    return torch.export.export(Expression(), (torch.tensor(INPUTS[0]),), dynamic_shapes=dims and (dims,)), function


@pytest.mark.parametrize("text", LINES)
def test_programs_compute_the_same_for_other_elements(text):
    program, function = export(torch, text)
    for each in program, program.run_decompositions(), torch.export.load(saved(program)):
        for elements in INPUTS:
            assert close(each.module()(torch.tensor(elements)), function(torch.tensor(elements)))


@pytest.mark.parametrize("text", LINES)
def test_ranges_are_pytorchs(oracle, text):
    ours, theirs = (str(export(library, text)[0].range_constraints) for library in (torch, oracle))
    assert ours == theirs


CHECKED = [
    "torch.zeros(x.nonzero().shape[0]) + 1",
    "(x[x > 0] * 2).reshape(-1, 1).expand(-1, 2)",
    "torch.masked_select(x, x > 0).mean()",
    "(x[x > 0].sum(), x.nonzero())",
    "x[None].tolist()",
]


@pytest.mark.parametrize("text", CHECKED)
def test_sizes_are_checked_as_by_pytorch(oracle, text):
    ours, theirs = (export(library, text)[0].graph_module.code for library in (torch, oracle))
    assert ours == theirs


def test_programs_check_the_number_of_selected_elements():
    program, _ = export(torch, CHECKED[1])
    checks = [node.args[1] for node in program.graph.nodes if getattr(node.target, "_opname", "") == "_assert_scalar"]
    assert [text.split(" on ")[0].split("expression ")[1] for text in checks] == ["u0 >= 0", "u0 <= 4"]


DYNAMIC = [
    "(x[x > 0].shape[0] * 2 + x, x[x > 0])",
    "(x.nonzero().shape[0] + x, x.nonzero()[:, 0])",
    "(torch.unique(x)[:], torch.where(x > 0)[0])",
]


@pytest.mark.parametrize("text", DYNAMIC)
def test_sizes_that_depend_on_elements_have_no_limit_in_dynamic_programs(text):
    program, function = export(torch, text, [torch.export.Dim.DYNAMIC])
    for each in program, program.run_decompositions(), torch.export.load(saved(program)):
        for elements in (INPUTS[0], [*INPUTS[1], *INPUTS[2]], [1.0] * 9):
            assert close(each.module()(torch.tensor(elements)), function(torch.tensor(elements)))


@pytest.mark.parametrize("text", DYNAMIC)
def test_dynamic_programs_with_such_sizes_are_pytorchs(oracle, text):
    ours, theirs = (export(library, text, [library.export.Dim.DYNAMIC])[0] for library in (torch, oracle))
    assert str(ours.range_constraints) == str(theirs.range_constraints)
    assert [str(node.target) for node in ours.graph.nodes] == [str(node.target) for node in theirs.graph.nodes]


def test_counts_that_depend_on_elements_are_checked_from_below_only():
    program, _ = export(torch, "torch.bincount(x.nonzero()[:, 0])")
    assert str(program.range_constraints) == "{u0: VR[0, 4], u1: VR[0, int_oo]}"
