"""^C in plain Python programs, where nothing delays it: later computations are unaffected."""

import pytest

import tensh as torch
from tensh.amp import casting, settings
from tensh.engine.autograd import saved_tensors, tangent_levels


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


@pytest.mark.parametrize("name", ["listen", "unlisten", "_set_levels", "Level"])
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
