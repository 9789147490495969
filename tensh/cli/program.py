"""What is to be run: the code of a file, of `-c` or of standard input, with what it needs around it."""

import contextlib
import importlib.util
import os
from typing import NamedTuple

from tensh.cli.options import UsageError
from tensh.cli.session import notebook, opening
from tensh.cli.session.notebook import Cell
from tensh.cli.session.source import Source, without_indent
from tensh.cli.session.suggest import close


class Program(NamedTuple):
    """Cells that run one after another; what they find in `sys.argv`; the folder whose modules they can import.

    The kind is "script", "python" or "notebook": a script shows its expressions and has names preloaded, a notebook
    shows the last value of each cell, Python shows what it prints.
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


NOTHING = Program("script", [], [""])  # before a prompt


def from_codes(codes):
    """The texts of `-c`."""
    names = ["-c"] if len(codes) == 1 else [f"-c[{number}]" for number in range(1, len(codes) + 1)]
    sources = [Source(without_indent(code), f"<{name}>", name) for name, code in zip(names, codes, strict=True)]
    return Program("script", [Cell(source) for source in sources], ["-c"])


def from_input(stream, arguments=()):
    """What stands on standard input."""
    return Program("script", [Cell(Source(stream.read(), "<stdin>", "stdin"))], ["-", *arguments])


def from_file(path, arguments=()):
    """A .tsh script (or a file without an extension), a .py file or a notebook."""
    filename, extension = os.path.abspath(path), os.path.splitext(path)[1]
    text = read(path)
    if extension == ".ipynb":
        kind, cells = "notebook", notebook_cells(text, filename, path)
    elif extension == ".py":
        kind, cells = "python", [Cell(Source(text, filename, path, echo=None, commands=False))]
    elif extension in (".tsh", ""):
        kind, cells = "script", [Cell(Source(text, filename, path))]
    else:
        raise UsageError(f"{path}: tensh runs .tsh, .py and .ipynb files")
    return Program(kind, cells, [path, *arguments], os.path.dirname(os.path.realpath(path)), filename)


def from_files(paths):
    """Files of any kind for one session: tensors are names from the start, code runs in the order it is named."""
    try:
        tensors = tuple(path for path in paths if opening.is_tensor_file(path))
    except opening.OpeningError as error:
        raise UsageError(str(error)) from None
    for path in tensors:
        if not os.path.isfile(path):
            raise UsageError(f"{path}: no such file{similar(path)}")
    programs = [from_file(path) for path in paths if path not in tensors]
    if len(programs) == 1:
        return programs[0]._replace(tensors=tensors)
    cells = [cell for each in programs for cell in each.cells]
    return Program("script", cells, [""], programs[0].folder if programs else "", tensors=tensors)


def notebook_cells(text, filename, path):
    try:
        return notebook.cells(text, filename, path)
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from None


def read(path):
    """The text of a file of code."""
    try:
        with open(path, "rb") as file:
            return importlib.util.decode_source(file.read())
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file{similar(path)}") from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except (UnicodeDecodeError, SyntaxError) as error:
        raise UsageError(f"{path}: this is not text ({error})") from None


def similar(path):
    """A file that may have been meant."""
    with contextlib.suppress(OSError):
        meant = close(os.path.basename(path), os.listdir(os.path.dirname(path) or "."))
        if meant:
            return f"; did you mean {os.path.join(os.path.dirname(path), meant)}?"
    return ""
