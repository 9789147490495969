"""Switches of modes within an exported program: nodes that ``torch.export`` turns into parts (``export/regions``)."""

from functools import partial

from tensh.amp.regions import autocast
from tensh.amp.settings import is_autocast_cache_enabled, set_autocast_cache_enabled
from tensh.engine.autograd.modes import _set_grad_enabled, enable_grad, no_grad, set_grad_enabled
from tensh.engine.core.clock import mode
from tensh.engine.dispatch.override.state import state

__all__ = ["SWITCHES", "enter_autocast", "exit_autocast", "watch_modes"]


def enter_autocast(device_type, dtype, enabled, cache_enabled):
    """Stand for the beginning of a part under autocast."""


def exit_autocast():
    """Stand for the end of a part under autocast."""


SWITCHES = (_set_grad_enabled, enter_autocast, exit_autocast)
"""The functions that nodes of switches call."""


def watch_modes(recorder):
    """Let a recorder note each switch of its program; autocast keeps no casts, since they are part of the program."""
    patcher = recorder.patcher
    for owner, names in ((no_grad, ENTERED), (enable_grad, ENTERED), (set_grad_enabled, SET)):
        for name in names:
            patcher.patch_method(owner, name, noting(recorder, getattr(owner, name), note_grad))
    patcher.patch_method(autocast, "__enter__", noting(recorder, autocast.__enter__, note_entry))
    patcher.patch_method(autocast, "__exit__", noting(recorder, autocast.__exit__, note_exit))
    patcher.undo.append(partial(set_autocast_cache_enabled, is_autocast_cache_enabled()))
    set_autocast_cache_enabled(False)


ENTERED = ("__enter__", "__exit__")
SET = ("__init__", "__exit__")


def noting(recorder, method, note):
    """Return a method that notes a switch made by the program, but not by the functions that it calls."""

    def switch(self, *args, **kwargs):
        result = method(self, *args, **kwargs)
        if recorder in state.modes:
            note(recorder, self)
        return result

    return switch


def add(recorder, target, *args):
    recorder.describe(recorder.graph.call_function(target, args), None)


def note_grad(recorder, context):
    add(recorder, _set_grad_enabled, mode.grad is True)


def note_entry(recorder, region):
    add(recorder, enter_autocast, region.device, region.fast_dtype, region._enabled, region._cache_enabled)


def note_exit(recorder, region):
    add(recorder, exit_autocast)
