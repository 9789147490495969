"""Expressions whose outcome in PyTorch is recorded: shapes, strides, values, history, views, and errors to the letter.

A line of tests/recorded/expressions/NAME.txt is an expression (or an assignment) in these names:

    x  a leaf of size (2, 3) that requires grad     c  x * 1     I  torch.tensor     L(2, 3)  a leaf 0, 1, 2, ... of a size
    d  a leaf-free copy of x                        T  torch

What PyTorch 2.13 answers stands beside it in NAME.json, written by ``python -m tests.recorded expressions/NAME``.
"""

import json
import warnings
from functools import cache
from pathlib import Path

import numpy as np

from tests.recorded.answers import read_answers

FOLDER = Path(__file__).parent
NAMES = sorted(path.stem for path in FOLDER.glob("*.txt"))


def lines(name):
    """The expressions of a file."""
    return [
        line for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines() if line and line[0] != "#"
    ]


@cache
def answers(name):
    """expression -> what PyTorch answered."""
    return read_answers(FOLDER / f"{name}.json")


def plain_outcome(m, text):
    """The result of an expression in the form in which a file has it."""
    return json.loads(json.dumps(outcome(m, text)))


def history(node, depth=8):
    """The recorded graph behind a node, as text."""
    if node is None:
        return "None"
    name = node.name().removeprefix("torch::autograd::")
    if name == "AccumulateGrad":
        return "leaf"
    inputs = [history(n, depth - 1) + (f":{i}" if i else "") for n, i in node.next_functions] if depth else ["..."]
    return f"{name}({', '.join(inputs)})"


def described(m, value):
    """A result as plain data."""
    if isinstance(value, (tuple, list)):
        return [type(value).__name__, *(described(m, each) for each in value)]
    if not isinstance(value, m.Tensor):
        return repr(value)
    steps = [step for step, n in zip(value.stride(), value.shape, strict=True) if n != 1] if value.numel() else None
    facts = [str(value.dtype), list(value.shape), steps, "view" if value._is_view() else "", history(value.grad_fn)]
    return [*facts, value.requires_grad, value._version, repr(value.detach().resolve_conj().tolist())]


def outcome(m, text):
    """Return the result of an expression in module ``m``; for an assignment, the results for ``c`` and ``d``."""

    def leaf(*shape):
        return m.tensor(np.arange(np.prod(shape), dtype=np.float32).reshape(shape), requires_grad=True)

    x = leaf(2, 3)
    names = {"torch": m, "T": m, "np": np, "x": x, "c": x * 1, "d": x.detach().clone(), "I": m.tensor, "L": leaf}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if " = " in text or "= " in text and " == " not in text and "(" not in text.partition("=")[0]:
                exec(text, names)
                return [described(m, names["c"]), described(m, names["d"])]
            return described(m, eval(text, names))
        except Exception as error:  # every kind of failure is an outcome
            return [type(error).__name__, str(error).partition(" (Triggered")[0].partition("\nException raised")[0]]
