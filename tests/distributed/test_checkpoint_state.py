"""State dicts of wrapped models and of optimizers: what they contain, what loads, and which errors occur, as in PyTorch."""

import importlib
import warnings

import pytest

SETTING = """
import copy

nn, o = torch.nn, torch.optim
Options = S.StateDictOptions

def make(seed=0, frozen=False):
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.BatchNorm1d(3), nn.Linear(3, 1, bias=False)))
    if frozen:
        model[0].bias.requires_grad_(False)
    return model

def tied():
    torch.manual_seed(0)
    model = nn.ModuleDict({"a": nn.Linear(2, 2), "b": nn.Linear(2, 2)})
    model["b"].weight = model["a"].weight
    return model

def train(model, optimizer, steps=2):
    model.eval()
    for _ in range(steps):
        model(torch.ones(4, 2) + torch.arange(4.0)[:, None]).square().sum().backward()
        optimizer.step()
        optimizer.zero_grad()

def move(make_first, make_second, optimizer, options=None):
    first, second = make_first(), make_second()
    a, b = optimizer(first.parameters()), optimizer(second.parameters())
    train(first, a)
    weights, state = copy.deepcopy(S.get_state_dict(first, a, options=options))
    found = S.set_state_dict(second, b, model_state_dict=weights, optim_state_dict=state, options=options)
    train(first, a), train(second, b)
    return found, [p for p in second.parameters()], all(map(torch.equal, first.parameters(), second.parameters()))

def two(model):
    return o.SGD(model[0].parameters(), lr=0.1, momentum=0.9), o.Adam(model[1].parameters(), lr=0.2)
"""

CASES = """
S.get_model_state_dict(make())
S.get_model_state_dict(make(frozen=True), options=Options(ignore_frozen_params=True))
S.get_model_state_dict(m := make(), submodules={m[1]})
S.get_model_state_dict(m := make(), submodules={m[1]}, options=Options(keep_submodule_prefixes=False))
S.get_model_state_dict(make(), options=Options(full_state_dict=True, cpu_offload=True))
S.get_model_state_dict(make(), options=Options(broadcast_from_rank0=True))
S.get_model_state_dict(torch.compile(make(), backend="eager"))
S.get_optimizer_state_dict(m := make(), o.Adam(m.parameters()))
S.get_optimizer_state_dict(m := make(), o.SGD(m.parameters(), lr=0.1))
S.get_optimizer_state_dict(m := make(), o.SGD(m.parameters(), lr=0.1, momentum=0.9))
S.get_optimizer_state_dict(m := make(), two(m))
S.get_optimizer_state_dict(m := make(), o.Adam(m.parameters()), options=Options(flatten_optimizer_state_dict=True))
S.get_optimizer_state_dict(m := make(frozen=True), o.Adam(m.parameters()))
S.get_optimizer_state_dict(make(), ())
S.get_optimizer_state_dict(m := make(), o.Adam([{"params": m[0].parameters(), "lr": 0.5}, {"params": m[1].parameters()}]))
S.get_state_dict(m := make(), o.AdamW(m.parameters(), lr=0.1)), list(m.parameters())
S.get_state_dict(m := make(), ())
S.get_state_dict(m := tied(), o.Adam(m.parameters()))
move(make, make, lambda p: o.Adam(p, lr=0.1))
move(make, lambda: make(1), lambda p: o.Adam(p, lr=0.1))
move(make, lambda: make(1), lambda p: o.Adam(p, lr=torch.tensor(0.1)))
move(make, lambda: make(1), lambda p: o.SGD(p, lr=0.001, momentum=0.9))
move(make, lambda: make(1), lambda p: o.SGD(p, lr=0.001))
move(make, lambda: make(1), lambda p: o.Adam(p, lr=0.1), Options(flatten_optimizer_state_dict=True))
move(make, lambda: make(1), lambda p: o.RMSprop(p), Options(full_state_dict=True))
move(make, lambda: make(1), lambda p: o.Adam(p), Options(full_state_dict=True, cpu_offload=True))
move(lambda: make(0, True), lambda: make(1, True), lambda p: o.Adam(p))
move(make, lambda: torch.compile(make(1), backend="eager"), lambda p: o.Adam(p))
move(lambda: torch.compile(make(), backend="eager"), lambda: make(1), lambda p: o.Adam(p))
S.set_model_state_dict(m := make(1), S.get_model_state_dict(make())), m.state_dict()
S.set_model_state_dict(make(), {"0.weight": torch.ones(3, 2)})
S.set_model_state_dict(m := make(), {"0.weight": torch.ones(3, 2)}, options=Options(strict=False)), m.state_dict()
S.set_model_state_dict(m := make(), {"x": torch.ones(3, 2)}, options=Options(strict=False))
S.set_model_state_dict(make(), {m: 1 for m in ()}, options=Options(strict=False))
S.set_model_state_dict(m := make(), {m[1][0]: {"bias": torch.ones(3)}}, options=Options(strict=False)), m[1][0].bias
S.set_model_state_dict(torch.compile(make(), backend="eager"), {"0.weight": torch.ones(3, 2)})
S.set_optimizer_state_dict(m := make(), a := o.Adam(m.parameters()), S.get_optimizer_state_dict(m, a)), a.state_dict()
S.set_optimizer_state_dict(m := make(), a := o.Adam(m.parameters()), {})
S.set_optimizer_state_dict(m := make(), a := o.Adam(m.parameters()), {"state": {"0.weight": {}}, "param_groups": []})
S.set_optimizer_state_dict(m := make(), two(m), S.get_optimizer_state_dict(m, o.Adam(m.parameters()))), [x.state_dict() for x in two(m)]
S.set_optimizer_state_dict(m := make(), x := two(m), S.get_optimizer_state_dict(m, two(m))), [y.state_dict() for y in x]
S.set_optimizer_state_dict(m := tied(), a := o.Adam(m.parameters()), S.get_optimizer_state_dict(m, a)), a.state_dict()
S.set_state_dict(m := make(), (), model_state_dict=m.state_dict(), optim_state_dict={})
S.set_state_dict(m := make(), o.Adam(m.parameters()), model_state_dict={}, optim_state_dict=S.get_optimizer_state_dict(m, o.Adam(m.parameters())))
S.set_state_dict(m := make(), o.Adam(m.parameters()), model_state_dict=m.state_dict(), optim_state_dict={})
S.StateDictOptions()
""".strip().splitlines()


def found_by(torch, text):
    """The value of an expression and its warnings, or its error, as text."""
    names = {"torch": torch, "S": importlib.import_module(f"{torch.__name__}.distributed.checkpoint.state_dict")}
    exec(SETTING, names)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = repr(eval(text, names))
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
    return found, [str(each.message) for each in caught if issubclass(each.category, FutureWarning)]


@pytest.mark.parametrize("text", CASES)
def test_state_dicts_are_pytorchs(oracle, text):
    torch = importlib.import_module("tensh")
    assert found_by(torch, text) == found_by(oracle, text)
