"""functorch.compile: a function and its backward pass as two graphs, divided as in PyTorch."""

import importlib
import re

import pytest

import tensh as torch
from tensh.functorch.compile import (
    aot_function,
    aot_module,
    default_partition,
    make_boxed_func,
    memory_efficient_fusion,
    min_cut_rematerialization_partition,
    nop,
)


def make_cases(torch):
    """Return name -> (function, arguments)."""

    def leaf(*sizes):
        made = torch.arange(float(torch.Size(sizes).numel())).reshape(sizes) / 3 + 0.1
        return made.requires_grad_()

    linear = torch.nn.functional.linear
    return {
        "chain": (lambda x, y: (x.sin() * y).cos().sum(), (leaf(3), leaf(3))),
        "product": (lambda x, y: (x @ y).relu(), (leaf(3, 3), leaf(3, 3))),
        "two results": (lambda x, y: (x * 2, y.sum()), (leaf(3), torch.ones(3))),
        "layer": (lambda x, w, b: linear(x, w, b).tanh().sum(), (torch.ones(2, 3), leaf(4, 3), leaf(4))),
        "powers": (lambda x: x.exp().exp(), (leaf(3),)),
        "structure": (lambda x, y: {"a": x * y, "b": [x + 1]}, (leaf(2), leaf(2))),
    }


def run(library, name, partition, aot_function, boxed):
    """Return (codes of both graphs, results, gradients)."""
    function, args = make_cases(library)[name]
    codes = []

    def compiler(graph, inputs):
        codes.append(graph.code)
        return boxed(graph)

    results = aot_function(function, fw_compiler=compiler, bw_compiler=compiler, partition_fn=partition)(*args)
    leaves = list_tensors(results)
    sum(each.sum() for each in leaves if each.requires_grad).backward()
    return codes, [each.tolist() for each in leaves], [each.grad.tolist() for each in args if each.requires_grad]


def list_tensors(value):
    if hasattr(value, "grad_fn"):
        return [value]
    return [each for part in (value.values() if isinstance(value, dict) else value) for each in list_tensors(part)]


@pytest.mark.parametrize("name", make_cases(torch))
def test_the_graphs_are_pytorchs(name, oracle):
    theirs = importlib.import_module("functorch.compile")
    ours, expected = (
        run(library, name, part.default_partition, part.aot_function, part.make_boxed_func)[0]
        for library, part in ((torch, importlib.import_module("tensh.functorch.compile")), (oracle, theirs))
    )
    assert [each.rstrip() for each in ours] == [each.rstrip() for each in expected]


@pytest.mark.parametrize("partition", [default_partition, min_cut_rematerialization_partition])
@pytest.mark.parametrize("name", make_cases(torch))
def test_results_and_gradients_are_those_of_the_function(name, partition):
    _, results, gradients = run(torch, name, partition, aot_function, make_boxed_func)
    function, args = make_cases(torch)[name]
    leaves = list_tensors(function(*args))
    sum(each.sum() for each in leaves if each.requires_grad).backward()
    torch.testing.assert_close(results, [each.tolist() for each in leaves])
    torch.testing.assert_close(gradients, [each.grad.tolist() for each in args if each.requires_grad])


def test_the_smallest_cut_saves_less():
    codes = [run(torch, "chain", each, aot_function, make_boxed_func)[0] for each in
             (default_partition, min_cut_rematerialization_partition)]  # fmt: skip
    saved = [re.search(r"return \((.*)\)", each[0])[1].split(", ") for each in codes]
    assert saved == [["sum_1", "primals_1", "primals_2", "sin", "mul"], ["sum_1", "primals_1", "primals_2"]]
    assert codes[1][1].count("aten.sin") == 2


def test_modules_and_other_shapes():
    layer, calls = torch.nn.Linear(2, 2), []
    module = aot_module(layer, lambda graph, inputs: (calls.append(len(inputs)), graph)[1])
    for size in (1, 1, 3):
        x = torch.randn(size, 2)
        assert torch.equal(module(x), layer(x))
    module(x).sum().backward()
    assert layer.weight.grad.tolist() == [x.sum(0).tolist()] * 2 and len(calls) == 3
    x = torch.ones(2, requires_grad=True)
    memory_efficient_fusion(lambda x: x.sin().cos())(x).sum().backward()
    torch.testing.assert_close(x.grad, -x.sin().sin() * x.cos(), check_stride=False)
    with torch.no_grad():
        assert not aot_function(lambda x: x * 2, nop)(x).requires_grad
