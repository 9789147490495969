"""The program to run: the code of a file, of `-c` or of standard input, with its arguments and folder."""

import os
from typing import NamedTuple

from tensh.cli.files import reading
from tensh.cli.programs.options import UsageError
from tensh.cli.session.files import opening
from tensh.cli.session.sources import notebook
from tensh.cli.session.sources.notebook import Cell
from tensh.cli.session.sources.source import Source, drop_indent
from tensh.support.collecting import without_collecting
from tensh.support.language import _


class Program(NamedTuple):
    """Cells that run in order, their `sys.argv`, and the folder whose modules they can import; "" is the current one.

    A "script" shows its expressions and has preloaded names, a "notebook" shows the last value of each cell, "markdown"
    does both, "python" shows what it prints.
    """

    kind: str
    cells: list[Cell]
    arguments: list[str]
    folder: str = ""
    file: str | None = None
    tensors: tuple[str, ...] = ()  # files whose tensors are names from the start

    @property
    def is_empty(self):
        return not self.cells and not self.tensors


SCRIPTS = (".tsh", "", ".py", ".ipynb", ".md")
NOTHING = Program("script", [], [""])  # the program of a prompt


def from_codes(codes):
    """Return the program of `-c` texts."""
    names = ["-c"] if len(codes) == 1 else [f"-c[{number}]" for number in range(1, len(codes) + 1)]
    sources = [Source(drop_indent(code), f"<{name}>", name) for name, code in zip(names, codes, strict=True)]
    return Program("script", [Cell(source) for source in sources], ["-c"])


def from_input(stream, arguments=()):
    """Return the program on standard input."""
    text = reading.read_stream(stream, "stdin")
    return Program("script", [Cell(Source(text, "<stdin>", "stdin"))], ["-", *arguments])


@without_collecting()
def from_file(path, arguments=()):
    """Return the program of a .tsh script (or a file without an extension), a .py file, a notebook or Markdown."""
    filename, extension = reading.whole_name(path), os.path.splitext(path)[1]
    if extension == ".ipynb":
        kind, cells = "notebook", document_cells(notebook.cells, filename, path)
    elif extension == ".md":
        kind, cells = "markdown", document_cells(notebook.blocks, filename, path)
    elif extension == ".py":
        kind, cells = "python", [Cell(Source(reading.code(path), filename, path, echo=None, commands=False))]
    elif extension in (".tsh", ""):
        kind, cells = "script", [Cell(Source(reading.code(path), filename, path))]
    else:
        lines = [_("{path}: tensh runs .tsh, .py, .ipynb and .md files")]
        lines += [_("tensors are opened: tensh open {path}")] * (extension in opening.FORMATS)
        raise UsageError(*(line.format(path=path) for line in lines))
    return Program(kind, cells, [path, *arguments], os.path.dirname(os.path.realpath(path)), filename)


def from_files(paths):
    """Return one program for files of any kind: tensors become names, code runs in the given order."""
    try:
        tensors = tuple(path for path in paths if opening.is_tensor_file(path))
    except opening.OpeningError as error:
        raise UsageError(str(error)) from None
    for path in tensors:
        reading.require(path)
    for path in paths:
        extension = os.path.splitext(path)[1]
        if path not in tensors and extension not in SCRIPTS and os.path.isfile(path):
            text = _("{path}: tensh opens .tsh, .py, .ipynb and .md files, and tensors in {formats}")
            raise UsageError(text.format(path=path, formats=", ".join(opening.FORMATS)))
    programs = [from_file(path) for path in paths if path not in tensors]
    if len(programs) == 1:
        return programs[0]._replace(tensors=tensors)
    cells = [cell for each in programs for cell in each.cells]
    return Program("script", cells, [""], programs[0].folder if programs else "", tensors=tensors)


def document_cells(read, filename, path):
    """Return the cells of a notebook or of Markdown."""
    try:
        return read(reading.text(path), filename, path)
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from None
    except MemoryError:
        raise UsageError(_("{path}: not enough memory").format(path=path)) from None
