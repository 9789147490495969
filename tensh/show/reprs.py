"""The text of a value, whatever it is: its repr, which may be code of the user's, run on and on, or be without end."""

import gc
import sys
from collections import ChainMap, OrderedDict, UserDict, UserList, defaultdict, deque
from functools import partial
from types import GenericAlias, MappingProxyType, SimpleNamespace

from tensh.escaping import visible_line

MOST = 2**20  # containers that a repr goes through, one that is met twice counted twice
DEEPEST = 100  # containers one inside the other
SHOWN, LEVELS = 100, 5  # items and containers one inside the other of a value that is cut
LONGEST = 60  # characters of an item that is cut
VIEWS = type({}.keys()), type({}.values()), type({}.items())
# Other types that show their parts in their repr, and keep them where Python's collector of garbage finds them.
NESTS = (slice, MappingProxyType, SimpleNamespace, partial, GenericAlias, UserList, UserDict, ChainMap, *VIEWS)
BRACKETS = {list: "[]", tuple: "()", dict: "{}", set: "{}", frozenset: "{}", OrderedDict: "{}", defaultdict: "{}"}


def write_repr(value):
    """The repr of a value; the beginning of it if it would never end. Raises what the user's code raises."""
    return exact(repr(value)) if is_bounded(value) else brief(value)


def exact(text):
    """A text as a plain str, also where its class is the user's."""
    return str.__str__(text)


def safely(function, value, what="repr"):
    """The text that `repr` or `str` gives of a value, or that it failed; ^C passes through."""
    try:
        found = exact(function(value)) if is_bounded(value) else brief(value)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return f"<its {what} failed: {type(error).__name__}>"
    return found


def safe_repr(value):
    """The repr of a value, or that it failed."""
    return safely(write_repr, value)


def safe_str(value):
    """The text of a value, or that it failed."""
    return safely(str, value, "text")


def is_bounded(value):
    """True if a repr of a value comes to an end soon: that of lists doubled sixty times does not."""
    if not is_nest(type(value)):
        return True
    kinds = Kinds()
    sizes, depths = {}, {}  # by id, of the containers that have been gone through
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
    """Type -> whether its values can hold others, found when it is first met."""

    def __missing__(self, kind):
        found = self[kind] = is_nest(kind)
        return found


def children(value, kinds):
    """The containers in a container that its repr goes into."""
    return [item for item in parts(value) if kinds[type(item)]]


def is_nest(kind):
    """True if values of a type can hold others."""
    if issubclass(kind, (*BRACKETS, deque, BaseException, *NESTS)):
        return True
    return hasattr(kind, "__dataclass_fields__") or hasattr(kind, "named_modules") or is_of_numpy(kind)


def is_of_numpy(kind):
    """True if a type is that of NumPy's arrays, whose elements may be anything."""
    return "numpy" in sys.modules and issubclass(kind, sys.modules["numpy"].ndarray)


def parts(value):
    """List the parts of a container without calling it: methods of its class may be the user's."""
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
    """The beginning of the repr of a container."""
    room = [SHOWN] if room is None else room
    kind = type(value)
    brackets = next((signs for base, signs in BRACKETS.items() if kind.__repr__ is base.__repr__), None)
    if brackets is None:
        if is_nest(kind):
            return f"{kind.__qualname__}(...)"
        text = visible_line(safely(repr, value))
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
