"""Programs of transforms and dual tensors whose outcome in PyTorch is recorded: what is shown, and errors to the letter.

A file tests/recorded/transforms/NAME.txt holds programs, with an empty line between two.  Of each, the value of the last line is
shown, and what it prints.  The names they find are those of ``names``.  What PyTorch 2.13 answers stands in NAME.json,
written by ``python -m tests.recorded transforms/NAME``.
"""

import ast
import contextlib
import importlib
import io
import re
import warnings
from functools import cache
from pathlib import Path

from tests.recorded.answers import read_answers

FOLDER = Path(__file__).parent


def programs(name):
    """The programs of a file."""
    return [p for p in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").strip("\n").split("\n\n") if p.strip("\n")]


@cache
def answers(name):
    """program -> what PyTorch answered."""
    return read_answers(FOLDER / f"{name}.json")


def names(m):
    """Return the names that a program starts with, where ``m`` is its torch."""
    root = m.__name__
    m.manual_seed(0)
    return {
        "torch": m, "func": importlib.import_module(f"{root}.func"), "T": m.tensor,
        "fwAD": importlib.import_module(f"{root}.autograd.forward_ad"), "autograd": importlib.import_module(f"{root}.autograd"),
        "AF": importlib.import_module(f"{root}.autograd.functional"), "F": importlib.import_module(f"{root}.nn.functional"),
        "x": m.tensor([1.0, 2.0]), "t": m.tensor([1.0, 0.5]), "s": m.tensor(3.0), "M": m.arange(6.0).view(2, 3) / 4,
        "xr": m.tensor([1.0, 2.0], requires_grad=True), "w": m.tensor(3.0, requires_grad=True),
        "d": m.tensor([1.0, 2.0], dtype=m.float64, requires_grad=True),
    }  # fmt: skip


def outcome(m, text):
    """Return the output of a program in module ``m``."""
    statements = ast.parse(text).body
    *first, last = statements
    if not isinstance(last, ast.Expr):
        first, last = statements, None
    space = names(m)
    with contextlib.redirect_stdout(io.StringIO()) as printed, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(ast.Module(first, []), "<program>", "exec"), space)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), "<program>", "eval"), space)
                print(repr(value))
        except Exception as error:
            print(f"{type(error).__name__}: {error}")
    return re.sub(r" at 0x[0-9a-f]+", "", printed.getvalue()).replace(f"{m.__name__}.", "torch.")
