"""Fixes, tried: the operation on stand-ins that have the dtypes of its operands and their shapes, made small.

A size beyond a few is replaced by a small one of its own, the same everywhere, so that what fits still fits, and what does
not still does not; nothing large is computed.
"""

import ast

import numpy as np

from tensh.engine import named
from tensh.engine.autograd.modes import no_grad
from tensh.engine.tensor import Tensor, wrap
from tensh.explain.model import Fit

FEW = 100_000  # elements of all operands up to which the true sizes are tried: flattening multiplies them
LARGEST = 11  # sizes up to it stay as they are
SMALL = (13, 17, 19, 23, 29, 31, 37, 41)  # what larger ones become: no products of each other


class Sizes:
    """Small sizes for large ones, and the way back."""

    def __init__(self, tensors):
        large = sum(t.array.size for t in tensors) > FEW
        sizes = sorted({size for t in tensors for size in t.shape if size > LARGEST}) if large else []
        self.small = dict(zip(sizes, SMALL, strict=False))
        self.large = {small: size for size, small in self.small.items()}
        self.possible = len(sizes) <= len(SMALL)

    def stand_in(self, t):
        shape = tuple(self.small.get(size, size) for size in t.shape)
        return wrap(np.zeros(shape, t.array.dtype))

    def back(self, shape):
        return [self.large.get(size, size) for size in shape]


CHANGES = {
    ".T": lambda t: t.t() if t.dim() == 2 else None,
    ".mT": lambda t: t.mT if t.dim() > 2 else None,
    "[:, None]": lambda t: t[:, None] if t.dim() == 1 else None,
    "[None]": lambda t: t[None] if t.dim() else None,
    ".unsqueeze(-1)": lambda t: t.unsqueeze(-1),
    ".squeeze()": lambda t: t.squeeze() if 1 in t.shape else None,
    ".squeeze(-1)": lambda t: t.squeeze(-1) if t.dim() and t.shape[-1] == 1 else None,
    ".flatten()": lambda t: t.flatten() if t.dim() > 1 else None,
    ".flatten(1)": lambda t: t.flatten(1) if t.dim() > 2 else None,
    ".float()": lambda t: t.float() if t.dtype != named("float32") else None,
    ".double()": lambda t: t.double() if t.dtype != named("float64") else None,
    ".long()": lambda t: t.long() if t.dtype != named("int64") else None,
    ".bool()": lambda t: t.bool() if t.dtype != named("bool") else None,
    ".argmax(1)": lambda t: t.argmax(1) if t.dim() == 2 else None,
}


def changed(argument, change):
    """The text of an argument with a change behind it."""
    text = argument.text
    return (f"({text})" if not postfixed(text) else text) + change


def postfixed(text):
    """Whether something can stand behind an expression as it is: after a name, a call, an index, brackets."""
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return False
    return isinstance(tree, ast.Name | ast.Attribute | ast.Call | ast.Subscript) or text[:1] in "([{"


def fits(call, function, candidates, wanted=None, most=2):
    """The Fits among candidates ({argument: change}, or "swap"), with the function that the operation is.

    ``wanted`` says of a result's shape whether it is what one would want. No more than ``most``, in the order of the
    candidates.
    """
    found = []
    tensors = [a.value for a in call.tensors]
    sizes = Sizes(tensors)
    if not sizes.possible:
        return ()
    for candidate in candidates:
        fit = tried(call, function, candidate, sizes, wanted)
        if fit and fit.text not in [each.text for each in found]:
            found.append(fit)
        if len(found) == most:
            break
    return tuple(found)


def tried(call, function, candidate, sizes, wanted):
    """The Fit of one candidate; None if it does not work or cannot be written."""
    arguments = list(call.arguments)
    if candidate == "swap":
        first, second = call.tensors[:2]
        places = arguments.index(first), arguments.index(second)
        text = call.rewritten({first: second.text, second: first.text}) if first.text and second.text else None
        values = [a.value for a in arguments]
        values[places[0]], values[places[1]] = values[places[1]], values[places[0]]
        values = [sizes.stand_in(v) if isinstance(v, Tensor) else v for v in values]
    else:
        if any(a.text is None for a in candidate):
            return None
        text = call.rewritten({a: changed(a, change) for a, change in candidate.items()})
        values = []
        for a in arguments:
            value = sizes.stand_in(a.value) if isinstance(a.value, Tensor) else a.value
            if a in candidate:
                value = _applied(value, candidate[a])
                if value is None:
                    return None
            values.append(value)
    if text is None:
        return None
    try:
        with no_grad():
            result = function(*values)
    except Exception:
        return None
    shape = sizes.back(result.shape) if isinstance(result, Tensor) else None
    if wanted is not None and shape is not None and not wanted(shape):
        return None
    given = [str(sizes.back(v.shape)) for v in values if isinstance(v, Tensor)]
    between = ", " if call.symbol[:1].isalpha() else f" {call.symbol} "
    return Fit(text, f"{between.join(given)} -> {shape}")


def _applied(value, change):
    try:
        with no_grad():
            return CHANGES[change](value)
    except Exception:
        return None
