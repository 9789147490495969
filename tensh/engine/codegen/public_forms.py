"""The public objects of operators and composites, and the forms for Python's operators."""

import types

from numpy import ndarray

from tensh.engine.arguments.public_wrapper import PYTHON, wrap_public
from tensh.engine.arguments.quick_checks import handed_on
from tensh.engine.codegen.environment import operand
from tensh.engine.codegen.guards import wrap_guarded as guarded_function
from tensh.engine.codegen.operator import Inplace, Op
from tensh.engine.codegen.registry import PUBLIC
from tensh.engine.core import ports
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override.points import overrides, watch
from tensh.engine.errors.messages import ABSENT


def function(entry):
    """Return the function behind an entry of ``PUBLIC`` or ``METHODS``."""
    return entry.fn if isinstance(entry, (Op, Inplace)) else entry


def guard_call(entry, name):
    """Return the public form of an entry that is a Python function in PyTorch as well, with Python's error messages."""
    fn = function(entry)
    is_checked = not isinstance(entry, (Op, Inplace)) or name in handed_on()
    return watch(guarded_function(fn, name) if is_checked else fn, python=True)


def public_object(entry, name, method=False, spoken=None, home="torch"):
    """Return the public object for an entry of ``PUBLIC`` or ``METHODS``, which is pickled by its name in module ``home``.

    ``spoken`` is the name in messages.
    """
    if isinstance(entry, (Op, Inplace)):
        operator = entry.op if isinstance(entry, Inplace) else entry
        made = operator.public_form(name, method, spoken, inplace=isinstance(entry, Inplace))
        return watch(name_place(made, home, name, method, spoken))
    python = (f"Tensor.{name}" if method else spoken or name) in PYTHON
    made = wrap_public(entry, name, method, spoken)
    if made is not entry or not has_place(entry):
        name_place(made, home, name, method, spoken)
    return watch(made, python)


def has_place(entry):
    """Return True if an entry is public without a wrapper: a function marked so, or not a function."""
    return type(entry) is not types.FunctionType or (
        entry.__module__.startswith("torch") and PUBLIC.get(entry.__name__) is entry
    )


def name_place(function, home, name, method, spoken):
    """Set the public module and name of a generated function, for users and pickles; return it.

    ``__name__`` is ``spoken``, such as ``linalg_inv``, where PyTorch's is: overrides compare it.
    """
    if isinstance(function, types.FunctionType):
        function.__module__, function.__qualname__ = home, f"Tensor.{name}" if method else name
        function.__name__ = spoken or function.__name__
    return function


SPACES = ("torch.linalg", "torch.fft", "torch.special", "torch.sparse", "torch.nn.functional")
"""Namespaces whose functions may have another ``__name__``."""


def name_in_space(function):
    """Return the name of a function in its namespace, such as ``inv`` for ``torch.linalg.inv``."""
    named = getattr(function, "__module__", None) in SPACES and isinstance(function, types.FunctionType)
    name = getattr(function, "__name__", "")
    # Python's errors name a function by its qualified name, which is private for some
    return function.__qualname__ if named and function.__qualname__ != f"_{name}" else name


def as_python_operator(fn):
    """Make a function of two operands a Python operator: NotImplemented for any other operand.

    A function may name its operator in the attribute ``operator``.
    """
    if hasattr(fn, "operator"):
        return fn.operator.operator

    def operator(input, other=ABSENT, *surplus):
        if surplus:
            return NotImplemented
        if type(other) is Tensor or operand(other) or isinstance(other, ndarray) and hasattr(fn, "arrays"):
            return fn(input, other)
        answer = ports.answer_override(operator, (input, other), {}) if overrides(type(other)) else ()
        return answer[0] if answer else NotImplemented

    operator.__name__ = operator.__qualname__ = fn.__name__
    return operator
