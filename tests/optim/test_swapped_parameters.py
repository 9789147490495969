"""An optimizer that temporarily has other parameters: their updates, and that no trace remains."""

import copy

import pytest

import tensh as torch

OPTIMIZERS = {
    "SGD": {"lr": 0.1, "momentum": 0.9}, "Adam": {"lr": 0.1}, "AdamW": {"lr": 0.1, "amsgrad": True}, "NAdam": {},
    "RAdam": {}, "Adamax": {}, "Adagrad": {}, "Adadelta": {}, "RMSprop": {"momentum": 0.5, "centered": True}, "Rprop": {},
    "ASGD": {}, "Adafactor": {},
}  # fmt: skip


def parameters(module, scale):
    """Two tensors with gradients."""
    tensors = [scale * module.arange(1.0, 5.0).reshape(2, 2), scale * module.ones(3)]
    for t in tensors:
        t.requires_grad_().grad = t.detach().cos()
    return tensors


def plain(value):
    return value.tolist() if hasattr(value, "tolist") else value


def described(optimizer):
    """Parameters, options and states, as plain data."""
    packed = optimizer.state_dict()
    states = {number: {k: plain(v) for k, v in state.items()} for number, state in packed["state"].items()}
    groups = [
        {k: [p.tolist() for p in v] if k == "params" else plain(v) for k, v in group.items()}
        for group in optimizer.param_groups
    ]
    return states, groups


def run(module, name, options, repeat=2):
    """What an optimizer is within the context and after it, and what became of the state that it was given."""
    first, second = parameters(module, 1.0)
    optimizer = getattr(module.optim, name)([{"params": [first]}, {"params": [second], "lr": 0.01}], **options)
    optimizer.step()
    given = copy.deepcopy(optimizer.state_dict())
    given["param_groups"][0]["lr"] = 0.5
    others = dict(zip("ab", parameters(module, 2.0), strict=True))
    before, lists, state = described(optimizer), [g["params"] for g in optimizer.param_groups], optimizer.state
    with module.optim.swap_in_optimizer_params_and_state(optimizer, others, given):
        for _ in range(repeat):
            optimizer.step()
        within = described(optimizer)
    assert described(optimizer) == before and optimizer.state is state
    assert all(one is other["params"] for one, other in zip(lists, optimizer.param_groups, strict=True))
    kept = {number: {k: plain(v) for k, v in each.items()} for number, each in given["state"].items()}
    return within, [t.tolist() for t in others.values()], kept


def rounded(value):
    if isinstance(value, float):
        return pytest.approx(value, rel=1e-5, abs=1e-7)
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    return type(value)(map(rounded, value)) if isinstance(value, (list, tuple)) else value


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_steps_are_those_of_pytorch(oracle, name):
    assert run(torch, name, OPTIMIZERS[name]) == rounded(run(oracle, name, OPTIMIZERS[name]))


def test_the_optimizer_is_itself_again_after_an_error():
    first, second = parameters(torch, 1.0)
    optimizer = torch.optim.SGD([first], lr=0.1, momentum=0.9)
    optimizer.step()
    before = described(optimizer)
    with (
        pytest.raises(KeyError),
        torch.optim.swap_in_optimizer_params_and_state(optimizer, {"": second}, optimizer.state_dict()),
    ):
        optimizer.param_groups[0]["more"] = 1
        raise KeyError
    assert described(optimizer) == before and "more" not in optimizer.param_groups[0]


# What is done to the arguments, a dictionary of the parameters and the optimizer's state.
REFUSED = """
given.pop("state")
given.update(state=3)
given["state"].update({w: {}})
given["state"].update({0: 1})
given["state"].update({7: {}, "x": 1})
given.pop("param_groups")
given["param_groups"].append({})
given["param_groups"].__setitem__(0, 1)
given["param_groups"][0].pop("params")
given["param_groups"][0].update(params=[w, w])
given["param_groups"][0].update(params=[0])
given["param_groups"][0].pop("lr")
given["param_groups"][0].update(more=1)
others.pop("b")
optimizer.state.clear()
arguments.__setitem__(2, [])
""".strip().split("\n")


@pytest.mark.parametrize("code", REFUSED)
def test_wrong_swaps_are_refused_as_in_pytorch(oracle, code):
    def refusal(module):
        tensors = parameters(module, 1.0)
        optimizer = module.optim.SGD(tensors, lr=0.1, momentum=0.9)
        optimizer.step()
        given, others = optimizer.state_dict(), dict(zip("ab", parameters(module, 2.0), strict=True))
        arguments = [optimizer, others, given]
        eval(code, {"given": given, "others": others, "optimizer": optimizer, "arguments": arguments, "w": tensors[0]})
        with pytest.raises(RuntimeError) as caught, module.optim.swap_in_optimizer_params_and_state(*arguments):
            pass
        return str(caught.value)

    assert refusal(torch) == refusal(oracle)
