"""Calls of submodules during a trace, each an object of its own."""

from tensh.nn.modules.module import Module


class Call:
    """One call of the submodule at a path."""

    def __init__(self, path):
        self.path = path


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
