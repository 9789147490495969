"""Notebooks: .ipynb files of format 4."""

import itertools
import json

from tensh.cli.documents import facts
from tensh.cli.documents.model import Cell, Document, DocumentError, Output
from tensh.support.language import _

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
KINDS = {"markdown": "prose", "code": "code", "raw": "raw"}
TYPES = {kind: name for name, kind in KINDS.items()}
FORMAT = {"nbformat": 4, "nbformat_minor": 5}


# ── reading ──────────────────────────────────────────────────────────────────


def read(text):
    """Parse the text of a notebook; raise DocumentError for other texts."""
    notebook = facts.loads(text, _("this is not a notebook: "))
    if "nbformat" not in notebook:
        raise DocumentError(_('this is not a notebook: it does not declare its format ("nbformat")'))
    version = notebook["nbformat"]
    if isinstance(version, int) and version < 4:
        raise DocumentError(
            _("this notebook has format {version}, but format 4 is needed: open and save it with Jupyter").format(
                version=version
            )
        )
    parts = _is(list, notebook.get("cells"), _("its list of cells"))
    cells = [_cell(part, number) for number, part in enumerate(parts, 1)]
    metadata = dict(_is(dict, notebook.get("metadata", {}), _("its metadata")))
    echo = "last"
    if isinstance(metadata.get("tensh"), dict) and metadata["tensh"].get("echo") == "each":
        settings = {name: value for name, value in metadata.pop("tensh").items() if name != "echo"}
        metadata |= {"tensh": settings} if settings else {}
        echo = "each"
    if metadata == METADATA:
        metadata = {}
    more = {name: value for name, value in notebook.items() if name not in ("cells", "metadata")}
    return Document(cells, echo, metadata, {} if more == FORMAT else more)


def _is(kind, value, what):
    """Return a value if it is of the type that the format requires."""
    if not isinstance(value, kind):
        expected, found = facts.name_json_type(kind()), facts.name_json_type(value)
        raise DocumentError(
            _("this notebook is broken: expected {expected} for {what}, but found {found}").format(
                what=what, expected=expected, found=found
            )
        )
    return value


def _join_lines(value, what):
    """Return a text that a notebook stores as one string or as lines."""
    if not isinstance(value, list):
        return _is(str, value, what)
    return "".join(_is(str, line, _("a line of {what}").format(what=what)) for line in value)


def _cell(part, number):
    what = f"cell {number}"
    part = dict(_is(dict, part, what))
    kind = KINDS.get(part.pop("cell_type", None) if isinstance(part.get("cell_type"), str) else None)
    if kind is None:
        raise DocumentError(_("this notebook is broken: {what} is neither code nor prose").format(what=what))
    text = (
        _join_lines(part.pop("source", ""), _("the source of {what}").format(what=what))
        .replace("\r\n", "\n")
        .replace("\r", "\n")
    )
    metadata = _is(dict, part.pop("metadata", {}), _("the metadata of {what}").format(what=what))
    count = part.pop("execution_count", None)
    outputs = _is(list, part.pop("outputs", []), _("the outputs of {what}").format(what=what))
    count = count if isinstance(count, int) and abs(count) < 10**9 else None
    return Cell(kind, text, tuple(_output(each, count, what) for each in outputs), metadata, count, part, "marked")


def _output(found, count, what):
    what = _("an output of {what}").format(what=what)
    more = dict(_is(dict, found, what))
    kind = more.pop("output_type", None)
    if kind == "stream" and more.get("name") in ("stdout", "stderr"):
        text = _join_lines(more.pop("text", ""), what)
        return Output("printed" if more.pop("name") == "stdout" else "warned", text, more)
    if kind in ("execute_result", "display_data"):
        data = dict(_is(dict, more.pop("data", {}), what))
        text = _join_lines(data.pop("text/plain", ""), what)
        more |= {"data": data} if data else {}
        if kind == "execute_result" and more.get("execution_count", count) == count:
            more.pop("execution_count", None)
        if not more.get("metadata", True):
            del more["metadata"]
        return Output("value" if kind == "execute_result" else "display", text, more)
    if kind == "error":
        name, message = (_join_lines(more.pop(each, ""), what) for each in ("ename", "evalue"))
        if more.get("traceback", []) in ([], [f"{name}: {message}"]):
            more.pop("traceback", None)
        return Output("error", f"{name}: {message}", more)
    return Output("other", "", found)


# ── writing ──────────────────────────────────────────────────────────────────


def write(document):
    """Format a document as the text of a notebook."""
    metadata = document.metadata or METADATA
    if document.echo == "each":
        settings = metadata.get("tensh")
        metadata = metadata | {"tensh": (settings if isinstance(settings, dict) else {}) | {"echo": "each"}}
    cells = [write_notebook_cell(cell) for cell in document.cells]
    if not document.more:
        cells = give_ids(cells)
    notebook = {"cells": cells, "metadata": metadata} | (document.more or FORMAT)
    text = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(notebook, indent=1) + "\n"
    return text


def give_ids(cells):
    """Return the cells of a notebook, each with an id."""
    taken = {cell["id"] for cell in cells if isinstance(cell.get("id"), str)}
    free = (f"cell-{number}" for number in itertools.count() if f"cell-{number}" not in taken)
    return [
        cell if isinstance(cell.get("id"), str) else dict(sorted((cell | {"id": next(free)}).items())) for cell in cells
    ]


def write_notebook_cell(cell):
    """Format a cell for a notebook."""
    found = {"cell_type": TYPES[cell.kind]} | cell.more | {"metadata": cell.metadata, "source": lines_of(cell.text)}
    if cell.kind == "code":
        found |= {
            "execution_count": cell.count,
            "outputs": [output_in_notebook(output, cell.count) for output in cell.outputs],
        }
    return dict(sorted(found.items()))


def output_in_notebook(output, count):
    """Format an output for a notebook."""
    lines = lines_of(output.text)
    match output.kind:
        case "printed" | "warned":
            name = "stdout" if output.kind == "printed" else "stderr"
            return {"name": name, "output_type": "stream", "text": lines} | output.more
        case "value" | "display":
            more = dict(output.more)
            found = {"data": ({"text/plain": lines} if lines else {}) | more.pop("data", {})}
            found |= {"execution_count": count, "metadata": {}} if output.kind == "value" else {"metadata": {}}
            return found | {"output_type": "execute_result" if output.kind == "value" else "display_data"} | more
        case "error":
            name, _, message = output.text.partition(": ")
            return {
                "ename": name,
                "evalue": message,
                "output_type": "error",
                "traceback": [output.text],
            } | output.more
    return output.more


def lines_of(text):
    """Split a text into lines with their ends, as a notebook stores them."""
    return text.splitlines(keepends=True)
