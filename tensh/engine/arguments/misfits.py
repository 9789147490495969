"""PyTorch's argument errors for calls that failed inside a function, where PyTorch checks arguments first.

A function that does not check its arguments fails with a message about its internals: a tuple has no attribute
``array``, a list is not a key.  Only after such a failure, ``misfit`` looks for the argument that caused the failure,
and returns PyTorch's error for that argument.
"""

import re
from functools import cache

from tensh.engine.arguments.mismatches import type_name
from tensh.engine.arguments.overloads import kinds, read_lines
from tensh.engine.arguments.quick_checks import handed_on
from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.messages import broadcast_clash, too_large

WANTED = {
    "array": "Tensor",
    "node": "Tensor",
    "_base": "Tensor",
    "numpy": "torch.dtype",
    "__index__": "int",
    "upper": "str",
}
"""Missing attribute -> the kind of value that has it.

Arguments are used unchecked, so the first attribute access reveals a value of the wrong kind: kernels read ``array`` of
a tensor, recording reads ``node``, views read ``_base``; only dtypes are asked for ``numpy``.
"""
INSIDE = (AttributeError, KeyError, ArithmeticError, AssertionError, RecursionError, NameError)
"""Exceptions about the internals of a function rather than its arguments."""
ASKED = frozenset("size dim ndim shape dtype device is_floating_point is_complex unsqueeze".split())
"""The attributes that Python functions of PyTorch read first from their arguments."""
VALUES = frozenset("ndim shape dtype layout is_cuda requires_grad".split())
"""The attributes of a tensor other than methods."""


def find_misfit(failure, function, parameters, args, options, python=False):
    """Return PyTorch's exception for a failure; None if the failure stands.

    ``python`` says that the function is Python in PyTorch, too, and uses some arguments without checks.
    """
    if (larger := too_large(failure)) is not None:
        return larger
    if type(failure) is ValueError and str(failure).startswith("operands could not be broadcast"):
        shapes = [tuple(map(int, re.findall(r"\d+", each))) for each in re.findall(r"\(([\d,]*)\)", str(failure))]
        return RuntimeError(broadcast_clash(shapes) or str(failure))
    named = [*list_positional(parameters, args), *((None, name, value) for name, value in options.items())]
    if python and not tells_of_a_flag(failure) and (lacking := missing_attribute(function, parameters, named)):
        return lacking
    if not tells_of_the_inside(failure):
        return None
    if isinstance(failure, AttributeError) and is_in_words_of_pytorch(failure, function, python):
        return None
    for place, name, value in named:
        if (said := describe_argument(failure, function, place, name, value)) is not None:
            return TypeError(said)
    for place, name, value in named:  # the failure concerns a value derived from an argument
        p = parameters.get(name)
        if p is not None and takes_tensor(name) and value is not p.default and not isinstance(value, Tensor):
            return TypeError(must_be("Tensor", function, place, name, value))
    return None


def earlier_misfit(refused, parameters, args):
    """Return the error of a tensor argument before the one that was refused; None if there is none."""
    called, position = refused
    for place, name, value in list_positional(parameters, args):
        optional = value is None and place != 1  # many tensors after the first may be None
        if (
            place is not None
            and place < position
            and takes_tensor(name)
            and not (optional or isinstance(value, Tensor))
        ):
            return TypeError(must_be("Tensor", called, place, name, value))
    return None


def unanswered_class(fn, values):
    """Return PyTorch's error for a class in place of a tensor, as in ``relu(torch.Tensor)``, or None.

    PyTorch's functions in Python see its ``__torch_function__`` and look for an instance of the class.
    """
    if fn.__module__.startswith("tensh.") or any(isinstance(each, Tensor) for each in values):
        return None
    if not any(isinstance(each, type) and hasattr(each, "__torch_function__") for each in values):
        return None
    space = "torch.functional" if fn.__module__ == "torch" else fn.__module__
    name = f"{space}.{fn.__name__}"
    return TypeError(f"no implementation found for '{name}' on types that implement __torch_function__: []")


def missing_attribute(function, parameters, named):
    """Return the error of the first argument that PyTorch's Python function cannot read or call, or None."""
    given = {name: value for _, name, value in named if name not in parameters or value is not parameters[name].default}
    for parameter, attribute, *conditions in read_asked().get(function, ()):
        if parameter in given and all(holds(each, given) for each in conditions):
            try:
                found = getattr(given[parameter], attribute)
            except AttributeError as error:
                return error.with_traceback(None)
            if given[parameter] is Tensor and callable(found):  # the class, whose methods lack their tensor
                return TypeError(f"unbound method TensorBase.{attribute}() needs an argument")
            if attribute not in VALUES and not callable(found):  # NumPy's `size` is a number
                return TypeError(f"'{type_name(found)}' object is not callable")
    return None


def tells_of_a_flag(failure):
    """Return True if an exception is about a value, a flag or an operator, which Python reads first."""
    return isinstance(failure, ValueError) or str(failure).startswith(("Boolean value of Tensor", "bad operand type"))


def holds(condition, given):
    """Return True if a condition of ``asked`` holds for the given arguments."""
    if condition.endswith("?"):
        return bool(given.get(condition[:-1]))
    return (condition.lstrip("-") in given) is (condition[0] != "-")


@cache
def read_asked():
    """Function -> (parameter, the attribute that PyTorch's Python function reads first, conditions), in order.

    A condition names another parameter that must be given, with a dash must not be, and with a question mark must be true.
    """
    table = {}
    for function, *row in map(str.split, read_lines("asked.txt")):
        table.setdefault(function, []).append(row)
    return table


def tells_of_the_inside(failure):
    """Return True if an exception is about the internals of a function; an IndexError only if Python raised it."""
    return isinstance(failure, INSIDE) or (
        isinstance(failure, IndexError) and str(failure).endswith("index out of range")
    )


def is_in_words_of_pytorch(failure, function, python):
    """Return True if an AttributeError was raised on purpose, or PyTorch's Python function raises the same."""
    if failure.name is None:
        return True
    if any(attribute == failure.name for _, attribute, *_ in read_asked().get(function, ())):
        return False  # under other conditions, which have been looked at
    return python and (failure.name in ASKED or failure.name == function) and not is_class(failure.obj)


def list_positional(parameters, args):
    """Yield (position, name, value) of the positional arguments; those of ``*name`` are one value."""
    for place, (name, p) in enumerate(parameters.items()):
        if p.kind is p.VAR_POSITIONAL:
            yield None, name, tuple(args[place:])
        elif p.kind is not p.KEYWORD_ONLY and place < len(args):
            yield place + 1, name, args[place]


def describe_argument(failure, function, place, name, value):
    """Return the error for an argument if the failure is about it or one of its elements."""
    if isinstance(failure, AttributeError):
        kind = WANTED.get(failure.name) or ("Tensor" if hasattr(Tensor, failure.name) else None)
        if kind is not None and value is failure.obj:
            return must_be(kind, function, place, name, value)
        if kind == "Tensor" and isinstance(value, (tuple, list)):
            parts = [value, *(each for each in value if isinstance(each, (tuple, list)))]
            at = next((at for part in parts for at, each in enumerate(part) if each is failure.obj), None)
            if at is not None:
                return f"expected Tensor as element {at} in argument 0, but got {type_name(failure.obj)}"
        if is_class(failure.obj):
            if isinstance(value, type):
                return must_be("Tensor", function, place, name, value)
            parts = enumerate(value) if isinstance(value, (tuple, list)) else ()
            if (at := next((n for n, part in parts if isinstance(part, type)), None)) is not None:
                return f"expected Tensor as element {at} in argument 0, but got {type_name(value[at])}"
    elif isinstance(failure, KeyError) and failure.args == (type(value),):
        return must_be("Number", function, place, name, value)
    return None


def is_class(obj):
    """Return True for a descriptor, which a class returns where its instances have a value."""
    return type(obj).__name__ in ("member_descriptor", "property")


def must_be(kind, function, place, name, value):
    """Return the error for an argument of another kind, in the words of the function that it is passed to."""
    known, *called = handed_on().get(function, {}).get(name, (None,))
    if known == kind:
        function, name, place = [*called, None][:3]
    where = f" (position {place})" if place else ""
    return f"{function}(): argument '{name}'{where} must be {kind}, not {type_name(value)}"


def takes_tensor(name):
    """Return True if a parameter of this name takes a tensor."""
    return kinds().get(name) == "Tensor"
