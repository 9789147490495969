"""Trying fixes: replacements of the failing code, evaluated on shapes only."""

import ast
import re

from tensh.engine import find_public
from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Fit
from tensh.explain.source.pieces import takes_more
from tensh.explain.trials.attempts import try_value
from tensh.explain.trials.parsing import parse_statement
from tensh.explain.trials.trusted import is_module

# Suffixes to try on a tensor, and whether each would change it.
CHANGES = {
    ".T": lambda t: t.dim() == 2,
    ".mT": lambda t: t.dim() > 2,
    "[:, None]": lambda t: t.dim() == 1,
    "[None]": lambda t: t.dim() > 0,
    ".unsqueeze(-1)": lambda t: True,
    ".squeeze()": lambda t: 1 in t.shape,
    ".squeeze(-1)": lambda t: t.dim() > 0 and t.shape[-1] == 1,
    ".flatten()": lambda t: t.dim() > 1,
    ".flatten(1)": lambda t: t.dim() > 2,
    ".float()": lambda t: t.dtype != find_public("float32"),
    ".double()": lambda t: t.dtype != find_public("float64"),
    ".half()": lambda t: t.dtype != find_public("float16"),
    ".bfloat16()": lambda t: t.dtype != find_public("bfloat16"),
    ".long()": lambda t: t.dtype != find_public("int64"),
    ".bool()": lambda t: t.dtype != find_public("bool"),
    ".argmax(1)": lambda t: t.dim() == 2 and t.shape[1] > 1,
    ".squeeze(1).long()": lambda t: t.dim() == 2 and t.shape[1] == 1,
}

COUNTING = frozenset("one_hot nonzero unique unique_consecutive masked_select bincount argwhere".split())
"""Functions whose results have as many elements as the values determine."""

CASTS = (".float()", ".double()", ".half()", ".bfloat16()", ".long()", ".bool()")
CAST = re.compile(r"(?P<owner>.+)\.(?:float|double|half|long|int|bool)\(\)", re.DOTALL)


def each(call, argument, *changes):
    """Return the call with each of some changes of an argument that has an effect."""
    found = []
    for change in changes:
        cast = CAST.fullmatch(argument.text or "") if change in CASTS else None
        if cast:  # rather drop a wrong cast than undo it
            found.append(call.rewrite({argument: cast["owner"]}))
        found.append(change_call(call, {argument: change}))
    return found


def change_call(call, changes):
    """Return the call with suffixes on its arguments, {argument: suffix}; None if one is impossible or has no effect."""
    if not all(a.text and CHANGES[change](a.value) for a, change in changes.items()):
        return None
    return call.rewrite({a: append_to_expression(a.text, change) for a, change in changes.items()})


def swap_operands(call):
    """Return the call with its first two tensors exchanged."""
    first, second = call.tensors[:2]
    if not first.text or not second.text:
        return None
    if not call.symbol.isidentifier():
        texts = [append_to_expression(each.text, "") for each in (first, second)]
    else:
        texts = [first.text, second.text]
    return call.rewrite({first: texts[1], second: texts[0]})


def append_to_expression(text, change):
    """Append a suffix to an expression; a repeated transposition is dropped."""
    if change in (".T", ".mT") and text.endswith(change):
        return text.removesuffix(change)
    return (text if takes_more(text) else f"({text})") + change


def fits(call, candidates, wanted=None, most=2):
    """Return the Fits among candidates for the failing code, in order, at most ``most``.

    ``wanted`` tells whether the shape of a result is acceptable.
    """
    found = {}
    for code in candidates:
        if code and code not in found and len(found) < most:
            fit = try_candidate(call, code, wanted)
            if fit:
                found[code] = fit
    return tuple(found.values())


def depends_on_values(node, shadow):
    """Return True if the shape of a result depends on values that stand-ins lack: a count, or the elements of a mask."""
    return any(counts_by_values(each, shadow) for each in ast.walk(node) if isinstance(each, ast.Call)) or any(
        is_mask(index, shadow)
        for each in ast.walk(node)
        if isinstance(each, ast.Subscript)
        for index in indices_in(each)
    )


def counts_by_values(call, shadow):
    """Return True if the shape of a call's result depends on values of its arguments; for `repeat_interleave`, on counts."""
    word = ast.unparse(call.func).rpartition(".")[2]
    counts = [*call.args, *(each.value for each in call.keywords if each.arg == "repeats")]
    if word != "repeat_interleave":
        return word in COUNTING
    given = [call.func.value, *counts] if isinstance(call.func, ast.Attribute) else counts
    return sum(is_tensor(each, shadow) for each in given) > 1


def is_tensor(node, shadow):
    return isinstance(try_value(node, shadow), Tensor)


def indices_in(subscript):
    return subscript.slice.elts if isinstance(subscript.slice, ast.Tuple) else [subscript.slice]


def is_mask(node, shadow):
    value = try_value(node, shadow)
    return isinstance(value, Tensor) and value.dtype == find_public("bool")


def try_candidate(call, code, wanted):
    """Return the Fit of a candidate; None if it does not work."""
    shadow = call.shadow(code)
    try:
        result = shadow.value(code)
        given = shadow.shapes(parse_statement(code))
    except Exception as error:  # the code of the program, on stand-ins
        is_singular = type(error).__name__ == "_LinAlgError"  # stand-ins have no values; the shapes fit
        return Fit(code) if is_singular else None
    shape = list(result.shape) if isinstance(result, Tensor) else None
    if wanted is not None and shape is not None and not wanted(shape):
        return None
    if depends_on_values(parse_statement(code), shadow):
        return Fit(code)
    between = f" {call.symbol} " if len(given) == 2 and not call.symbol.strip("_")[:1].isalpha() else ", "
    return Fit(code, f"{between.join(map(str, given))} -> {describe_shape(result)}".lstrip())


def describe_shape(value):
    """Describe a result by its shape, the shapes of several, or its type."""
    if isinstance(value, Tensor):
        return str(list(value.shape))
    if isinstance(value, tuple) and value and all(isinstance(each, Tensor | tuple) for each in value):
        return ", ".join(
            f"({describe_shape(each)})" if isinstance(each, tuple) else describe_shape(each) for each in value
        )
    if is_module(value) and not value._modules:
        return repr(value)
    return type(value).__name__
