"""Notebooks and Markdown as a sequence of sources."""

import importlib.util
from typing import NamedTuple

from tensh.cli.session.sources.source import SET_UP, SHELL, Source, drop_indent

PYTHON_MAGICS = ("%time", "%timeit", "%capture")  # cell magics whose body is Python


class Cell(NamedTuple):
    """A code cell: its source, whether it may raise, its requirement, and its skipped lines.

    A script is one cell without any of these.
    """

    source: Source
    may_raise: bool = False
    requires: str | None = None
    passed_over: tuple[str, ...] = ()

    @property
    def lacking(self):
        """The requirement of the cell if this machine does not meet it, else None."""
        return self.requires if self.requires and not is_here(self.requires) else None


def is_here(requirement):
    """Return True if a package is installed. Always False for cuda."""
    try:
        return requirement != "cuda" and importlib.util.find_spec(requirement) is not None
    except (ImportError, ValueError, AttributeError, TypeError):  # not the name of a package
        return False


def cells(text, filename, label):
    """Return the code cells of a notebook's text; raise ValueError for other texts."""
    from tensh.cli.documents import notebooks  # 2 ms, for notebooks only

    return _cells(notebooks.read(text), filename, label)


def blocks(text, filename, label):
    """Return the code blocks of a Markdown text, and each prompt of its sessions, except those marked to be skipped."""
    from tensh.cli.documents import markdown

    document = markdown.read(text)
    wanted = [cell for cell in document.cells if not (cell.settings.get("skip") or "doctest: +SKIP" in cell.text)]
    return _cells(document._replace(cells=wanted), filename, label)


def _cells(document, filename, label):
    code = [cell for cell in document.cells if cell.kind == "code"]
    return [_cell(cell, number, filename, label, document.echo) for number, cell in enumerate(code, 1)]


def _cell(cell, number, filename, label, echo):
    text, passed_over = python(cell.text)
    is_session = cell.form.startswith(">>> ")
    source = CellSource(text, f"{filename} cell {number}", f"{label} cell {number}", "each" if is_session else echo)
    tags = cell.metadata.get("tags")
    may_raise = "raises" in cell.settings or (isinstance(tags, list) and "raises-exception" in tags)
    may_raise = may_raise or (is_session and any(output.kind == "error" for output in cell.outputs))
    requires = cell.settings.get("requires")
    return Cell(source, may_raise, requires if isinstance(requires, str) else None, tuple(passed_over))


class CellSource(Source):
    """A cell's code, with lines counted from the top of the cell."""

    def place(self, line):
        return f"{self.label}, line {line}" if line else self.label


def python(text):
    """Return a cell's code as Python, and the lines that only a notebook understands.

    A common indentation is removed, and lines for a shell or Jupyter (`!pip install`, `%matplotlib inline`) become
    `pass`. A `%` or `!` counts only at the beginning of a line.
    """
    # most cells, in a tenth of the time
    if (not text or text[0].isidentifier()) and "%" not in text and "!" not in text:
        return text, []
    lines = drop_indent(text).split("\n")
    first = next((line for line in lines if line.strip()), "")
    if first.startswith("%%") and not first.startswith(tuple("%" + name for name in PYTHON_MAGICS)):
        return "\n".join("" for _ in lines), [first]
    passed_over = []
    for number, line in enumerate(lines):
        if SHELL.match(line) or SET_UP.match(line) or (line is first and line.startswith("%%")):
            passed_over.append(line.strip())
            lines[number] = line[: len(line) - len(line.lstrip())] + "pass"
    return "\n".join(lines), passed_over
