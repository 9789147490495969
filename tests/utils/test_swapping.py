"""torch.utils.swap_tensors, and what torch.__future__ sets."""

import importlib
import weakref

import pytest

import tensh as torch
from tensh.alias import torch_is_tensh


def test_two_tensors_become_each_other():
    weight, other = torch.nn.Parameter(torch.ones(2)), torch.zeros(3, dtype=torch.float64)
    (weight * 2).sum().backward()
    weight.rate = 1
    torch.utils.swap_tensors(weight, other)
    assert type(weight) is torch.Tensor and weight.dtype is torch.float64 and weight.tolist() == [0, 0, 0]
    assert type(other) is torch.nn.Parameter and other.tolist() == [1, 1] and other.rate == 1
    assert other.grad.tolist() == [2, 2] and weight.grad is None and not hasattr(weight, "rate")
    (other * 3).sum().backward()
    assert other.grad.tolist() == [5, 5]
    assert torch.autograd.graph.get_gradient_edge(other).node.variable is other


def test_a_graph_of_before_is_refused():
    leaf = torch.ones(2, requires_grad=True)
    y = leaf * 2
    torch.utils.swap_tensors(leaf, torch.ones(2))
    with pytest.raises(RuntimeError, match="poisoned by swap_tensors"):
        y.sum().backward()


def test_tensors_that_somebody_refers_to_weakly_stay():
    a, b = torch.ones(2), torch.zeros(2)
    reference = weakref.ref(b)
    with pytest.raises(RuntimeError, match="Cannot swap t2 because it has weakref associated with it"):
        torch.utils.swap_tensors(a, b)
    assert reference() is b and a.tolist() == [1, 1]


@pytest.mark.parametrize("overwrite", [False, True])
def test_modules_that_are_converted(overwrite):
    with torch_is_tensh():
        future = importlib.import_module("torch.__future__")
    assert future is torch.__future__ and not future.get_overwrite_module_params_on_conversion()
    layer = torch.nn.Linear(2, 1)
    layer(torch.ones(2)).backward()
    weight = layer.weight
    future.set_overwrite_module_params_on_conversion(overwrite)
    try:
        layer.double()
    finally:
        future.set_overwrite_module_params_on_conversion(False)
    assert (layer.weight is weight) is not overwrite
    assert layer.weight.dtype is layer.weight.grad.dtype is torch.float64 and layer.weight.requires_grad
    assert (weight.dtype is torch.float32) is overwrite


def test_swapping_is_kept_and_changes_nothing():
    future = torch.__future__
    future.set_swap_module_params_on_conversion(True)
    try:
        layer = torch.nn.Linear(2, 1)
        weight = layer.weight
        assert layer.half().weight is weight and future.get_swap_module_params_on_conversion()
    finally:
        future.set_swap_module_params_on_conversion(False)
