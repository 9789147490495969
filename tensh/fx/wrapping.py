"""Functions that a trace does not enter."""

import sys

WRAPPED = {}
"""(id of a module's namespace, name) -> that namespace, for functions that ``wrap`` was called for."""


def wrap(fn_or_name):
    """Make calls of a function with traced values one node, instead of tracing the function; return the argument.

    Use it as a decorator, or call it with the function or its name at the top level of its module. Raise
    NotImplementedError elsewhere, RuntimeError for other arguments.
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or string name")
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    frame = sys._getframe(1)
    if frame.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    WRAPPED[id(frame.f_globals), name] = frame.f_globals
    return fn_or_name


wrap.__module__ = "torch.fx._symbolic_trace"
