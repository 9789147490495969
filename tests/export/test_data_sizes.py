"""Sizes that depend on elements: an exported program computes them anew for every input."""

from pathlib import Path

import pytest

import tensh as torch
from tests.export.programs import saved
from tests.export.test_decomposing import close

LINES = Path(__file__).with_name("data_sizes.txt").read_text(encoding="utf-8").splitlines()
INPUTS = [1.0, -1.0, 2.0, 3.0], [1.0, -1.0, -2.0, 3.0], [1.0, 5.0, 2.0, 3.0], [-1.0, -1.0, 7.0, 7.0]


def export(torch, text):
    function = eval(f"lambda x: {text}", {"torch": torch})

    class Expression(torch.nn.Module):
        def forward(self, x):
            return function(x)

    return torch.export.export(Expression(), (torch.tensor(INPUTS[0]),)), function


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
