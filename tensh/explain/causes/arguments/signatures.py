"""Missing arguments: the parameters of a function, class or layer, beside the arguments of the call."""

import ast
import re
import types

from tensh.explain.causes.arguments.keywords import list_arguments
from tensh.explain.model import Explanation
from tensh.explain.situation import message_of
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.trusted import OPERATIONS, is_module
from tensh.support.language import _, list_names

MISSING = re.compile(r"missing (\d+) required (?:positional|keyword-only) arguments?: (.+)")
LONGEST = 30  # characters of a default that is shown
MOST_OPTIONS = 2  # parameters with a default that are shown


def explain_missing_arguments(situation):
    """Explain `nn.Linear(3)`, `net(x)` of a model of two inputs."""
    found, path = MISSING.search(message_of(situation.error)), situation.place.path()
    if not isinstance(situation.error, TypeError) or found is None or not path or not isinstance(path[-1], ast.Call):
        return None
    node, name = path[-1], ast.unparse(path[-1].func)
    called, missing = situation.look_up(node.func), re.findall(r"'(\w+)'", found[2])
    called = situation.evaluate(node.func) if called is None else called
    function = function_of(called, missing) or forward_of(situation, node.func, missing)
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
    usual = USUAL.get(name, {}).get(missing[0]) if len(missing) == 1 and not node.keywords else None
    if usual:
        texts = [call_method(each, situation) for each in node.args]
        fit = replace_node(situation.place, node, f"{name}({', '.join([*texts, usual])})")
    return Explanation("call", (), rule, (fit,) if fit else ())


def call_method(node, situation):
    """Return the code of an argument; a method that was not called, as in `torch.save(net.state_dict)`, is called."""
    text = ast.unparse(node)
    return f"{text}()" if isinstance(situation.look_up(node), types.MethodType) else text


USUAL = {
    "torch.multinomial": {"num_samples": "1"},
    "torch.randint": {"size": "(1,)"},
    "torch.where": {"other": "0"},
    "torch.flip": {"dims": "(0,)"},
    "torch.full": {"fill_value": "0.0"},
    "torch.full_like": {"fill_value": "0.0"},
    "torch.save": {"f": '"model.pt"'},
    "F.adaptive_avg_pool2d": {"output_size": "1"},
    "F.adaptive_max_pool2d": {"output_size": "1"},
    "F.adaptive_avg_pool1d": {"output_size": "1"},
}
"""Functions, what they are called without, and the value that is meant most often."""
NEEDED = re.compile(r"missing \d+ required positional arguments?: (.+)")
OVERLOAD = re.compile(r"^ \* \((.*)\)$", re.MULTILINE)


def explain_lacking(situation):
    """Return a function's parameters beside the arguments of the call: `torch.full((2, 3))`, `torch.where(x > 0, x)`."""
    node, message = situation.place.node(), message_of(situation.error)
    if not isinstance(situation.error, TypeError) or not isinstance(node, ast.Call):
        return None
    if any(isinstance(each, ast.Starred) for each in node.args) or any(each.arg is None for each in node.keywords):
        return None
    name = ast.unparse(node.func)
    found, names = NEEDED.search(message), {each.arg for each in node.keywords}
    if found is not None:
        lacking = re.findall(r"['\"](\w+)['\"]", found[1])
        needed = None
    else:
        needed = required_of(message, len(node.args), names)
        lacking = [each for each in needed[len(node.args) :] if each not in names] if needed else []
    if not lacking:
        return None
    if not needed:
        before = positional_of(situation, node, lacking)
        if len(before) < len(node.args):
            return None
        needed = [*before, *lacking]
    written = f"{name}({', '.join(dict.fromkeys(needed))})"
    rule = _("{written} lacks {missing}").format(written=written, missing=list_names(lacking))
    usual = USUAL.get(name, {})
    if len(lacking) == 1 and lacking[0] in usual and not names:
        code = f"{ast.unparse(node)[:-1]}{', ' * bool(node.args)}{usual[lacking[0]]})"
        fit = replace_node(situation.place, node, code)
        return Explanation("call", (), rule, (fit,) if fit else ())
    advice = _("{name}: the number of elements to make").format(name="steps") if lacking == ["steps"] else None
    return Explanation("call", (), rule, (), advice)


def required_of(message, given, named):
    """Return the required parameters of a function's first form that takes one argument more; None if there is none."""
    if "invalid combination of arguments" not in message or "didn't match because" in message:
        return None
    for form in OVERLOAD.findall(message):
        parameters = [each.strip() for each in form.split("*")[0].split(",") if each.strip()]
        needed = [each.split()[-1] for each in parameters if "=" not in each]
        if len(needed) > given and named <= {*needed}:
            return needed
    return None


def positional_of(situation, node, lacking):
    """Return the names of the parameters that were given by their places, as far as the function tells."""
    names = list_arguments(situation.evaluate(node.func))
    return [each for each in names if each not in lacking][: len(node.args)]


def function_of(called, parameters):
    """Return the function with such parameters that a call runs, also that of a class or module; None without one.

    Runs no code of a class.
    """
    if isinstance(called, type) or is_module(called):
        kind, name = (called, "__init__") if isinstance(called, type) else (type(called), "forward")
        found = [vars(each)[name] for each in kind.__mro__ if name in vars(each)]
    else:
        found = [getattr(called, "__func__", called)]
    return next((f for f in found if isinstance(f, types.FunctionType) and {*parameters} <= {*names_of(f)}), None)


def forward_of(situation, made, parameters):
    """Return the forward with such parameters of a class that is called at once, as in `Net()(x)`; None for other code."""
    kind = situation.look_up(made.func) if isinstance(made, ast.Call) else None
    if not isinstance(kind, type) or not hasattr(kind, "named_modules"):
        return None
    found = [vars(each)["forward"] for each in kind.__mro__ if "forward" in vars(each)]
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
    shown = {each: repr(value) for each, value in values.items()}
    options = [f"{each}={shown[each]}" for each in names_of(function) if len(shown.get(each, " " * LONGEST)) < LONGEST]
    more = ["..."] if len(options) > MOST_OPTIONS else []
    return [each for each in names_of(function) if each not in values], [*options[:MOST_OPTIONS], *more]
