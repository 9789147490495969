"""The limits of a script's language: functions that stay Python or must not be called, and values that are copied."""

import functools
import inspect
import weakref

from tensh.engine.dtypes.device import layout, memory_format
from tensh.engine.dtypes.dtype import dtype
from tensh.jit.language.constants import as_number
from tensh.jit.language.marks import running
from tensh.jit.language.meanings import translate
from tensh.jit.running.containers import ScriptDict, ScriptList
from tensh.jit.running.failures import UnusedCall
from tensh.support.temporary import temporarily

__all__ = ["PythonMethod", "copy_containers", "find_meaning", "hand_out"]

UNUSED = "This Python function is annotated to be ignored and cannot be run"
translated = weakref.WeakKeyDictionary()
"""Function -> the function that computes what a script computes with its source."""


def find_meaning(function):
    """Return what a script calls where its source names a function of the program; other objects unchanged."""
    if not inspect.isfunction(function) or hasattr(function, "__wrapped__"):
        return function
    if function not in translated:
        modifier = getattr(function, "_torchscript_modifier", None)
        if modifier == "unused":
            translated[function] = refuse_call
        elif modifier == "ignore":
            translated[function] = run_as_python(function)
        else:
            translated[function] = translate(function, find_meaning)
    return translated[function]


def refuse_call(*args, **kwargs):
    """Raise the error of a call that a script must not make."""
    raise UnusedCall(UNUSED)


def run_as_python(function):
    """Return a function that runs outside the script that calls it."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        with temporarily(running, depth=0):
            return function(*args, **kwargs)

    return call


class PythonMethod:
    """The descriptor of a method that is no part of the script of its module."""

    def __init__(self, fn):
        functools.update_wrapper(self, fn, updated=())
        self.fn, self.meaning = fn, find_meaning(fn)

    def __get__(self, instance, cls=None):
        if instance is None:
            return self.fn
        return (self.meaning if running.depth else self.fn).__get__(instance, cls)


def hand_out(value):
    """Return a result as Python gets it: new containers, plain tuples for named ones, numbers for dtypes and layouts."""
    if isinstance(value, (dtype, layout, memory_format)):
        return as_number(value)
    if type(value) is list:
        return [hand_out(each) for each in value]
    if type(value) is dict:
        return {key: hand_out(each) for key, each in value.items()}
    if type(value) is tuple or type(value).__module__.endswith(".return_types"):
        return tuple(map(hand_out, value))
    return value


def copy_containers(value):
    """Return a value with new lists and dictionaries.

    Scripts and Python never share containers, unless they were scripted.
    """
    if isinstance(value, (ScriptList, ScriptDict)):
        return value._values
    if type(value) is list:
        return [copy_containers(each) for each in value]
    if type(value) is dict:
        return {key: copy_containers(each) for key, each in value.items()}
    if type(value) is tuple:
        return tuple(map(copy_containers, value))
    return value
