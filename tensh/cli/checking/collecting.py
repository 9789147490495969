"""The cells of a document as tests of pytest. The first test runs all cells, since they share their names."""

import functools
import os

import pytest

from tensh.cli.checking import report, running
from tensh.cli.checking.verdicts import NOT_CHECKED, SKIPPED, Limits, verdicts
from tensh.cli.documents import files
from tensh.cli.programs.options import Options, UsageError
from tensh.support.escaping import visible, visible_line


class Differs(Exception):
    """Raised for a cell that differs from its stored output; its argument is the verdict."""


class DocumentFile(pytest.File):
    """A document with cells of code."""

    @functools.cached_property
    def document(self):
        """Load the document; a bad file is a collection error."""
        try:
            return files.load(str(self.path))
        except UsageError as error:
            raise self.CollectError(visible(str(error))) from None

    def collect(self):
        """Yield a test for each code cell."""
        code = [cell for cell in self.document.cells if cell.kind == "code"]
        for number, cell in enumerate(code):
            yield CellItem.from_parent(self, name=f"cell {number + 1}", number=number, cell=cell)

    @functools.cached_property
    def verdicts(self):
        """Return the verdict on each cell."""
        path = os.path.relpath(self.path)
        results, _ = running.results(self.document, path, Options())
        return [*verdicts(self.document, results, Limits(self.config.getoption("tensh_lax")))]


class CellItem(pytest.Item):
    """A cell of a document."""

    def __init__(self, *, number, cell, **given):
        super().__init__(**given)
        self.number = number
        self.cell = cell

    def runtest(self):
        """Fail if the cell differs from its stored output; skip it if that cannot be determined."""
        verdict = self.parent.verdicts[self.number]
        if verdict.is_bad:
            raise Differs(verdict)
        if verdict.status in (SKIPPED, NOT_CHECKED):
            pytest.skip(verdict.note)

    def repr_failure(self, excinfo):
        """Describe the difference of the cell; for a bug in tensh, give its traceback."""
        if not isinstance(excinfo.value, Differs):
            return super().repr_failure(excinfo)
        return visible("".join(text for _, text in report.lines(excinfo.value.args[0])).rstrip())

    def reportinfo(self):
        """Return the location of the cell, for the headline of a failure."""
        return (
            self.path,
            None,
            f"{visible_line(os.path.relpath(self.path))} {running.label_of(self.cell, self.number + 1)}",
        )
