"""Functions that a trace does not look into."""

import sys

WRAPPED = {}
"""(id of a module's names, name) -> those names: functions that ``wrap`` was called for."""


def wrap(fn_or_name):
    """Let calls of a function with traced values be one node, in place of what the function does; returns the argument.

    A decorator, or a call with the function or its name at the top level of the module that has it.
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
