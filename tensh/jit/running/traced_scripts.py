"""Calls of scripts in a trace: one with branches or loops stays a call, so that they are taken when the trace runs."""

import ast
import inspect
import textwrap
from functools import cache

from tensh.fx.node import map_aggregate
from tensh.overrides import _get_current_function_mode
from tensh.tracing.recording.recorder import Recorder
from tensh.tracing.sizes.numbers import plain_number
from tensh.tracing.state import is_tracing

__all__ = ["find_recorder", "record_call"]

BRANCHES = (ast.If, ast.For, ast.While, ast.IfExp, ast.ListComp)


@cache
def has_branches(fn):
    """Return True for a function whose source has a branch or a loop."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(fn)))
    except (OSError, TypeError, SyntaxError):
        return False
    return any(isinstance(each, BRANCHES) for each in ast.walk(tree))


def find_recorder(fn):
    """Return the recorder of a running trace that keeps the calls of a script; None without a trace, or for others."""
    if not is_tracing():
        return None
    recorder = _get_current_function_mode()
    return recorder if isinstance(recorder, Recorder) and not recorder.apart and has_branches(fn) else None


def record_call(recorder, script, run, args, kwargs):
    """Compute a script without its operators in the trace, and record the call."""
    plain_args, plain_kwargs = map_aggregate((tuple(args), dict(kwargs)), plain_number)
    with recorder.plainly():
        result = run(tuple(plain_args), dict(plain_kwargs))
    recorder.called = script, args, kwargs
    path = recorder.paths.get(getattr(script, "owner", None))
    if path is None or script.name != "forward" or has_hooks(script.owner):
        recorder.record(script, args, kwargs, result)
    else:  # the traced module calls its own copy of the submodule
        recorder.record(path, args, kwargs, result, "call_module")
    return result


def has_hooks(module):
    """Return True for a module whose calls do more than its ``forward``."""
    return bool(module._forward_hooks or module._forward_pre_hooks or module._backward_hooks)
