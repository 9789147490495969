"""Failures of scripts: PyTorch's types and texts, with the lines of the script."""

import ast
import re
import sys

from tensh.jit.frontend import Syntax

__all__ = ["Error", "UnusedCall", "describe_failure"]

HEADING = "The following operation failed in the TorchScript interpreter.\nTraceback of TorchScript (most recent call last):\n"
OTHER = {"integer division or modulo by zero": "division by 0", "float floor division by zero": "division by 0"}
"""Python's text -> that of scripts."""


class Error(Exception):
    """An exception that a script raises, by ``raise`` or ``assert``."""

    __module__ = "torch.jit"


class UnusedCall(RuntimeError):
    """A script called a function that it must not call."""


def frames_of(error):
    """Return (code, offset of the instruction) of the frames outside the library that a failure left, the outermost first."""
    found, tb = [], error.__traceback__
    while tb is not None:
        if not is_library(tb.tb_frame):
            found.append((tb.tb_frame.f_code, tb.tb_lasti))
        tb = tb.tb_next
    return found


def is_library(frame):
    """Return True for a frame of the library."""
    return frame.f_globals.get("__name__", "").startswith(("torch.", "tensh."))


def span_of(code, offset):
    """Return (first line, last line, first column, last column) of an instruction, if this Python knows it."""
    return list(code.co_positions())[offset // 2] if sys.version_info >= (3, 11) else (None,) * 4


def find_node(syntax, span):
    """Return the node with a place in the file: the innermost."""
    first, last, begin, end = span
    shift, found = syntax.first - 1, None
    for node in ast.walk(syntax.body[0]):
        place = getattr(node, "lineno", 0) + shift, getattr(node, "end_lineno", 0) + shift
        columns = getattr(node, "col_offset", 0) + syntax.indent, getattr(node, "end_col_offset", 0) + syntax.indent
        if place == (first, last) and columns == (begin, end) and not isinstance(node, ast.Expr):
            found = node
    return found


def find_assert(syntax, span):
    """Return the ``assert`` at a place in the file, which may be that of its condition."""
    line = (span[0] or 0) - syntax.first + 1
    found = [each for each in ast.walk(syntax.body[0]) if isinstance(each, ast.Assert)]
    return next((each for each in found if each.lineno <= line <= each.end_lineno), None)


def end_of(node):
    """Return the column after a node as PyTorch marks it, which leaves out closing parentheses and quotes."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.col_offset + len(node.value) + 1
    if isinstance(node, ast.Subscript) and not isinstance(node.slice, (ast.Slice, ast.Tuple)):
        return end_of(node.slice) + 1
    if isinstance(node, ast.JoinedStr):
        parts = [each.value for each in node.values if isinstance(each, ast.FormattedValue)]
        return max([node.col_offset + 1, *map(end_of, parts)])
    if isinstance(node, (ast.BinOp, ast.Compare, ast.Call, ast.Raise, ast.Assert)):
        return max(end_of(each) for each in ast.iter_child_nodes(node) if hasattr(each, "end_col_offset"))
    return node.end_col_offset


def show_frame(code, offset, asserts):
    """Return (text of the lines around an instruction, its node); ``asserts`` if an ``assert`` fails there."""
    syntax = Syntax(code)
    node = (find_assert if asserts else find_node)(syntax, span_of(code, offset))
    if node is None:
        return "", None
    part = node.func if isinstance(node, ast.Call) else node
    width = end_of(part) - part.col_offset if part.end_lineno == part.lineno else 1
    head, rest = syntax.place(part, width).split("\n", 1)
    return f"{head}, in {code.co_name}\n{rest}", node


def describe_failure(error):
    """Return PyTorch's exception for one in a script; its type says whether the script raised it.

    Return None for an exception that is not an error of the script, such as one that ends a trace.
    """
    unused = isinstance(error, UnusedCall)
    raised = innermost_is_script(error)
    if not raised and not unused and type(error).__module__ != "builtins":
        return None
    text, node = HEADING, None
    try:
        for code, offset in frames_of(error):
            shown, node = show_frame(code, offset, raised and isinstance(error, AssertionError))
            text += shown
    except (OSError, TypeError, SyntaxError, IndexError):  # there is no source
        node = None
    raised = raised and isinstance(node, (ast.Raise, ast.Assert))
    message = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    if raised and isinstance(node, ast.Assert):
        return Error(f"{text}RuntimeError: AssertionError: {message}\n")
    if raised:
        return Error(f"{text}{type(error).__module__}.{type(error).__name__}: {message}\n")
    if unused:
        return Error(f"{text}RuntimeError: {message}\n")
    message = f"KeyError: {message}" if isinstance(error, KeyError) else OTHER.get(message, message)
    message = re.sub(r"^(\S+) is not in list$", r"'\1' is not in list", message)
    return RuntimeError(f"{text}RuntimeError: {message}\n")


def innermost_is_script(error):
    """Return True if a failure began in a frame outside the library."""
    tb = error.__traceback__
    while tb.tb_next is not None:
        tb = tb.tb_next
    return not is_library(tb.tb_frame)
