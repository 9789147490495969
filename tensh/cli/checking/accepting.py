"""Accepting new outputs into a document: `--update` and `--write`."""

from tensh.cli.checking.verdicts import DIFFERS, FAILS, RAN
from tensh.cli.documents.model import Cell

TODAY = ("stale", "current")  # tags that an update removes


def update_document(document, found, everything=False, interleaved=False):
    """Return the document with the new outputs of the cells that differ, or of all cells that ran."""
    wanted = {verdict.number: verdict for verdict in found if everything or verdict.status in (DIFFERS, FAILS, RAN)}
    cells, number = [], 0
    for cell in document.cells:
        number += cell.kind == "code"
        verdict = wanted.get(number) if cell.kind == "code" else None
        if verdict is None or verdict.result.passed_over:
            cells.append(cell)
        elif interleaved and not cell.form.startswith(">>> "):
            cells += divide_cell(drop_stale_outputs(cell), verdict.result)
        else:
            cells.append(drop_stale_outputs(cell)._replace(outputs=verdict.result.outputs))
    return document._replace(cells=cells)


def drop_stale_outputs(cell):
    """Remove from a cell the tags that marked its output as stale."""
    settings = {name: value for name, value in cell.settings.items() if name not in TODAY}
    rest = {name: value for name, value in cell.metadata.items() if name != "tensh"}
    return cell._replace(metadata=rest | ({"tensh": settings} if settings else {}))


def divide_cell(cell, result):
    """Split a cell of a script so that each output follows its statement."""
    lines, begin, ends = cell.text.split("\n"), 0, {}
    for piece in result.pieces:
        ends.setdefault(min(max(piece.line, 1), len(lines)), []).append(piece)
    for end, pieces in sorted(ends.items()):
        outputs = result._replace(pieces=tuple(pieces)).outputs
        yield cell._replace(text="\n".join(lines[begin:end]), outputs=outputs)
        cell, begin = Cell("code", ""), end
    rest = "\n".join(lines[begin:])
    if rest.strip() or not ends:
        yield cell._replace(text=rest, outputs=())
