"""Operators that a program registers are nodes of the graphs of make_fx."""

import importlib

import pytest

import tensh as torch
from tensh.fx.experimental.proxy_tensor import make_fx


def make_programs(torch):
    """Return name -> function of a matrix, written for either library."""
    custom_op, Tensor = torch.library.custom_op, torch.Tensor

    @custom_op("fx_tests::scale", mutates_args=(), schema="(Tensor x, float factor=1.0) -> Tensor")
    def scale(x, factor=1.0):
        return x * factor

    scale.register_autograd(lambda ctx, gradient: (gradient * 2, None))

    @custom_op("fx_tests::two", mutates_args=())
    def two(x: Tensor) -> tuple[Tensor, Tensor]:
        return x + 1, x.sum()

    @custom_op("fx_tests::increase", mutates_args=("x",))
    def increase(x: Tensor, by: int = 1) -> None:
        x.add_(by)

    def write(x):
        y = x.clone()
        increase(y)
        increase(y, 3)
        return y * 2

    def differentiate(x):
        x = x.detach().requires_grad_()
        return torch.autograd.grad(scale(x, 3.0).sum(), x)[0]

    return {
        "one": lambda x: scale(x, 2.0) + 1,
        "default": lambda x: scale(x).sin(),
        "two": lambda x: two(scale(x, factor=0.5))[1],
        "write": write,
        "differentiate": differentiate,
    }


NAMES = ["one", "default", "two", "write", "differentiate"]


@pytest.mark.parametrize("name", NAMES)
def test_graphs_call_operators_of_the_program(name):
    function, x = make_programs(torch)[name], torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    made = make_fx(function)(x)
    assert any("fx_tests" in str(node.target) for node in made.graph.nodes)
    assert made(x * 2).equal(function(x * 2)) and x.tolist() == [[1, 2], [3, 4]]


def test_the_graphs_are_pytorchs(oracle):
    theirs = importlib.import_module("torch.fx.experimental.proxy_tensor").make_fx
    programs = make_programs(torch), make_programs(oracle)
    for name in NAMES:
        ours, wanted = (
            trace(each[name])(library.ones(2, 3)).code
            for trace, library, each in zip((make_fx, theirs), (torch, oracle), programs)
        )
        assert ours == wanted
