"""^C in plain Python programs, where nothing delays it: later computations are unaffected."""

import signal
from types import SimpleNamespace

import pytest

import tensh as torch
from tensh.amp import casting, settings
from tensh.engine.autograd import saved_tensors, tangent_levels
from tensh.engine.core.clock import mode
from tensh.engine.dtypes import device as devices


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
