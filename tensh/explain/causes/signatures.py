"""Missing arguments: what a function, class or layer takes, beside what it got."""

import ast
import re
import types

from tensh.explain.causes.situation import message_of, replace_node
from tensh.explain.model import Explanation
from tensh.explain.shadow import OPERATIONS, is_module
from tensh.language import _, list_names

MISSING = re.compile(r"missing (\d+) required (?:positional|keyword-only) arguments?: (.+)")
MOST_OPTIONS = 2  # parameters with a default that are shown


def explain_missing_arguments(situation):
    """Explain `nn.Linear(3)`, `net(x)` of a model of two inputs."""
    found, path = MISSING.search(message_of(situation.error)), situation.place.path()
    if not isinstance(situation.error, TypeError) or found is None or not path or not isinstance(path[-1], ast.Call):
        return None
    node, name = path[-1], ast.unparse(path[-1].func)
    called, missing = situation.look_up(node.func), re.findall(r"'(\w+)'", found[2])
    called = situation.evaluate(node.func) if called is None else called
    function = function_of(called, missing)
    is_operation = function is not None and function.__code__.co_filename.startswith(OPERATIONS)
    if function is None or not missing or any(isinstance(each, ast.Starred) for each in node.args):
        return None
    if is_operation and not isinstance(called, type) and not is_module(called):
        return None  # the search finds what may be meant
    needed, options = list_parameters(function)
    inner = len(needed) - len(missing) - len(node.args) - len({*needed} & {each.arg for each in node.keywords})
    needed = needed[max(inner, 0) :]  # arguments that a class passes to its base class are not the user's
    written = f"{name}({', '.join([*needed, *options])})"
    given = [f"{parameter}={ast.unparse(each)}" for parameter, each in zip(needed, node.args)]
    rule = _("{written} lacks {missing}; given: {given}") if given else _("{written} lacks {missing}")
    rule = rule.format(written=written, given=", ".join(given), missing=list_names(missing))
    is_attention = missing == ["key", "value"] and is_module(called) and len(node.args) == 1
    own = ", ".join([ast.unparse(node.args[0])] * 3) if is_attention else ""  # self-attention
    fit = replace_node(situation.place, node.args[0], own) if own else None
    return Explanation("call", (), rule, (fit,) if fit else ())


def function_of(called, parameters):
    """Return the function with such parameters that a call runs: itself, or that of a class or module; None if there is
    none.

    Runs no code of a class.
    """
    if isinstance(called, type) or is_module(called):
        kind, name = (called, "__init__") if isinstance(called, type) else (type(called), "forward")
        found = [vars(each)[name] for each in kind.__mro__ if name in vars(each)]
    else:
        found = [getattr(called, "__func__", called)]
    return next((f for f in found if isinstance(f, types.FunctionType) and {*parameters} <= {*names_of(f)}), None)


def names_of(function):
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return [each for each in names if each != "self"]


def list_parameters(function):
    """Return (the required parameters, the first few of those with a default, as written)."""
    defaults, code = function.__defaults__ or (), function.__code__
    values = dict(zip(reversed(code.co_varnames[: code.co_argcount]), reversed(defaults))) | (
        function.__kwdefaults__ or {}
    )
    options = [f"{each}={values[each]!r}" for each in names_of(function) if each in values]
    more = ["..."] if len(options) > MOST_OPTIONS else []
    return [each for each in names_of(function) if each not in values], [*options[:MOST_OPTIONS], *more]
