"""The names of the inputs of graphs for back ends, in PyTorch's notation for their sources."""

import inspect
import re

from tensh.engine.errors.warnings import is_tensh_file
from tensh.nn.modules.module import Module


def name_path(path, function):
    """Return the name of the input at the path of a guard."""
    local, parts = split_path(path, function)
    return f"{'L' if local else 'G'}_{'_'.join(each.lstrip('.') for each in parts)}_"


def write_source(path, function):
    """Return PyTorch's text for the source of the value at the path of a guard, such as ``L['x'][0]``."""
    local, parts = split_path(path, function)
    return f"{'L' if local else 'G'}[{parts[0]!r}]{''.join(map(write_part, parts[1:]))}"


def write_part(part):
    """Return PyTorch's text for a key below a variable: an attribute, which begins with a dot, an index, or a text."""
    return part if part.startswith(".") else f"[{part}]" if part.isdigit() else f"[{part!r}]"


def split_path(path, function):
    """Return (whether the path of a guard begins at a local variable, the variable and the keys below it).

    Keys that are attributes begin with a dot.
    """
    head, *rest = re.findall(r"(?:(?<=[\w\]])\.)?\w+", path)
    parameters = parameter_names(function)
    if head == "args" and rest[0].isdigit():
        place, count = int(rest[0]), len(parameters)
        rest[:1] = [parameters[place]] if place < count else [name_rest(function), str(place - count)]
    elif head == "kwargs" and rest:
        rest[:0] = name_keywords(function, rest[0])
    elif rest[:1] == [".cell_contents"]:  # the variable of an enclosing function, in a cell such as cell_q_3
        head = re.fullmatch(r"cell_(\w+)_\d+", head)[1]
        return True, [head, *rest[1:]]
    return head in ("args", "kwargs") or not rest or head[0] != "g", rest or [head]


def name_rest(function):
    """Return the name of the parameter that takes further arguments by position."""
    code = None if is_layer(function) else getattr(getattr(function, "forward", function), "__code__", None)
    named = code is not None and code.co_flags & inspect.CO_VARARGS
    return code.co_varnames[code.co_argcount + code.co_kwonlyargcount] if named else "args"


def root_of(function):
    """Return the module whose call or method is compiled; another function unchanged."""
    return getattr(function, "__self__", getattr(function, "module", function))


def name_module(function):
    """Return the name of the parameter of a method that takes the module itself."""
    if is_layer(function):
        return "fn_self" if hasattr(function, "__self__") else "fn"
    code = getattr(getattr(function, "forward", function), "__code__", None)
    return code.co_varnames[0] if code is not None and code.co_argcount else "self"


def is_layer(function):
    """Return True for the call of a layer of the library, which PyTorch compiles as ``fn(*args, **kwargs)``."""
    root = root_of(function)
    return isinstance(root, Module) and is_tensh_file(type(root).forward.__code__.co_filename)


def name_keywords(function, name):
    """Return the parameter that takes a keyword without its own parameter, in a list; an empty list for other keywords."""
    if is_layer(function):
        return ["kwargs"]
    code = getattr(getattr(function, "forward", function), "__code__", None)
    if code is None or not code.co_flags & inspect.CO_VARKEYWORDS:
        return []
    own = code.co_argcount + code.co_kwonlyargcount
    named = bool(code.co_flags & inspect.CO_VARARGS)
    return [] if name in code.co_varnames[:own] else [code.co_varnames[own + named]]


def parameter_names(function):
    inner = getattr(function, "forward", function)
    code = getattr(inner, "__code__", None)
    if code is None or is_layer(function):
        return []
    names = list(code.co_varnames[: code.co_argcount])
    return names[1:] if hasattr(inner, "__self__") else names
