"""`%load_ext tensh`: run the cells of an IPython shell in a tensh session, until `%unload_ext tensh`.

The extension uses IPython's hooks: a transformer of cells, a handler of exceptions, formatters and a completion
matcher. It replaces one method, which answers `?`, because IPython has no hook for it.
"""

import os

import tensh.support.language as language
from tensh.alias import is_pytorch_loaded
from tensh.cli.kernel.asking import QuestionHooks
from tensh.cli.kernel.cells import Cells
from tensh.cli.kernel.notebook import Notebook
from tensh.support.language import _

NAME = "tensh"  # the attribute of a shell that holds its extension


def load(shell):
    """Attach tensh to a shell; called by IPython for `%load_ext tensh`."""
    if getattr(shell, NAME, None) is None:
        language.choose_usual(os.environ)
        if is_pytorch_loaded():
            from IPython.core.error import UsageError

            raise UsageError(_("PyTorch was already imported: restart, and run %load_ext tensh before importing it"))
        setattr(shell, NAME, Attachment(shell))


def unload(shell):
    """Detach tensh from a shell; called by IPython for `%unload_ext tensh`."""
    attached = getattr(shell, NAME, None)
    if attached is not None:
        delattr(shell, NAME)
        attached.close()


class Attachment:
    """A session attached to a shell."""

    def __init__(self, shell):
        self.shell = shell
        self.notebook = Notebook(shell)
        self.cells = Cells(shell, self.notebook)
        self.asking = QuestionHooks(shell, self.notebook.session)
        self.notebook.begin()
        self.cells.attach()
        self.asking.attach()

    def run_cell(self, text):
        """Run the text of a cell; called by the code that the transformer of cells writes."""
        return self.notebook.run_cell(text)

    def close(self):
        self.asking.detach()
        self.cells.detach()
        self.notebook.end()
