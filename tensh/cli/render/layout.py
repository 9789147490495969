"""A value as a notebook shows it: its repr, but containers that do not fit on a line go one item a line."""

import inspect
import types
from itertools import islice

from tensh.show import reprs

WIDTH = 79  # columns
LONGEST = 1000  # items of a container that are shown


def layout(value):
    """The text of a value."""
    return _layout(value) if reprs.is_bounded(value) else reprs.brief(value)


def _layout(value, indent=0):
    """The text of a value that begins in column `indent`."""
    kind = type(value)
    if issubclass(kind, type) and kind.__repr__ is type.__repr__:
        return value.__qualname__ if value.__module__ == "builtins" else f"{value.__module__}.{value.__qualname__}"
    if issubclass(kind, types.FunctionType | types.BuiltinFunctionType):
        return _function(value)
    for container, (left, right) in BRACKETS.items():
        if kind.__repr__ is container.__repr__ and (container in (tuple, list, dict) or container.__len__(value)):
            tail = "," if container is tuple and tuple.__len__(value) == 1 else ""
            return _container(_items(value, container, indent + len(left)), left, tail + right, indent)
    return reprs.exact(repr(value)).replace("\n", "\n" + " " * indent)


BRACKETS = {tuple: ("(", ")"), list: ("[", "]"), dict: ("{", "}"), set: ("{", "}"), frozenset: ("frozenset({", "})")}


def _items(value, container, indent):
    """The texts of what is in a container, which is not asked: its methods may be the user's."""
    rest = ["..."] * (container.__len__(value) > LONGEST)
    if container is dict:
        pairs = islice(dict.items(value), LONGEST)
        return [f"{_layout(key, indent)}: {_layout(item, indent)}" for key, item in pairs] + rest
    items = container.__iter__(value)
    if container in (set, frozenset):
        items = _sort(items)
    return [_layout(item, indent) for item in islice(items, LONGEST)] + rest


def _sort(items):
    items = list(items)
    try:
        return sorted(items)
    except Exception:  # the comparison is the items' own
        return items


def _container(items, left, right, indent):
    line = left + ", ".join(items) + right
    if "\n" not in line and indent + len(line) <= WIDTH:
        return line
    return left + (",\n" + " " * (indent + len(left))).join(items) + right


def _function(function):
    """`<function __main__.f(x)>`: where a function is from, and how it is called."""
    module = function.__module__
    name = function.__qualname__ if module in (None, "builtins") else f"{module}.{function.__qualname__}"
    try:
        return f"<function {name}{inspect.signature(function)}>"
    except (ValueError, TypeError):
        return f"<function {name}>"
