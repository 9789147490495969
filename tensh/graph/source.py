"""The piece of source from which an instruction was compiled, and the name that its value is assigned to."""

import ast
import functools
import linecache
from itertools import islice
from typing import NamedTuple

from tensh.support.command_lines import blank_commands


class Piece(NamedTuple):
    """A piece of source: its text on one line, the variable it is assigned to (or None), file, line and function."""

    text: str
    target: str | None
    filename: str
    line: int
    function: str | None


@functools.lru_cache(4096)
def piece(code, instruction):
    """Return the piece of source of an instruction; None if the source or its columns are unknown.

    Positions come from the compiler (PEP 657), which determines the extent of the expression.
    """
    span = next(islice(code.co_positions(), instruction // 2, None), (None,) * 4)
    if None in span:
        return None
    first, last, column, end = span
    lines = [line.rstrip("\n") for line in linecache.getlines(code.co_filename)]
    if last > len(lines):
        return None
    spanned = [line.encode() for line in lines[first - 1 : last]]
    spanned[-1] = spanned[-1][:end]
    spanned[0] = spanned[0][column:]
    text = " ".join(part.decode(errors="replace").strip() for part in spanned)
    function = None if code.co_name == "<module>" else code.co_qualname
    target = targets(code.co_filename, "\n".join(lines)).get((first, column, last, end))
    return Piece(strip_brackets(text), target, code.co_filename, first, function)


def strip_brackets(text):
    """Remove brackets around a whole expression."""
    while text.startswith("(") and text.endswith(")"):
        try:
            ast.parse(inner := text[1:-1].strip(), mode="eval")
        except (SyntaxError, ValueError):
            break
        text = inner
    return text


@functools.lru_cache(64)
def targets(filename, text):
    """Return the span of every expression that a simple assignment names, with that name."""
    try:
        tree = ast.parse(blank_commands(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            name, value = node.targets[0], node.value
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr | ast.AugAssign):
            name, value = node.target, node.value
        else:
            continue
        if isinstance(node, ast.AugAssign):
            value = node  # the instruction has the position of the whole statement
        if value is not None and isinstance(name, ast.Name | ast.Attribute | ast.Subscript):
            found[value.lineno, value.col_offset, value.end_lineno, value.end_col_offset] = ast.unparse(name)
    return found
