"""Graphs of functions that call the transforms of ``torch.func`` compute what the functions do, for other inputs, too."""

import pytest

import tensh as torch
from tensh.fx.experimental.proxy_tensor import make_fx
from tests.fx.derivatives_in_functions import make_functions

FUNCTIONS = make_functions(torch)


def leaves(value):
    return [each for part in value for each in leaves(part)] if isinstance(value, (tuple, list)) else [value]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_graphs_compute_what_functions_do(name):
    function, args = FUNCTIONS[name]
    made = make_fx(function)(*args)
    assert all(
        hasattr(node.target, "_opname") or node.op != "call_function"
        for node in made.graph.nodes
        if "getitem" not in node.name
    )
    for given in (args, [each * 0.7 + 0.1 for each in args]):
        found, expected = leaves(made(*given)), leaves(function(*given))
        for one, other in zip(found, expected, strict=True):
            torch.testing.assert_close(one, other)


def test_what_cannot_be_traced_says_so():
    forward = torch.autograd.forward_ad

    def tangent(x):
        with forward.dual_level():
            return forward.unpack_dual(forward.make_dual(x, torch.ones(3)).sin()).tangent

    with pytest.raises(NotImplementedError, match=r"use torch\.func\.jvp"):
        make_fx(tangent)(torch.ones(3))
    with pytest.raises(NotImplementedError, match="a subscript by tensors within vmap"):
        make_fx(torch.func.vmap(lambda row: row[torch.tensor([0, 2])]))(torch.ones(2, 3))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_are_pytorchs(oracle, name):
    function, args = make_functions(oracle)[name]
    found = leaves(make_fx(FUNCTIONS[name][0])(*FUNCTIONS[name][1])(*FUNCTIONS[name][1]))
    for one, other in zip(found, leaves(function(*args)), strict=True):
        torch.testing.assert_close(one, torch.tensor(other.tolist()), check_dtype=False, atol=1e-5, rtol=1e-5)
