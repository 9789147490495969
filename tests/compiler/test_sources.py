"""Inputs of graphs for back ends are named after the places where they were found."""

import pytest

import tensh as torch
from tests.compiler.source_programs import PROGRAMS, list_inputs


@pytest.mark.parametrize("expression", PROGRAMS)
def test_inputs_are_named_after_their_sources(expression):
    assert list_inputs(torch, expression) == PROGRAMS[expression]


@pytest.mark.parametrize("expression", PROGRAMS)
def test_names_of_inputs_are_pytorchs(oracle, expression):
    oracle._dynamo.reset()
    assert list_inputs(oracle, expression) == PROGRAMS[expression]
