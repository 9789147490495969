"""Output of the scripts in scripts/ with PyTorch.

A .tsh script shows every bare expression at its top level, unless a ``;`` follows,
and finds ``torch nn F np math`` loaded: the forty lines below are that rule alone, so that the recorded text does not
come from the program under test.
"""

import ast
import contextlib
import io
import math
from pathlib import Path

from tests.support.project import ROOT

HERE = Path(__file__).parent
SCRIPTS = sorted((ROOT / "scripts").glob("*.tsh"))


def recorded(script):
    """Where the expected output of ``script`` is kept."""
    return HERE / f"{script.stem}.out"


def silenced(statement, lines):
    """Return True if a ``;`` follows the statement on its line."""
    rest = lines[statement.end_lineno - 1].encode()[statement.end_col_offset :]
    return rest.decode().lstrip().startswith(";")


def output(script):
    """The standard output of a .tsh script under PyTorch."""
    import numpy as np
    import torch

    names = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "np": np, "math": math, "__name__": "__main__"}
    source = script.read_text(encoding="utf-8")
    lines = source.split("\n")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        for statement in ast.parse(source).body:
            if not isinstance(statement, ast.Expr):
                exec(compile(ast.Module([statement], []), script.name, "exec"), names)
                continue
            value = eval(compile(ast.Expression(statement.value), script.name, "eval"), names)
            if value is not None and not silenced(statement, lines):
                print(repr(value))
    return printed.getvalue()


def record(wanted):
    for script in SCRIPTS:
        if wanted(script.stem):
            yield recorded(script), output(script)
