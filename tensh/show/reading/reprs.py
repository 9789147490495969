"""Safe reprs: a value's repr may be user code, very long, or endless."""

import gc
import sys
from collections import ChainMap, OrderedDict, UserDict, UserList, defaultdict, deque
from functools import partial
from types import GenericAlias, MappingProxyType, SimpleNamespace

from tensh.support.escaping import visible_line

MOST = 2**20  # containers that a repr visits, repeated ones counted repeatedly
DEEPEST = 100  # nested containers
SHOWN, LEVELS = 100, 5  # items and nesting shown of a truncated value
LONGEST = 60  # characters of an item of a truncated value
VIEWS = type({}.keys()), type({}.values()), type({}.items())
# Other types that show their parts in their repr, and expose them to Python's garbage collector.
NESTS = (slice, MappingProxyType, SimpleNamespace, partial, GenericAlias, UserList, UserDict, ChainMap, *VIEWS)
BRACKETS = {list: "[]", tuple: "()", dict: "{}", set: "{}", frozenset: "{}", OrderedDict: "{}", defaultdict: "{}"}


def write_repr(value):
    """Return the repr of a value, or its beginning if it would not end soon. Raises what user code raises."""
    return exact(repr(value)) if is_bounded(value) else brief(value)


def exact(text):
    """Convert a text to a plain str; its class may be the user's."""
    return str.__str__(text)


def write_safely(function, value, what="repr"):
    """Return the `repr` or `str` of a value, or a note that it failed; ^C passes through."""
    try:
        found = exact(function(value)) if is_bounded(value) else brief(value)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return f"<its {what} failed: {type(error).__name__}>"
    return found


def safe_repr(value):
    """Return the repr of a value, or a note that it failed."""
    return write_safely(write_repr, value)


def safe_str(value):
    """Return the str of a value, or a note that it failed."""
    return write_safely(str, value, "text")


def is_bounded(value):
    """Return True if the repr of a value ends soon: not for lists that double sixty times."""
    if not is_nest(type(value)):
        return True
    kinds = Kinds()
    sizes, depths = {}, {}  # visited containers by id
    begun, stack, level = set(), [(value, None)], 0
    while stack:
        each, within = stack.pop()
        key = id(each)
        if within is None:
            if key in begun:
                continue
            begun.add(key)
            within = children(each, kinds)
            if within:
                level += 1
                if level > DEEPEST:
                    return False
                stack.append((each, within))
                stack += [(child, None) for child in within]
                continue
        else:
            level -= 1
        known = [id(child) for child in within if id(child) in sizes]
        sizes[key] = 1 + sum([sizes[child] for child in known])
        depths[key] = 1 + max([depths[child] for child in known], default=0)
    return sizes[id(value)] <= max(MOST, 4 * len(sizes)) and depths[id(value)] <= DEEPEST


class Kinds(dict):
    """type -> whether its values can hold others; filled on demand"""

    def __missing__(self, kind):
        found = self[kind] = is_nest(kind)
        return found


def children(value, kinds):
    """Return the containers within a container that its repr visits."""
    return [item for item in parts(value) if kinds[type(item)]]


def is_nest(kind):
    """Return True if values of a type can hold others."""
    if issubclass(kind, (*BRACKETS, deque, BaseException, *NESTS)):
        return True
    return hasattr(kind, "__dataclass_fields__") or hasattr(kind, "named_modules") or is_of_numpy(kind)


def is_of_numpy(kind):
    """Return True for NumPy arrays, whose elements may be anything."""
    return "numpy" in sys.modules and issubclass(kind, sys.modules["numpy"].ndarray)


def parts(value):
    """Return the parts of a container without calling its methods, which may be user code."""
    kind = type(value)
    for base in (list, tuple, set, frozenset, deque):
        if issubclass(kind, base):
            return base.__iter__(value)
    if issubclass(kind, dict):
        return (each for pair in dict.items(value) for each in pair)
    if issubclass(kind, BaseException):
        return vars(BaseException)["args"].__get__(value)
    if is_of_numpy(kind):
        return value.flat if value.dtype.hasobject else ()
    if not hasattr(kind, "named_modules"):
        return gc.get_referents(value)
    own = object.__getattribute__(value, "__dict__").get("_modules")
    return own.values() if type(own) in (dict, OrderedDict) else ()


def brief(value, level=0, room=None):
    """Return the beginning of the repr of a container."""
    room = [SHOWN] if room is None else room
    kind = type(value)
    brackets = next((signs for base, signs in BRACKETS.items() if kind.__repr__ is base.__repr__), None)
    if brackets is None:
        if is_nest(kind):
            return f"{kind.__qualname__}(...)"
        text = visible_line(write_safely(repr, value))
        return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
    items = []
    for item in dict.items(value) if issubclass(kind, dict) else parts(value):
        if room[0] <= 0 or level == LEVELS:
            items.append("...")
            break
        room[0] -= 1
        pair = item if issubclass(kind, dict) else (item,)
        items.append(": ".join(brief(each, level + 1, room) for each in pair))
    left, right = brackets
    return left + ", ".join(items) + right
