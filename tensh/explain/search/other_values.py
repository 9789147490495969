"""Edits of a value by its kind: another dtype, other dimensions, a part of it, a tensor for a number."""

import ast
import types

import numpy as np

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.size import Size
from tensh.explain.trials.fixes import CHANGES, append_to_expression, describe_shape
from tensh.explain.trials.trusted import is_module, is_named_result
from tensh.support.language import _

AXES = {3: ("permute(2, 0, 1)", "transpose(0, 1)"), 4: ("permute(0, 3, 1, 2)", "transpose(1, 2)")}
"""Other orders of dimensions: channels before image sizes, time and batch exchanged."""


MOST_ENTRIES = 8
"""Entries of a dict that are tried; a larger one is no batch."""


CASTS = {".float()": 1, ".long()": 1, ".double()": 2, ".bool()": 3}
"""Casts to other dtypes, with a cost for how rarely they are meant."""


def changes_of_value(value, text):
    """Yield (new text, cost, reason) for the kind of a value."""
    match value:
        case Size():
            for dim in sorted({0, len(value) - 1}):  # either may be meant
                yield f"{text}[{dim}]", 1, _("{text} is a Size: one number for each dimension").format(text=text)
        case type():
            yield f"{text}()", 0, _("{text} is a class: call it to create an instance").format(text=text)
        case types.MethodType() | types.FunctionType() | types.BuiltinMethodType():
            yield (
                f"{text}()",
                0,
                (
                    _("{text} is a method that was not called")
                    if "." in text
                    else _("{text} is a function that was not called")
                ).format(text=text),
            )
        case _ if is_module(value):
            yield (
                f"{text}.parameters()",
                0,
                _("{text} is a module: its parameters are needed").format(text=text),
            )
        case tuple() | list():
            yield from changes_of_sequence(value, text)
        case dict():
            yield from entries_of_dict(value, text)
        case np.ndarray():
            yield f"torch.from_numpy({text})", 1, _("{text} is a NumPy array, not a tensor").format(text=text)
            yield (
                f"torch.from_numpy({text}).float()",
                2,
                _("{text} is a NumPy array of {dtype}").format(text=text, dtype=value.dtype),
            )
        case int() | float():
            yield from changes_of_number(value, text)
        case Tensor():
            yield from changes_of_tensor(value, text)


def tensors_of_arguments(call, values):
    """Yield a call with tensors in place of all its lists or arrays, if there are several."""
    for kind, maker in ((list, "torch.tensor"), (np.ndarray, "torch.from_numpy")):
        given = [isinstance(value, kind) and not is_of_tensors(value) for value in values]
        if sum(given) > 1:
            made = [
                f"{maker}({ast.unparse(each)})" if is_given else ast.unparse(each)
                for each, is_given in zip(call.args, given, strict=True)
            ]
            made += map(ast.unparse, call.keywords)
            texts = [ast.unparse(each) for each, is_given in zip(call.args, given, strict=True) if is_given]
            if kind is list:
                reason = _("{first} and {last} are lists, not tensors")
            else:
                reason = _("{first} and {last} are NumPy arrays, not tensors")
            yield (
                f"{ast.unparse(call.func)}({', '.join(made)})",
                2,
                reason.format(first=", ".join(texts[:-1]), last=texts[-1]),
            )


def describe_uncallable(name, kind):
    """Return the reason for a value in place of a function."""
    text = _("{name} is a {kind}, which cannot be called")
    if kind[0] in "aeiou":
        text = _("{name} is an {kind}, which cannot be called")
    return text.format(name=name, kind=kind)


def is_of_tensors(value):
    return isinstance(value, list) and any(isinstance(each, Tensor) for each in value)


def entries_of_dict(value, text):
    """Yield the tensors of a dict, such as a batch with named parts."""
    tensors = [key for key, each in value.items() if type(key) is str and isinstance(each, Tensor)]
    if len(tensors) <= MOST_ENTRIES:
        names = ", ".join(map(repr, tensors))
        for key in tensors:
            yield f"{text}[{key!r}]", 1, _("{text} is a dict with the keys {names}").format(text=text, names=names)


def changes_of_sequence(value, text):
    """Yield the changes of a tuple or list: to one of its tensors, or to all of them stacked."""
    match value:
        case tuple() if is_named_result(value) and "values" in type(value).__match_args__:
            yield f"{text}.values", 0, _("{text} holds values and indices, which are two tensors").format(text=text)
        case tuple() | list() if value and all(isinstance(each, Tensor) for each in value):
            kind = type(value).__name__
            shapes = ", ".join(describe_shape(each) for each in value)
            yield (
                first_of(text),
                1 + 2 * (kind == "list"),
                _("{text} is a {kind}: {shapes}").format(text=text, kind=kind, shapes=shapes),
            )
            yield (
                f"torch.stack({text})",
                2,
                _("{text} is a {kind} of tensors: {shapes}").format(text=text, kind=kind, shapes=shapes),
            )
        case tuple() if value and isinstance(value[0], Tensor):
            yield (
                f"{append_to_expression(text, '')}[0]",
                1,
                _("{text} is a {kind}: {shapes}").format(
                    text=text, kind="tuple", shapes=", ".join(describe_shape(each) for each in value)
                ),
            )
        case tuple() | list() if value and not any(isinstance(each, Tensor) for each in value):
            yield (
                f"torch.tensor({text})",
                2,
                _("{text} is a {kind}, not a tensor").format(text=text, kind=type(value).__name__),
            )
            if all(type(each) is list for each in value):
                yield (
                    f"[torch.tensor(each) for each in {text}]",
                    3,
                    _("{text} holds lists of numbers; expected tensors").format(text=text),
                )


def changes_of_number(value, text):
    """Yield the changes of a number: to another kind of number, or to a tensor."""
    match value:
        case bool():
            pass
        case float() if value.is_integer():
            whole = str(int(value)) if text.replace(".", "").isdecimal() else f"int({text})"
            yield whole, 1, _("{text} is a float; expected a whole number").format(text=text)
            yield f"torch.tensor({text})", 2, _("{text} is a float, not a tensor").format(text=text)
        case int() | float():
            what = (
                _("{text} is an int, not a tensor") if isinstance(value, int) else _("{text} is a float, not a tensor")
            )
            yield f"torch.tensor({text})", 2, what.format(text=text)
            if isinstance(value, int):
                yield f"({text},)", 3, _("{text} is a number, but a size must be a tuple").format(text=text)


def first_of(text):
    """Return code for the first element of an expression; of a written-out sequence the element itself."""
    node = ast.parse(text, mode="eval").body
    return (
        ast.unparse(node.elts[0]) if isinstance(node, ast.Tuple | ast.List) else f"{append_to_expression(text, '')}[0]"
    )


def changes_of_tensor(t, text):
    """Yield (new text, cost, reason, shown value) for a tensor in another dtype, or with other dimensions."""
    casts = CASTS if not t.is_complex() else {".abs()": 1, ".real": 2}
    for change, cost in casts.items():
        if t.is_complex() or CHANGES[change](t):
            yield (
                append_to_expression(text, change),
                cost,
                _("{text} holds {dtype}").format(text=text, dtype=dtype_of(t)),
                dtype_of,
            )
    shaped = [(f".squeeze({dim})", 3) for dim, size in enumerate(t.shape) if size == 1]
    shaped += [(change, 4) for change in (".unsqueeze(0)", ".unsqueeze(-1)", ".flatten(1)", ".mT", ".T")]
    shaped += [*((f".{change}", 5) for change in AXES.get(t.dim(), ())), ("[None, None]", 6)]
    casts = [cast for cast in casts if cast in (".float()", ".long()") and CHANGES[cast](t)]
    for change, cost in shaped:
        if CHANGES.get(change, lambda t: True)(t):
            for cast in ("", *casts):
                yield (
                    append_to_expression(text, change + cast),
                    cost + 2 * bool(cast),
                    _("{text} is {shape}").format(text=text, shape=shape_of(t)),
                    shape_of,
                )


def dtype_of(t):
    return str(t.dtype).removeprefix("torch.")


def shape_of(t):
    return str(list(t.shape))
