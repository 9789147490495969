"""^C at any moment of a change of a module or of its tensors: afterwards the change has happened, or not at all."""

import warnings

import pytest

import tensh as torch
from tensh import nn
from tensh.nn.parameter import is_lazy
from tensh.nn.utils import parametrizations, parametrize, prune
from tests.support.interrupts import interrupt_at
from tests.support.lacking_memory import lacking_memory

ONES = torch.ones(4, 3)


class Symmetric(nn.Module):
    def forward(self, x):
        return x + x.T

    def right_inverse(self, x):
        return x / 2


def make_model():
    """A model with gradients."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Linear(3, 2))
    model(ONES).sum().backward()
    return model


def make_state():
    state = make_model().state_dict()
    return {name: value + 1 for name, value in state.items()}


def make_lazy():
    torch.manual_seed(0)
    return nn.Sequential(nn.LazyLinear(3))


def after(*changes):
    """Return a function that makes a model, and changes it."""

    def make():
        model = make_model()
        for change in changes:
            change(model)
        return model

    return make


def parametrize_weight(model):
    parametrize.register_parametrization(model[0], "weight", Symmetric())


def prune_weight(model):
    prune.l1_unstructured(model[0], "weight", 2)


CHANGES = {
    "to": (make_model, lambda model: model.to(torch.float64)),
    "half": (make_model, lambda model: model.half()),
    "to_empty": (make_model, lambda model: model.to_empty(device="meta")),
    "requires_grad_": (make_model, lambda model: model.requires_grad_(False)),
    "load_state_dict": (make_model, lambda model: model.load_state_dict(make_state())),
    "parametrization": (make_model, parametrize_weight),
    "second parametrization": (after(parametrize_weight), parametrize_weight),
    "parametrization that is removed": (
        after(parametrize_weight),
        lambda model: parametrize.remove_parametrizations(model[0], "weight"),
    ),
    "original that is restored": (
        after(parametrize_weight),
        lambda model: parametrize.remove_parametrizations(model[0], "weight", leave_parametrized=False),
    ),
    "parametrization that is transferred": (
        make_model,
        lambda model: parametrize.transfer_parametrizations_and_params(after(parametrize_weight)()[0], model[0]),
    ),
    "orthogonal": (make_model, lambda model: parametrizations.orthogonal(model[0])),
    "weight_norm": (make_model, lambda model: nn.utils.weight_norm(model[0])),
    "remove_weight_norm": (
        after(lambda model: nn.utils.weight_norm(model[0])),
        lambda model: nn.utils.remove_weight_norm(model[0]),
    ),
    "spectral_norm": (make_model, lambda model: (torch.manual_seed(1), nn.utils.spectral_norm(model[0]))),
    "remove_spectral_norm": (
        after(lambda model: nn.utils.spectral_norm(model[0])),
        lambda model: nn.utils.remove_spectral_norm(model[0]),
    ),
    "pruning": (make_model, prune_weight),
    "second pruning": (after(prune_weight), prune_weight),
    "pruning that is removed": (after(prune_weight), lambda model: prune.remove(model[0], "weight")),
    "pruning of several": (
        make_model,
        lambda model: prune.global_unstructured(
            [(model[0], "weight"), (model[2], "weight")], prune.L1Unstructured, amount=3
        ),
    ),
    "vector": (make_model, lambda model: nn.utils.vector_to_parameters(torch.ones(26), model.parameters())),
    "clip by norm": (make_model, lambda model: nn.utils.clip_grad_norm_(model.parameters(), 0.1)),
    "clip by value": (make_model, lambda model: nn.utils.clip_grad_value_(model.parameters(), 0.1)),
    "swap": (make_model, lambda model: torch.utils.swap_tensors(model[0].weight, model[2].weight)),
    "deletion": (make_model, lambda model: model.__delitem__(0)),
    "insertion": (make_model, lambda model: model.insert(1, nn.ReLU())),
    "first call": (make_lazy, lambda model: model(ONES)),
}


def describe_tensor(t):
    if is_lazy(t) or t.is_meta:
        return type(t).__name__, str(t.device)
    grad = None if t.grad is None else t.grad.tolist()
    return type(t).__name__, str(t.dtype), t.tolist(), t.requires_grad, grad


def describe(model):
    """Return all that a change can change."""
    members = [*model.named_parameters(remove_duplicate=False), *model.named_buffers(remove_duplicate=False)]
    hooks = [(len(each._forward_pre_hooks), len(each._state_dict_hooks)) for each in model.modules()]
    return repr(model), [*model.state_dict()], [(name, describe_tensor(each)) for name, each in members], hooks


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_that_is_interrupted_anywhere_is_whole(name):
    make, change = CHANGES[name]
    changed, moment, more = make(), 1, True
    change(changed)
    states = describe(make()), describe(changed)
    assert states[0] != states[1]
    while more:
        model = make()
        more = interrupt_at(moment, lambda model=model: change(model))
        assert describe(model) in states, moment
        moment += 1 + moment // 20
    assert moment > 5


@pytest.mark.parametrize("layer", ["LazyLinear", "LazyConv1d", "LazyBatchNorm1d"])
def test_a_lazy_layer_whose_first_call_lacks_memory_is_called_again(layer):
    make, input = getattr(nn, layer), torch.ones(2, 3, 4)
    make = {"LazyLinear": lambda: nn.LazyLinear(3), "LazyConv1d": lambda: nn.LazyConv1d(3, 2)}.get(layer, make)
    moment, has_come, failed = 0, lambda: True, 0
    while has_come():
        module = make()
        with lacking_memory(moment) as has_come:
            try:
                module(input)
            except (RuntimeError, MemoryError):
                failed += 1
        module(input)
        assert not module.state_dict().keys() - make().state_dict().keys() and type(module).__name__ == layer[4:]
        moment += 1
    assert failed > 2
