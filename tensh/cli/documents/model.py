"""A document as cells, whatever file it stands in. The readers and writers beside this module know the files."""

import ast
from typing import Any, NamedTuple

from tensh.cli.session.source import is_quiet, parse_statements


class Output(NamedTuple):
    """Something that a cell showed.

    The kind is "printed", "warned" (on standard error), "value", "display", "error", or "other". An error is written
    as `Type: message`. `more` is what a notebook knows beside the text, under the names of its format.
    """

    kind: str
    text: str
    more: dict[str, Any] = {}

    @property
    def lines(self):
        """The text as lines, the last of which ends like the others."""
        return self.text.removesuffix("\n").split("\n")


class Cell(NamedTuple):
    """Prose, code, or something raw, which is passed on as it is.

    `count` is the number that the cell had when it ran, `more` what else a notebook keeps of a cell, and `form` how the
    file it was read from writes it down; two cells are the same in different forms.
    """

    kind: str
    text: str
    outputs: tuple[Output, ...] = ()
    metadata: dict[str, Any] = {}
    count: int | None = None
    more: dict[str, Any] = {}
    form: str = ""

    @property
    def wishes(self):
        """Return the part of the metadata that is tensh's."""
        found = self.metadata.get("tensh")
        return found if isinstance(found, dict) else {}


class Document(NamedTuple):
    """Cells in order. `echo` says which bare expressions of a cell are shown: "each", "last" or None."""

    cells: list[Cell]
    echo: str | None
    metadata: dict[str, Any] = {}
    more: dict[str, Any] = {}


class DocumentError(ValueError):
    """A file that cannot be read as what its name says."""


def expressions(code):
    """For each top-level statement, whether it is a bare expression that no `;` follows; none of broken code."""
    try:
        body = parse_statements(code, "<cell>")
    except (SyntaxError, ValueError):
        return []
    encoded = [line.encode() for line in code.split("\n")]
    return [isinstance(node, ast.Expr) and not is_quiet(node, encoded) for node in body]


def guess_outputs(code, lines):
    """Guess the kind of lines of text behind code: the value of its last expression, or printed."""
    if not lines:
        return ()
    last = expressions(code)[-1:]
    is_printed = code.rstrip().rpartition("\n")[2].lstrip().startswith("print(")
    text = "\n".join(lines)
    return (Output("value", text),) if last == [True] and not is_printed else (Output("printed", text + "\n"),)
