"""Reading notebooks: the code cells of an .ipynb file as sources that run one after another."""

import importlib.util
import re
from typing import NamedTuple

from tensh.cli.session.source import Source, without_indent

PYTHON_MAGICS = ("%time", "%timeit", "%capture")  # cell magics whose body is Python all the same
SHELL = re.compile(r"[ \t]*!")
SET_UP = re.compile(r"[ \t]*%(?:matplotlib|config|load_ext|reload_ext|autoreload|pip|conda|cd|pylab|env)\b")


class Cell(NamedTuple):
    """A code cell: its source, whether it may raise, what it needs, and the lines of it that are passed over.

    A script is one cell, without any of these.
    """

    source: Source
    may_raise: bool = False
    requires: str | None = None
    passed_over: tuple[str, ...] = ()

    @property
    def lacking(self):
        """What the cell needs and this machine does not have."""
        if self.requires == "cuda" or (self.requires and importlib.util.find_spec(self.requires) is None):
            return self.requires
        return None


def cells(text, filename, label):
    """The code cells of a notebook given as text; ValueError where the text is no notebook."""
    import json  # 2 ms that only a notebook costs

    try:
        notebook = json.loads(text)
        version, parts = notebook["nbformat"], notebook.get("cells")
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError("this is not a notebook") from error
    if parts is None:
        raise ValueError(f"this notebook has format {version}, and format 4 is needed: open and save it with Jupyter")
    code = [part for part in parts if part.get("cell_type") == "code"]
    return [_cell(part, number, filename, label) for number, part in enumerate(code, 1)]


def _cell(part, number, filename, label):
    text, passed_over = python("".join(part.get("source", "")))
    metadata = part.get("metadata", {})
    wanted = metadata.get("tensh", {})
    name = f"{filename} cell {number}"
    source = CellSource(text, name, f"{label} cell {number}", echo="last")
    may_raise = "raises" in wanted or "raises-exception" in metadata.get("tags", ())
    return Cell(source, may_raise, wanted.get("requires"), tuple(passed_over))


class CellSource(Source):
    """The code of a cell, whose lines are counted from its top."""

    def place(self, line):
        return f"{self.label}, line {line}"


def python(text):
    """A cell as Python reads it, and the lines that are a notebook's and not Python's.

    A common indent goes, and lines that speak to a shell or to Jupyter (`!pip install`, `%matplotlib inline`) become
    `pass`. They are told from `%` or `!` in the middle of an expression by standing at its beginning.
    """
    lines = without_indent(text).split("\n")
    first = next((line for line in lines if line.strip()), "")
    if first.startswith("%%") and not first.startswith(tuple("%" + name for name in PYTHON_MAGICS)):
        return "\n".join("" for _ in lines), [first]
    passed_over = []
    for number, line in enumerate(lines):
        if SHELL.match(line) or SET_UP.match(line) or (line is first and line.startswith("%%")):
            passed_over.append(line.strip())
            lines[number] = line[: len(line) - len(line.lstrip())] + "pass"
    return "\n".join(lines), passed_over
