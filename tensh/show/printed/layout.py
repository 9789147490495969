"""A value as a notebook shows it: its repr, but with one item per line for containers that do not fit on a line."""

import inspect
import types
from itertools import islice

from tensh.show.reading import reprs

WIDTH = 79  # columns
SHORT = 20  # characters of items that share a line
LONGEST = 1000  # items shown of a container


def layout(value, width=WIDTH, is_filled=False):
    """Lay out a value in lines of a width, as far as its items allow; `is_filled` puts several short items on a line."""
    return _layout(value, 0, (width, is_filled)) if reprs.is_bounded(value) else reprs.brief(value)


def _layout(value, indent, room):
    """Lay out a value that begins in column `indent`."""
    kind = type(value)
    if issubclass(kind, type) and kind.__repr__ is type.__repr__:
        return value.__qualname__ if value.__module__ == "builtins" else f"{value.__module__}.{value.__qualname__}"
    if issubclass(kind, types.FunctionType | types.BuiltinFunctionType):
        return _function(value)
    for container, (left, right) in BRACKETS.items():
        if kind.__repr__ is container.__repr__ and (container in (tuple, list, dict) or container.__len__(value)):
            tail = "," if container is tuple and tuple.__len__(value) == 1 else ""
            items = _items(value, container, indent + len(left), room)
            return _container(items, container, left, tail + right, indent, room)
    return reprs.exact(repr(value)).replace("\n", "\n" + " " * indent)


BRACKETS = {tuple: ("(", ")"), list: ("[", "]"), dict: ("{", "}"), set: ("{", "}"), frozenset: ("frozenset({", "})")}


def _items(value, container, indent, room):
    """Return the texts of a container's elements, without calling its methods, which may be user code."""
    rest = ["..."] * (container.__len__(value) > LONGEST)
    if container is dict:
        pairs = islice(dict.items(value), LONGEST)
        return [f"{_layout(key, indent, room)}: {_layout(item, indent, room)}" for key, item in pairs] + rest
    items = container.__iter__(value)
    if container in (set, frozenset):
        items = _sort(items)
    return [_layout(item, indent, room) for item in islice(items, LONGEST)] + rest


def _sort(items):
    items = list(items)
    try:
        return sorted(items)
    except Exception:  # comparing calls the items' own methods
        return items


def _container(items, container, left, right, indent, room):
    """Lay out a container from the texts of its items: on one line, one per line, or filled."""
    width, is_filled = room
    line = left + ", ".join(items) + right
    if "\n" not in line and indent + len(line) <= width:
        return line
    begin = indent + len(left)
    if is_filled and container is not dict and all(len(item) <= SHORT for item in items):
        items = _fill(items, width - begin)
    return left + (",\n" + " " * begin).join(items) + right


def _fill(items, width):
    """Fill lines with items and commas."""
    lines = [""]
    for item in items:
        if lines[-1] and len(lines[-1]) + 2 + len(item) > width:
            lines.append("")
        lines[-1] += ", " * bool(lines[-1]) + item
    return lines


def _function(function):
    """Return `<function __main__.f(x)>`: where a function is from, and its signature."""
    module = function.__module__
    name = function.__qualname__ if module in (None, "builtins") else f"{module}.{function.__qualname__}"
    try:
        return f"<function {name}{inspect.signature(function)}>"
    except (ValueError, TypeError):
        return f"<function {name}>"
