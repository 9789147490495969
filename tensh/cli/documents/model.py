"""A document as cells, independent of its file format. The neighbouring modules read and write the formats."""

import ast
from typing import Any, NamedTuple

from tensh.cli.session.sources.source import is_quiet, parse_statements


class Output(NamedTuple):
    """An output of a cell.

    The kind is "printed", "warned" (on standard error), "value", "display", "error", or "other". An error is written as
    `Type: message`. `more` holds the fields of a notebook besides the text, under the names of its format.
    """

    kind: str
    text: str
    more: dict[str, Any] = {}

    @property
    def lines(self):
        """Return the text as lines; a missing final line end makes no difference."""
        return self.text.removesuffix("\n").split("\n")


class Cell(NamedTuple):
    """Prose, code, or raw text, which is passed through unchanged.

    `count` is the execution number of the cell, `more` holds the other fields of a notebook's cell, and `form` is how
    the file it was read from writes it, which does not change its meaning.
    """

    kind: str
    text: str
    outputs: tuple[Output, ...] = ()
    metadata: dict[str, Any] = {}
    count: int | None = None
    more: dict[str, Any] = {}
    form: str = ""

    @property
    def settings(self):
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
    """Raised for a file that is not of the kind its name says."""


def expressions(code):
    """Return, for each top-level statement, whether it is a bare expression without `;`; [] for invalid code."""
    try:
        body = parse_statements(code, "<cell>")
    except (SyntaxError, ValueError):
        return []
    encoded = [line.encode() for line in code.split("\n")]
    return [isinstance(node, ast.Expr) and not is_quiet(node, encoded) for node in body]


def guess_outputs(code, lines):
    """Guess the kind of the lines of text after code: the value of its last expression, or printed text."""
    if not lines:
        return ()
    last = expressions(code)[-1:]
    is_printed = code.rstrip().rpartition("\n")[2].lstrip().startswith("print(")
    text = "\n".join(lines)
    return (Output("value", text),) if last == [True] and not is_printed else (Output("printed", text + "\n"),)
