"""Calls of submodules during a trace, each a separate object."""

from tensh.nn.modules.module import Module
from tensh.tracing.recording.call_signatures import note_call


class Call:
    """One call of the submodule at a path."""

    def __init__(self, path):
        self.path = path


def number_calls(recorder):
    """Return the ``__call__`` of modules that notes which are being called, as (key, path, class), the outermost first.

    The key is the path, in a second call of the module ``path@1``; the path of a shared module is the one through its caller.
    """
    original, counts = Module.__call__, {}

    def call(module, *args, **kwargs):
        if module not in recorder.paths:
            return original(module, *args, **kwargs)
        before = recorder.entered
        owner, around = (before[-1][1], before[-1][3]) if before else ("", recorder.root)
        path = find_path(module, around, owner) or recorder.paths[module]
        count = counts[path] = counts.get(path, -1) + 1
        key = f"{path}@{count}" if count else path
        recorder.entered = (*before, (key, path, type(module), module))
        try:
            if path in recorder.preserved:
                return note_call(recorder, key, original, module, args, kwargs)
            return original(module, *args, **kwargs)
        finally:
            recorder.entered = before

    return call


def find_path(module, owner, prefix):
    """Return the path of a module within the one that calls it; None if it is elsewhere."""
    if owner is None:
        return None
    found = next((path for path, each in owner.named_modules(remove_duplicate=False) if each is module), None)
    return f"{prefix}.{found}" if found and prefix else found


def watch_calls(recorder):
    """Return the ``__call__`` of modules that notes which submodules of the root are being called."""
    original = Module.__call__

    def call(module, *args, **kwargs):
        path, before = recorder.paths.get(module), recorder.calls
        if path is None:
            return original(module, *args, **kwargs)
        recorder.calls = (*before, Call(path))
        try:
            return original(module, *args, **kwargs)
        finally:
            recorder.calls = before

    return call


def watch_assignments(recorder):
    """Return the ``__setattr__`` of modules that notes which buffers of the root the program assigns."""
    original = Module.__setattr__

    def assign(module, name, value):
        if module is recorder.root and name in module.__dict__.get("_buffers", ()):
            recorder.assigned.add((id(module._buffers), name))
        original(module, name, value)

    return assign
