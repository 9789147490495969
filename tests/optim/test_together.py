"""Small parameters that are stepped together get the bits that each gets by itself."""

import copy
import threading

import pytest

import tensh as torch

OPTIMIZERS = {
    "SGD": {}, "SGD momentum": {"momentum": 0.9, "dampening": 0.1}, "SGD nesterov": {"momentum": 0.9, "nesterov": True},
    "SGD decay": {"weight_decay": 0.1, "maximize": True}, "Adam": {}, "Adam amsgrad": {"amsgrad": True, "weight_decay": 0.1},
    "Adam maximize": {"maximize": True}, "AdamW": {"weight_decay": 0.1}, "Adamax": {}, "NAdam": {}, "RAdam": {}, "ASGD": {"t0": 2},
    "Adagrad": {"lr_decay": 0.1}, "Adadelta": {}, "RMSprop": {}, "RMSprop centered": {"centered": True, "momentum": 0.5},
    "Rprop": {},
}  # fmt: skip
"""Class and variant -> options."""
SHAPES = ((3, 4), (4,), (), (1,), (0,), (2, 3, 5), (70, 70), (64, 64), (64, 64), (5,))


def make_parameters(dtype):
    """Return parameters of many kinds: without dimensions, empty, large, transposed, and views of one memory."""
    parameters = [torch.randn(shape, dtype=dtype) for shape in SHAPES]
    parameters.append(torch.randn(4, 3, dtype=dtype).t())
    whole = torch.randn(6, dtype=dtype)
    parameters += [whole[:3], whole[3:]]
    return [each.requires_grad_() for each in parameters]


def run_steps(optimizers, parameters, gradients):
    """Step with these gradients, some of which are None."""
    for step in gradients:
        for p, g in zip(parameters, step, strict=True):
            p.grad = g
        for optimizer in optimizers:
            optimizer.step()


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.complex64], ids=str)
def test_steps_together_have_the_bits_of_steps_one_by_one(name, dtype):
    torch.manual_seed(0)
    together = make_parameters(dtype)
    alone = [p.detach().clone().requires_grad_() for p in together]
    gradients = [[torch.randn_like(p) for p in together] for _ in range(4)]
    gradients[1][1] = gradients[1][4] = gradients[2][0] = None  # after which the numbers of steps differ
    make, options = getattr(torch.optim, name.split()[0]), OPTIMIZERS[name]
    run_steps([make(together, lr=0.1, **options)], together, gradients)
    run_steps([make([p], lr=0.1, **options) for p in alone], alone, gradients)
    for number, (ours, theirs) in enumerate(zip(together, alone, strict=True)):
        assert torch.allclose(ours, theirs, rtol=0, atol=0, equal_nan=True), number


@pytest.mark.parametrize("name", ["SGD momentum", "Adam"])
def test_copies_and_loaded_states_step_on(name):
    torch.manual_seed(0)
    parameters = make_parameters(torch.float32)
    gradients = [[torch.randn_like(p) for p in parameters] for _ in range(4)]
    make, options = getattr(torch.optim, name.split()[0]), OPTIMIZERS[name]
    optimizer = make(parameters, lr=0.1, **options)
    run_steps([optimizer], parameters, gradients[:2])
    copied = copy.deepcopy(optimizer)
    others = copied.param_groups[0]["params"]
    loaded = [p.detach().clone().requires_grad_() for p in parameters]
    fresh = make(loaded, lr=0.1, **options)
    fresh.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    for each, own in ((optimizer, parameters), (copied, others), (fresh, loaded)):
        run_steps([each], own, gradients[2:])
    for first, second, third in zip(parameters, others, loaded, strict=True):
        assert torch.equal(first, second) and torch.equal(first, third)


def test_views_of_one_memory_are_stepped_one_after_the_other():
    whole = torch.ones(4)
    parts = [whole[:3].requires_grad_(), whole.detach()[1:].requires_grad_()]
    for p in parts:
        p.grad = torch.ones(3)
    torch.optim.SGD(parts, lr=1.0).step()
    assert whole.tolist() == [0, -1, -1, 0]


def test_two_parameters_with_the_same_data_are_both_stepped():
    parameters = [torch.ones(3, requires_grad=True) for _ in range(3)]
    parameters[1].data = parameters[0].data
    for p in parameters:
        p.grad = torch.ones(3)
    torch.optim.SGD(parameters, lr=1.0).step()
    assert [p.tolist() for p in parameters] == [[-1.0] * 3, [-1.0] * 3, [0.0] * 3]


def test_a_write_of_a_step_is_known_to_the_graph():
    parameters = [torch.ones(2, requires_grad=True) for _ in range(3)]
    loss = sum((p * p).sum() for p in parameters)
    for p in parameters:
        p.grad = torch.ones(2)
    torch.optim.SGD(parameters, lr=0.1).step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_threads_that_share_parameters_lose_no_step():
    parameters = [torch.zeros(5, requires_grad=True) for _ in range(6)]
    for p in parameters:
        p.grad = torch.ones(5)
    optimizer = torch.optim.SGD(parameters, lr=1.0)
    threads = [threading.Thread(target=lambda: [optimizer.step() for _ in range(100)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(p.tolist() == [-400.0] * 5 for p in parameters)


def test_parameters_without_elements_are_stepped():
    with torch.device("meta"):
        layer = torch.nn.Linear(3, 4)
    for p in layer.parameters():
        p.grad = torch.empty_like(p)
    optimizer = torch.optim.Adam(layer.parameters())
    optimizer.step()
    optimizer.step()
    assert optimizer.state[layer.bias]["exp_avg"].is_meta


def swap_data(optimizer, parameters):
    first, second = parameters[7].data, parameters[8].data
    parameters[7].data, parameters[8].data = second, first


def set_step(optimizer, parameters):
    if "step" in optimizer.state[parameters[0]]:
        optimizer.state[parameters[0]]["step"].fill_(7.0)


def change_dtype(optimizer, parameters):
    parameters[1].data = parameters[1].data.half()
    parameters[1].grad = None
    optimizer.state[parameters[1]].clear()


CHANGES = {
    "new data": lambda optimizer, parameters: setattr(parameters[0], "data", torch.zeros(3, 4)),
    "swapped data": swap_data,
    "a view": lambda optimizer, parameters: setattr(parameters[1], "data", torch.ones(8)[2:6]),
    "large data": lambda optimizer, parameters: setattr(parameters[1], "data", torch.ones(4)[:, None].repeat(1, 4097)[:, 0]),
    "another dtype": change_dtype,
    "the number of steps": set_step,
    "no state": lambda optimizer, parameters: optimizer.state.clear(),
    "another order": lambda optimizer, parameters: optimizer.param_groups[0]["params"].reverse(),
    "fewer parameters": lambda optimizer, parameters: optimizer.param_groups[0]["params"].pop(1),
    "one more": lambda optimizer, parameters: optimizer.param_groups[0]["params"].append(torch.ones(2, requires_grad=True)),
    "a new group": lambda optimizer, parameters: optimizer.param_groups.insert(0, optimizer.param_groups[0] | {"params": [], "lr": 0.5}),
    "the rate": lambda optimizer, parameters: optimizer.param_groups[0].update(lr=torch.tensor(0.3)),
}  # fmt: skip
"""What a program may do to an optimizer and its parameters between two steps."""


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", ["SGD", "SGD momentum", "Adam", "AdamW"])
def test_changes_between_steps_have_the_effect_that_they_have_without_batches(name, change, monkeypatch):
    results = []
    for fewest in (2, 1000):
        monkeypatch.setattr("tensh.optim.elementwise.FEWEST", fewest)
        torch.manual_seed(0)
        parameters = make_parameters(torch.float32)
        optimizer = getattr(torch.optim, name.split()[0])(parameters, lr=0.1, **OPTIMIZERS[name])
        gradients = [[torch.randn_like(p) for p in parameters] for _ in range(6)]
        run_steps([optimizer], parameters, gradients[:3])
        CHANGES[change](optimizer, parameters)
        for step in gradients[3:]:
            for p, g in zip(parameters, step, strict=True):
                p.grad = g.to(p.dtype).reshape(p.shape)
            optimizer.step()
        results.append(parameters)
    for number, (ours, theirs) in enumerate(zip(*results, strict=True)):
        assert torch.equal(ours, theirs), number
