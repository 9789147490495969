"""The text of a value, whatever it is: its repr, which may be code of the user's, run on and on, or be without end."""

from collections import OrderedDict, defaultdict, deque

from tensh.escaping import visible_line

MOST = 2**20  # containers that a repr goes through, one that is met twice counted twice
DEEPEST = 100  # containers one inside the other
SHOWN, LEVELS = 100, 5  # items and containers one inside the other of a value that is cut
LONGEST = 60  # characters of an item that is cut
BRACKETS = {list: "[]", tuple: "()", dict: "{}", set: "{}", frozenset: "{}", OrderedDict: "{}", defaultdict: "{}"}


def written(value):
    """The repr of a value; the beginning of it if it would never end. Raises what the user's code raises."""
    return repr(value) if is_bounded(value) else brief(value)


def safely(function, value, what="repr"):
    """The text that `repr` or `str` gives of a value, or that it failed; ^C passes through."""
    try:
        found = function(value)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return f"<its {what} failed: {type(error).__name__}>"
    return found


def safe_repr(value):
    """The repr of a value, or that it failed."""
    return safely(written, value)


def safe_str(value):
    """The text of a value, or that it failed."""
    return safely(str, value, "text")


def is_bounded(value):
    """Whether a repr of a value comes to an end soon: that of lists doubled sixty times does not."""
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
    kind = type(value)
    if issubclass(kind, list | tuple | set | frozenset | deque):
        return [item for item in value if kinds[type(item)]]
    if issubclass(kind, dict):
        return [item for pair in value.items() for item in pair if kinds[type(item)]]
    return [item for item in parts(value).values() if kinds[type(item)]]


def is_nest(kind):
    """Whether values of a type can hold others."""
    if issubclass(kind, list | tuple | dict | set | frozenset | deque):
        return True
    return hasattr(kind, "__dataclass_fields__") or hasattr(kind, "named_modules")


def parts(value):
    """What a dataclass or a module of torch.nn holds, without asking it."""
    kind = type(value)
    try:
        own = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    own = own.get("_modules", {}) if hasattr(kind, "named_modules") else own
    return own if type(own) in (dict, OrderedDict) else {}


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
    for item in value.items() if issubclass(kind, dict) else value:
        if room[0] <= 0 or level == LEVELS:
            items.append("...")
            break
        room[0] -= 1
        pair = item if issubclass(kind, dict) else (item,)
        items.append(": ".join(brief(each, level + 1, room) for each in pair))
    left, right = brackets
    return left + ", ".join(items) + right
