"""^C in plain Python programs, where nothing delays it: later computations are unaffected."""

import signal
from types import SimpleNamespace

import pytest

import tensh as torch
from tensh.amp import casting, settings
from tensh.engine.autograd import saved_tensors, tangent_levels
from tensh.engine.core.clock import listeners, mode
from tensh.engine.dispatch.override import points
from tensh.engine.dispatch.override.state import state as overrides
from tensh.engine.dtypes import device as devices
from tensh.engine.inplace.outside import differentiating
from tensh.overrides import TorchFunctionMode
from tensh.utils._python_dispatch import TorchDispatchMode
from tests.support.interrupts import interrupt_at


def interrupt(*_):
    raise KeyboardInterrupt


def interrupted_after(function):
    """Return the function, with ^C right after it."""

    def call(*args):
        function(*args)
        raise KeyboardInterrupt

    return call


def derivative():
    return torch.func.jvp(torch.sin, (torch.zeros(1),), (torch.ones(1),))[1].tolist()


@pytest.mark.parametrize("name", ["listen", "unlisten", "_set_levels", "Level", "jvp", "value_of", "as_tensor"])
def test_levels_of_forward_accumulation(monkeypatch, name):
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(tangent_levels, name, interrupted_after(getattr(tangent_levels, name)))
        derivative()
    assert [derivative(), derivative()] == [[1.0], [1.0]]


def test_hooks_on_saved_tensors(monkeypatch):
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(saved_tensors, "listen", interrupt)
        with torch.autograd.graph.saved_tensors_hooks(interrupt, interrupt):
            pass
    x = torch.ones(2, requires_grad=True)
    (x * x).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_autocast_that_is_still_getting_ready(monkeypatch):
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(settings, "exchange_functions", interrupt)
        with torch.autocast("cpu"):
            pass
    assert not torch.is_autocast_enabled("cpu")


def test_functions_of_autocast_that_were_exchanged_half_way(monkeypatch):
    monkeypatch.setattr(casting, "finished", [])
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(casting, "exchange", interrupted_after(casting.exchange))
        casting.exchange_functions()
    done = []
    with monkeypatch.context() as patch:
        patch.setattr(casting, "exchange", lambda function, policy: done.append(function))
        casting.exchange_functions()
    assert len(done) > 100 and casting.finished


@pytest.mark.parametrize("failing", [lambda function: interrupt, interrupted_after], ids=["before", "after"])
@pytest.mark.parametrize("name", ["set_autocast_enabled", "set_autocast_dtype", "set_autocast_cache_enabled"])
def test_autocast_that_is_entered(monkeypatch, failing, name):
    function = getattr(settings, name)
    waiting = [failing(function)]

    def once(*args):
        return (waiting.pop() if waiting else function)(*args)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(settings, name, once)
        with torch.autocast("cpu", cache_enabled=False):
            pass
    assert not torch.is_autocast_enabled("cpu") and torch.is_autocast_cache_enabled()
    assert settings.autocast_increment_nesting() == 1 and settings.autocast_decrement_nesting() == 0


def test_autocast_that_is_left():
    """A signal between two settings waits until all of them are as before."""
    region, seen = torch.autocast("cpu"), []
    region.__enter__()
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        clear = settings.clear_autocast_cache
        both = lambda: (signal.raise_signal(signal.SIGINT), clear(), seen.append(1))  # noqa: E731
        patch.setattr(settings, "clear_autocast_cache", both)
        region.__exit__()
    assert seen and not torch.is_autocast_enabled("cpu")


def test_scopes_of_levels_end_without_a_call():
    """^C comes between calls: the state is restored by assignments alone."""
    before = mode.levels, mode.off, mode.grad
    with pytest.raises(KeyboardInterrupt):
        tangent_levels.call_at_levels((tangent_levels.Level(),), False, interrupt)
    assert (mode.levels, mode.off, mode.grad) == before


def test_a_default_device_that_is_entered(monkeypatch):
    content = devices._shortcuts[0][1]
    broken = [(SimpleNamespace(clear=interrupt, update=lambda content: None), content)]
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(devices, "_shortcuts", [devices._shortcuts[0], *broken])
        with torch.device("meta"):
            pass
    assert torch.ones(1).device.type == "cpu" and devices._shortcuts[0][0] == content


# ── ^C at every call ─────────────────────────────────────────────────────────
class Functions(TorchFunctionMode):
    seen = 0

    def __torch_function__(self, function, types, args=(), kwargs=None):
        self.seen += 1
        return function(*args, **(kwargs or {}))


class Operators(TorchDispatchMode):
    seen = 0

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        self.seen += 1
        return operator(*args, **(kwargs or {}))


def enter(context):
    with context():
        pass


CONTEXTS = {
    "saved tensors": lambda: enter(torch.autograd.graph.save_on_cpu),
    "anomalies": lambda: enter(torch.autograd.detect_anomaly),
    "dual numbers": lambda: enter(torch.autograd.forward_ad.dual_level),
    "the device": lambda: enter(lambda: torch.device("meta")),
    "jvp": derivative,
    "grad": lambda: torch.func.grad(torch.sin)(torch.zeros(())),
    "functions": lambda: enter(Functions),
    "operators": lambda: enter(Operators),
    "a trace": lambda: torch.fx.symbolic_trace(LAYER),
    "parameters": lambda: torch.func.functional_call(LAYER, {"bias": torch.ones(1)}, torch.ones(1, 1)),
}
LAYER = torch.nn.Linear(1, 1)


def state():
    """What the contexts change."""
    return (
        {name: getattr(mode, name) for name in dir(type(mode)) if not name.startswith("_")},
        [*listeners], [*differentiating], points.armed.modes, points.armed.searches, overrides.modes, overrides.dispatch_modes,
        torch.nn.Module.__call__, LAYER.bias, str(torch.zeros(1).device),
    )  # fmt: skip


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
@pytest.mark.parametrize("name", CONTEXTS)
def test_a_context_that_is_interrupted_anywhere_is_left(name):
    CONTEXTS[name]()
    before, moment = state(), 1
    while interrupt_at(moment, CONTEXTS[name]):
        assert state() == before, moment
        moment += 1 + moment // 50
    assert moment > 5


@pytest.mark.parametrize("moment", [1, 30, 300, 1000, 3000])
def test_functions_that_were_exchanged_for_a_mode_half_way(moment):
    interrupt_at(moment, CONTEXTS["operators"])
    x = torch.ones(2)
    with Functions() as functions, Operators() as operators:
        for function in (torch.relu, torch.neg, torch.sin, torch.clone, torch.Tensor.exp):
            function(x)
    assert functions.seen == operators.seen == 5
