"""Optimizers do what PyTorch's do: parameters and state after ten steps, in every setting and dtype."""

import copy
import signal
import sys
import warnings

import numpy as np
import pytest

import tensh
from tensh.engine.core.clock import mode
from tensh.optim.for_custom_optimizers import _get_scalar_dtype
from tests.recorded.answers import read_answers
from tests.recorded.optim.optimizers import CASES, SETTINGS, plain, trained
from tests.recorded.optim.record import FILE, rates, training

RTOL = {"float64": 1e-13, "float32": 3e-6, "complex64": 3e-6, "bfloat16": 1e-2, "float16": 2e-3}
LOOSER = {"Muon": 2e-2, "LBFGS": 1e-6}  # the one computes in bfloat16, the other divides by differences of gradients


def test_every_optimizer_has_settings():
    classes = {name for name in tensh.optim.PLACES if name[0].isupper()} - {"Optimizer"}
    assert classes - {"SparseAdam"} == {*SETTINGS}  # its gradients are sparse: a test below has them


@pytest.mark.parametrize(("name", "options", "dtype"), CASES)
def test_ten_steps_are_pytorchs(oracle, name, options, dtype):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (expected, theirs), (params, ours) = (trained(torch, name, options, dtype) for torch in (oracle, tensh))
    exact = dtype in ("bfloat16", "float16") and not options.keys() & {"foreach", "fused"} and name != "Adadelta"
    rtol = 0 if exact else LOOSER.get(name) or RTOL[dtype]
    same(plain(params), plain(expected), rtol)
    same(plain(ours.state_dict()), plain(theirs.state_dict()), rtol)
    assert repr(ours) == repr(theirs)


def same(one, other, rtol, where=""):
    assert type(one) is type(other), where
    if isinstance(one, dict):
        assert list(one) == list(other), where
        for key in one:
            same(one[key], other[key], rtol, f"{where}.{key}")
    elif isinstance(one, tuple) and one and isinstance(one[0], str) and one[0] == "tensor":
        assert one[:3] == other[:3], where
        atol = rtol * max(np.abs(other[3]).max(), 1e-3)
        np.testing.assert_allclose(one[3], other[3], rtol=rtol, atol=atol, err_msg=where)
    elif isinstance(one, list | tuple):
        assert len(one) == len(other), where
        for number, (each, its) in enumerate(zip(one, other)):
            same(each, its, rtol, f"{where}[{number}]")
    elif isinstance(one, float):
        assert one == pytest.approx(other, rel=rtol), where
    else:
        assert one == other, where


@pytest.mark.parametrize(("name", "options"), [(name, each) for name in SETTINGS for each in SETTINGS[name][:3]])
def test_a_loaded_state_goes_on_as_pytorchs(oracle, name, options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (expected, theirs), (params, ours) = (
            trained(torch, name, options, "float64", loads=True) for torch in (oracle, tensh)
        )
    rtol = LOOSER.get(name) or RTOL["float64"]
    same(plain(params), plain(expected), rtol)
    same(plain(ours.state_dict()), plain(theirs.state_dict()), rtol)


@pytest.mark.parametrize("compute", [training, rates])
def test_recorded_figures(compute):
    recorded = read_answers(FILE)
    for case, numbers in compute(tensh).items():
        rtol = LOOSER["Muon"] if case.startswith("Muon") else 1e-6
        np.testing.assert_allclose(numbers, recorded[case], rtol=rtol, atol=rtol, err_msg=case)


@pytest.mark.parametrize(
    ("name", "options"), [("SGD", {"momentum": 0.9}), ("Adam", {}), ("RMSprop", {"centered": True})]
)
@pytest.mark.parametrize("layout", ["rows", "columns", "every other"])
@pytest.mark.parametrize("dtype", [tensh.float32, tensh.complex64])
def test_the_layout_of_memory_changes_nothing(name, options, layout, dtype):
    """A parameter of many elements is updated in pieces, each as a small one is."""
    tensh.manual_seed(0)
    values, gradient = tensh.randn(300, 400, dtype=dtype), tensh.randn(300, 400, dtype=dtype)
    laid = {"rows": lambda t: t.clone(), "columns": lambda t: t.T.clone().T, "every other": doubled}[layout]
    large = laid(values).requires_grad_()
    small = [values[i : i + 10].clone().requires_grad_() for i in range(0, 300, 10)]
    large.grad = laid(gradient)
    for i, each in enumerate(small):
        each.grad = gradient[10 * i : 10 * i + 10].clone()
    for params in ([large], small):
        optimizer = getattr(tensh.optim, name)(params, lr=0.1, **options)
        for _ in range(3):
            optimizer.step()
    assert tensh.equal(large, tensh.cat(small))


def doubled(t):
    return tensh.stack([t, t], -1)[..., 0]


def test_an_interrupt_waits_until_the_step_is_whole():
    class Interrupted(tensh.optim.Adam):
        def rule(self, p, *args):
            signal.raise_signal(signal.SIGINT)
            return super().rule(p, *args)

    before = signal.getsignal(signal.SIGINT)
    params = [tensh.ones(2, requires_grad=True) for _ in range(3)]
    optimizer = Interrupted(params, lr=0.1)
    for p in params:
        p.grad = tensh.ones(2)
    with pytest.raises(KeyboardInterrupt):
        optimizer.step()
    assert signal.getsignal(signal.SIGINT) is before
    assert [p.tolist() for p in params] == [pytest.approx([0.9, 0.9])] * 3
    assert [optimizer.state[p]["step"].item() for p in params] == [1.0] * 3


def test_an_interrupted_line_search_leaves_the_parameters():
    w = tensh.tensor([3.0, -1.0], requires_grad=True)
    optimizer = tensh.optim.LBFGS([w], line_search_fn="strong_wolfe")
    calls = []

    def closure():
        calls.append(w.tolist())
        if len(calls) == 3:
            raise KeyboardInterrupt
        optimizer.zero_grad()
        loss = (w**4).sum()
        loss.backward()
        return loss

    with pytest.raises(KeyboardInterrupt):
        optimizer.step(closure)
    assert w.tolist() != calls[2]


def test_a_step_is_one_write():
    w = tensh.ones(2, requires_grad=True)
    optimizer = tensh.optim.Adam([w])
    w.grad = tensh.ones(2)
    optimizer.step()
    assert w._version == 1


@pytest.mark.parametrize("name", ["SGD", "Adagrad", "SparseAdam"])
def test_sparse_gradients_change_rows_as_in_pytorch(name, oracle):
    def table(torch):
        layer = torch.nn.Embedding(4, 2, sparse=True)
        layer.weight.data.copy_(torch.arange(8.0).reshape(4, 2))
        optimizer = getattr(torch.optim, name)(list(layer.parameters()), lr=0.1)
        for indices in ([1, 1, 3], [1, 0], [3]):
            optimizer.zero_grad()
            layer(torch.tensor(indices)).pow(2).sum().backward()
            optimizer.step()
        return layer.weight.reshape(-1).tolist()

    assert table(tensh) == pytest.approx(table(oracle), rel=1e-6)


def test_other_optimizers_refuse_sparse_gradients():
    layer = tensh.nn.Embedding(4, 2, sparse=True)
    layer(tensh.tensor([1])).sum().backward()
    with pytest.raises(
        RuntimeError, match="^Adam does not support sparse gradients, please consider SparseAdam instead$"
    ):
        tensh.optim.Adam(layer.parameters()).step()


def test_modules_are_named_as_in_pytorch():
    names = {}
    exec("import tensh.optim as optim, tensh.optim.lr_scheduler as lr; from tensh.optim import *", names)
    from tensh.optim.adamw import AdamW
    from tensh.optim.lr_scheduler import _LRScheduler
    from tensh.optim.optimizer import Optimizer

    assert names["AdamW"] is AdamW
    assert issubclass(AdamW, Optimizer)
    assert issubclass(_LRScheduler, names["lr"].LRScheduler)
    assert not issubclass(names["lr"].StepLR, _LRScheduler)


# ── ^C at any line ───────────────────────────────────────────────────────────
def interrupted_after(lines, function):
    """Call a function, and press ^C when that many lines of it have run; whether it was interrupted."""
    left = lines

    def trace(frame, event, argument):
        nonlocal left
        if event == "line":
            left -= 1
            if left == 0:
                signal.raise_signal(signal.SIGINT)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def remembered(*things):
    return repr([copy.deepcopy(thing.state_dict()) for thing in things])


def underway(name, settings):
    """A model and an optimizer that have made two steps; a function that makes another."""
    tensh.manual_seed(0)
    model = tensh.nn.Linear(3, 3, bias=False)
    optimizer = getattr(tensh.optim, name)(model.parameters(), **settings)
    x = tensh.arange(6.0).view(2, 3) / 5

    def closure():
        optimizer.zero_grad()
        loss = (model(x) ** 4).sum()
        loss.backward()
        return loss

    def step():
        if name != "LBFGS":
            closure()
        optimizer.step(closure if name == "LBFGS" else None)

    step(), step()
    return model, optimizer, step


@pytest.mark.parametrize("name", SETTINGS)
def test_an_interrupt_leaves_a_step_made_or_not(name):
    model, optimizer, step = underway(name, SETTINGS[name][-1])
    before = remembered(model, optimizer)
    step()
    after = remembered(model, optimizer)
    seen = set()
    for lines in (1, 30, 100, 200, 400, 800, 1500, 3000, 10**6):
        model, optimizer, step = underway(name, SETTINGS[name][-1])
        interrupted = interrupted_after(lines, step)
        now = remembered(model, optimizer)
        assert now in (before, after) and (interrupted or now == after)
        seen.add(now)
        if interrupted and now == before:
            step()  # goes on as if nothing had been
            assert remembered(model, optimizer) == after
    assert before in seen and len(seen) == 2


def test_an_interrupt_at_any_line_leaves_the_modes_of_recording():
    _, _, step = underway("SGD", SETTINGS["SGD"][-1])
    lines, interrupted = 0, True
    while interrupted:
        lines += 1
        interrupted = interrupted_after(lines, step)
        assert tensh.is_grad_enabled() and mode.running is None, lines
    assert lines > 100


def changes():
    """Name -> what changes several values, the things that are changed, a function that does it."""
    model, other = tensh.nn.Linear(3, 3), tensh.nn.Sequential(tensh.nn.Linear(2, 2), tensh.nn.BatchNorm1d(2))
    optimizer = tensh.optim.SGD([{"params": [p]} for p in model.parameters()], lr=0.1)
    optimizer.step()
    averaged = tensh.optim.swa_utils.AveragedModel(other)
    averaged.update_parameters(other)
    state = {name: value.clone() + 1 for name, value in other.state_dict().items()}
    schedulers = tensh.optim.lr_scheduler
    cosine = schedulers.CosineAnnealingWarmRestarts(optimizer, 3)
    chained = schedulers.ChainedScheduler(
        [schedulers.ExponentialLR(optimizer, 0.5), schedulers.ExponentialLR(optimizer, 0.9)]
    )
    plateau = schedulers.ReduceLROnPlateau(optimizer, patience=0)
    plateau.step(1.0)
    optimizer.step()
    with tensh.no_grad():
        moved = tensh.optim.swa_utils.AveragedModel(other)
        for p in moved.parameters():
            p += 1
    return {
        "load_state_dict": ((other,), lambda: other.load_state_dict(state)),
        "a scheduler": ((optimizer, cosine), cosine.step),
        "schedulers": ((optimizer, chained), chained.step),
        "a plateau": ((optimizer, plateau), lambda: plateau.step(2.0)),
        "an average": ((averaged,), lambda: averaged.update_parameters(moved.module)),
        "an optimizer's state": ((optimizer,), lambda: optimizer.load_state_dict(tensh.optim.SGD(
            [{"params": [p], "lr": 7.0} for p in model.parameters()], lr=0.5).state_dict())),
    }  # fmt: skip


@pytest.mark.parametrize(
    "name", ["load_state_dict", "a scheduler", "schedulers", "a plateau", "an average", "an optimizer's state"]
)
def test_an_interrupt_leaves_a_change_made_or_not(name):
    def fresh():
        tensh.manual_seed(0)
        return changes()[name]

    things, change = fresh()
    before = remembered(*things)
    change()
    after = remembered(*things)
    for lines in (1, 4, 10, 20, 40, 80, 160):
        things, change = fresh()
        interrupted = interrupted_after(lines, change)
        now = remembered(*things)
        assert now in (before, after) and (interrupted or now == after)


@pytest.mark.parametrize(
    "default, is_fused, dtype",
    [("float16", None, "float32"), ("float64", None, "float64"), ("float64", True, "float32")],
)
def test_custom_optimizers_count_steps_in_the_dtype_of_pytorch(default, is_fused, dtype):
    tensh.set_default_dtype(getattr(tensh, default))
    try:
        assert _get_scalar_dtype(is_fused) is getattr(tensh, dtype)
    finally:
        tensh.set_default_dtype(tensh.float32)
