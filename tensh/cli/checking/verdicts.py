"""Verdicts: the result for each cell of a document that ran."""

from typing import NamedTuple

from tensh.cli.checking.compare import Comparison, compare
from tensh.cli.checking.running import Result, label_of
from tensh.cli.documents.model import Cell, Output
from tensh.support.language import _

OK, RAN, DIFFERS, FAILS, NOT_CHECKED, SKIPPED = "ok", "ran", "differs", "fails", "not checked", "skipped"
BAD = (DIFFERS, FAILS)


class Verdict(NamedTuple):
    """A cell, its result, and what that means: its status, a note, and the difference if there is one."""

    cell: Cell
    number: int
    label: str
    result: Result
    status: str
    note: str = ""
    comparison: Comparison | None = None

    @property
    def code(self):
        """Return the line of code that identifies the cell to the reader: the one that failed, or the last."""
        if self.status == FAILS and self.result.failure.places:
            return self.result.failure.places[-1].text.strip()
        lines = [line.strip() for line in self.cell.text.split("\n") if line.strip()]
        return next((line for line in reversed(lines) if not line.startswith("#")), "")

    @property
    def is_bad(self):
        """Return True if the cell failed, differs, or has an output and was never reached."""
        return self.status in BAD or self.result.unreached and bool(self.cell.outputs)


class Limits(NamedTuple):
    """The strictness of the comparison."""

    lax: bool = False
    rtol: float | None = None
    atol: float | None = None


def verdicts(document, results, limits):
    """Yield a verdict on each code cell."""
    cells = [cell for cell in document.cells if cell.kind == "code"]
    ran = has_run(cells)
    for number, (cell, result) in enumerate(zip(cells, results, strict=True), 1):
        found = verdict(cell, result, limits, find_stored_text(cell, ran))
        yield Verdict(cell, number, label_of(cell, number), result, *found)


def has_run(cells):
    """Return a function that tells whether a cell without output is known to show nothing: in a notebook that was run."""
    from_notebook = any("id" in cell.more or cell.count is not None for cell in cells)
    has_counts = any(cell.count is not None for cell in cells)
    is_stored = any(cell.outputs for cell in cells)
    return lambda cell: from_notebook and is_stored and (cell.count is not None or not has_counts)


def find_stored_text(cell, ran):
    """Return the expected output of the cell; None if it is unknown."""
    if isinstance(cell.settings.get("current"), str):
        return cell.settings["current"]
    if not cell.outputs and not ran(cell):
        return None
    return text_of(cell.outputs)


def text_of(outputs):
    """Return the text that is compared: what was printed and shown, and the last line of an error's message."""
    return "".join(map(_line, outputs))


def _line(output: Output):
    if output.kind in ("warned", "other"):
        return ""
    if output.kind == "error":
        kind, _, message = output.text.partition(": ")
        return f"{kind}: {(message.splitlines() or [''])[-1]}\n"
    return output.text if output.text.endswith("\n") else output.text + "\n"


def verdict(cell, result, limits, stored):
    """Return (status, note, comparison) for a cell."""
    if result.passed_over:
        return NOT_CHECKED if result.unreached else SKIPPED, result.passed_over, None
    expects_error = "raises" in cell.settings or any(output.kind == "error" for output in cell.outputs)
    if limits.lax or stored is None:
        if result.failure and not expects_error and not says_error(stored, result):
            return FAILS, "", None
        return RAN, "", None
    found = closest(stored, result, cell, limits)
    if found.same:
        stale = cell.settings.get("stale")
        return (
            OK,
            _("differs from the stored output, as noted: {stale}").format(stale=stale) if stale else found.note,
            None,
        )
    if result.failure and not expects_error:
        return FAILS, "", found
    if result.chance and not result.failure:
        return NOT_CHECKED, result.chance, None
    return DIFFERS, "", found


def verdicts_against(document, results, others, limits):
    """Yield a verdict on each code cell that ran under tensh and PyTorch."""
    cells = [cell for cell in document.cells if cell.kind == "code"]
    for number, (cell, result, other) in enumerate(zip(cells, results, others, strict=True), 1):
        yield Verdict(cell, number, label_of(cell, number), result, *verdict_against(cell, result, other, limits))


def verdict_against(cell, result, other, limits):
    """Return (status, note, comparison) for a cell that ran under both."""
    if result.passed_over or other.passed_over:
        return SKIPPED, result.passed_over or other.passed_over, None
    for ours, theirs in ((whole_text(result), whole_text(other)), (result.values, other.values)):
        found = compare(theirs, ours, cell.settings, limits.rtol, limits.atol)._replace(sides=("torch", "tensh"))
        if not found.same:
            chance = "" if result.failure else result.chance or other.chance
            return (NOT_CHECKED, chance, None) if chance else (DIFFERS, "", found)
    return OK, found.note, None


def whole_text(result):
    """Return all that a cell showed, with full error messages."""
    return "".join(output.text.removesuffix("\n") + "\n" for output in result.outputs)


def says_error(stored, result):
    """Return True if a stored text names the error."""
    return bool(stored) and f"{result.failure.kind}: " in stored


def closest(stored, result, cell, limits):
    """Compare with the stored output or an accepted alternative; return the first match, else the first comparison."""
    others = cell.settings.get("alternatives")
    expected = [stored, *(text for text in others if isinstance(text, str))] if isinstance(others, list) else [stored]
    shown = dict.fromkeys([text_of(result.outputs), whole_text(result)])
    tried = [(one, now) for now in shown for one in expected]
    found = None
    for one, now in tried:
        each = compare(*drop_captions(one, now, cell), cell.settings, limits.rtol, limits.atol)
        if each.same:
            return each
        found = found or each
    return found


def drop_captions(stored, now, cell):
    """Remove the captions that a prompt shows beside a value, and write out the blank lines of a session."""
    if not cell.form.startswith(">>> "):
        return stored, now
    stored = stored.replace("<BLANKLINE>", "")
    if any(line.startswith("# ") for line in now.split("\n")):
        return stored, now
    return "\n".join(line for line in stored.split("\n") if not line.startswith("# ")), now
