"""Compiled functions that write into other names of a tensor, or into lists of their caller, do so in every call."""

import re

import pytest

import tensh as torch

pytestmark = pytest.mark.filterwarnings("ignore")


def write_base_of_detached(x):
    y = x * 2
    d = y.detach()
    y.mul_(3)
    return d + 0, y


def write_detached(x):
    y = x * 2
    d = y.detach()
    d.mul_(3)
    return y + 0, d


def write_data(x):
    y = x * 2
    d = y.data
    d.add_(3)
    return y * 2


def write_view(x):
    y = x * 2
    v = y[0:1]
    y.mul_(3)
    return v + 0, y


def write_detached_argument(x):
    y = x.detach()
    y.add_(1)
    return x * 2


def write_detached_copy(x):
    y = x.clone().data
    y.add_(1)
    z = y.detach()
    z.mul_(2)
    return y + z


def write_base_of_view_without_grad(x):
    y = x * 2
    with torch.no_grad():
        v = y.view(2)
    y.zero_()
    return v


def write_base_of_row_without_grad(x):
    y = x * 2
    with torch.no_grad():
        v = y[0]
    y.mul_(x)
    return y, [v]


def call(function, number, grad):
    """Return the results of a call, or its error, and what has become of the argument, as text."""
    x = torch.full((2,), float(number), requires_grad=grad)
    try:
        made = repr(function(x))
    except RuntimeError as error:
        made = type(error).__name__
    return re.sub("grad_fn=<[^>]*>", "", made), repr(x)


@pytest.mark.parametrize("grad", [False, True])
@pytest.mark.parametrize(
    "function",
    [
        write_base_of_detached,
        write_detached,
        write_data,
        write_view,
        write_detached_argument,
        write_detached_copy,
        write_base_of_view_without_grad,
        write_base_of_row_without_grad,
    ],  # fmt: skip
    ids=lambda each: each.__name__,
)
def test_writes_reach_all_names(function, grad):
    compiled = torch.compile(lambda x: function(x))
    for number in range(3):
        assert call(compiled, number, grad) == call(function, number, grad)


@pytest.mark.parametrize(
    "backend", ["inductor", "eager", lambda graph, examples: graph.forward], ids=["inductor", "eager", "own"]
)
def test_elements_of_lists_are_replaced_in_every_call(backend):
    def double(parts):
        for place in range(len(parts)):
            parts[place] = parts[place] * 2
        return sum(parts)

    compiled, parts = torch.compile(double, backend=backend), [torch.ones(1), torch.ones(1)]
    assert [compiled(parts).item() for _ in range(3)] == [4, 8, 16] and parts[0].item() == 8


@pytest.mark.parametrize(
    "backend", ["inductor", "eager", lambda graph, examples: graph.forward], ids=["inductor", "eager", "own"]
)
def test_data_of_parameters_is_written_in_every_call(backend):
    weight = torch.nn.Parameter(torch.ones(2))

    def grow(x):
        weight.data.mul_(2)
        return x * weight

    compiled = torch.compile(grow, backend=backend)
    assert [compiled(torch.ones(2))[0].item() for _ in range(3)] == [2, 4, 8]


def test_errors_in_graphs_of_own_backends_are_those_of_the_function():
    compiled = torch.compile(torch.linalg.inv, backend=lambda graph, examples: graph.forward)
    compiled(torch.eye(2))
    with pytest.raises(torch.linalg.LinAlgError, match="singular"):
        compiled(torch.zeros(2, 2))
