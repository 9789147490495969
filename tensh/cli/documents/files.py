"""Documents in files: the extension determines the kind."""

import os

from tensh.cli.documents import markdown, notebooks, percent
from tensh.cli.documents.model import Cell, DocumentError
from tensh.cli.files import reading
from tensh.cli.files.writing import write
from tensh.cli.programs.options import UsageError
from tensh.support.collecting import without_collecting
from tensh.support.language import _

KINDS = (".tsh", ".py", ".ipynb", ".md")
PRELOADED = (".tsh", ".md")  # kinds in which torch, nn, F, np and math are predefined
CODE = (".tsh", ".py")  # kinds that may declare an encoding
GIVEN = "preload"  # marks a cell that imports what other kinds predefine


def kind_of(path):
    """Return the extension of a document's name; raise UsageError for an unknown kind."""
    extension = os.path.splitext(path)[1].lower()
    if extension not in KINDS:
        raise UsageError(
            _("{path}: expected a document of one of the types {kinds}").format(path=path, kinds=", ".join(KINDS))
        )
    return extension


def load(path):
    """Load the document in a file; raise UsageError if there is none."""
    kind = kind_of(path)
    try:
        return loads(reading.code(path) if kind in CODE else reading.text(path), kind)
    except DocumentError as error:
        raise UsageError(f"{path}: {error}") from None
    except MemoryError:
        raise UsageError(_("{path}: not enough memory").format(path=path)) from None


@without_collecting()
def loads(text, kind):
    """Parse a text of a kind as a document."""
    if kind == ".ipynb":
        return notebooks.read(text)
    return markdown.read(text) if kind == ".md" else percent.read(text, kind)


@without_collecting()
def dumps(document, kind):
    """Format a document as the text of a kind of file."""
    if kind == ".ipynb":
        return notebooks.write(document)
    return markdown.write(document) if kind == ".md" else percent.write(document, kind)


def save(document, path):
    """Write a document to a file, atomically."""
    try:
        written = dumps(document, kind_of(path)).encode()
    except UnicodeEncodeError:
        raise UsageError(
            _("{path}: it contains characters that cannot be stored in a text file (lone surrogates)").format(path=path)
        ) from None
    try:
        write(path, written)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


@without_collecting()
def convert_document(document, before, after):
    """Convert a document to another kind of file: mark its cells as such, and import the names that were predefined."""
    if before == after:
        return document
    cells = [cell._replace(form="marked") for cell in document.cells if not cell.settings.get(GIVEN)]
    if after not in PRELOADED:
        cells = [*imports(cells), *cells]
    if before == ".py" and document.echo is None:
        document = document._replace(echo="last")
    return document._replace(cells=cells)


def imports(cells):
    """Yield a cell that imports the names predefined at a prompt, if any code needs them."""
    from tensh.cli.session.files.exporting import find_missing_imports

    lines = [*find_missing_imports([cell.text.split("\n") for cell in cells if cell.kind == "code"])]
    if lines:
        yield Cell("code", "\n".join(lines), metadata={"tensh": {GIVEN: True}}, form="marked")
