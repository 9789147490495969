"""`%load_ext tensh`: the cells of an IPython shell run in a session of tensh, until `%unload_ext tensh`.

All that is changed in the shell is what IPython offers for it: a transformer of cells, a handler of exceptions, formatters,
a matcher for completion; and the method that answers `?`, for which it offers nothing.
"""

from tensh.alias import is_pytorch_loaded
from tensh.cli.kernel.asking import Asking
from tensh.cli.kernel.cells import Cells
from tensh.cli.kernel.notebook import Notebook

NAME = "tensh"  # of what is attached to a shell


def load(shell):
    """IPython calls this for `%load_ext tensh`."""
    if getattr(shell, NAME, None) is None:
        if is_pytorch_loaded():
            from IPython.core.error import UsageError

            raise UsageError("PyTorch has been imported here already: restart, and %load_ext tensh before it is")
        setattr(shell, NAME, Attached(shell))


def unload(shell):
    """IPython calls this for `%unload_ext tensh`."""
    attached = getattr(shell, NAME, None)
    if attached is not None:
        delattr(shell, NAME)
        attached.close()


class Attached:
    """A session at work in a shell."""

    def __init__(self, shell):
        self.shell = shell
        self.notebook = Notebook(shell)
        self.cells = Cells(shell, self.notebook)
        self.asking = Asking(shell, self.notebook.session)
        self.notebook.begin()
        self.cells.attach()
        self.asking.attach()

    def run_cell(self, text):
        """Run the text of a cell: what the transformer of cells writes calls this."""
        return self.notebook.run_cell(text)

    def close(self):
        self.asking.detach()
        self.cells.detach()
        self.notebook.end()
