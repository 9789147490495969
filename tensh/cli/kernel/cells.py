"""Running cells in a session: IPython passes each cell on as one call with its text.

The cell keeps its number, its place in the history and IPython's events. IPython still runs what only it can: cell
magics (`%%bash`), shell commands (`!ls`), `await` outside of functions.
"""

import ast
import re
import sys

from tensh.cli.session.sources.source import Source

CELL_COMMAND = re.compile(r"%%\w")
LEAVING = re.compile(r"\s*(?:exit|quit)\s*(?:\(\s*\))?\s*\Z")


class Cells:
    """The shell's hooks through which cells pass."""

    def __init__(self, shell, notebook):
        self.shell = shell
        self.notebook = notebook

    def attach(self):
        self.transform.__func__.has_side_effects = True  # skipped when IPython checks whether a cell is complete
        self.shell.input_transformers_cleanup.append(self.transform)
        self.show_traceback = self.shell.showtraceback
        self.shell.showtraceback = self.show_exception

    def detach(self):
        self.shell.input_transformers_cleanup.remove(self.transform)
        del self.shell.showtraceback

    def show_exception(self, exc_tuple=None, *words, exception_only=False, **options):
        """Show an exception as tensh does; called by IPython."""
        from IPython.core.error import UsageError

        error = exc_tuple[1] if exc_tuple else sys.exception()
        if isinstance(error, SystemExit):
            self.notebook.show_exit(error)
        elif exception_only or error is None or isinstance(error, UsageError):
            self.show_traceback(exc_tuple, *words, exception_only=exception_only, **options)
        else:
            self.notebook.show_exception(error)

    def transform(self, lines):
        """Transform the lines of a cell to what IPython runs."""
        text = "".join(lines)
        if not text.strip() or self.is_for_ipython(text):
            return lines
        return [f"get_ipython().tensh.run_cell({text!r})\n"]

    def is_for_ipython(self, text):
        """Return True if IPython can run a cell and a session cannot."""
        if CELL_COMMAND.match(text) or LEAVING.match(text) or text.startswith("get_ipython()."):
            return True
        try:
            Source(text, "<cell>", echo="last").units(self.notebook.session.flags)
            return False
        except (SyntaxError, ValueError, RecursionError):
            pass
        try:
            plain = self.plain_transform(text)
            compile(plain, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            return True
        except Exception:
            return False  # the session has the better message

    def plain_transform(self, text):
        """Return a cell as IPython would run it without the extension."""
        hooks = self.shell.input_transformers_cleanup
        index = hooks.index(self.transform)
        hooks.remove(self.transform)
        try:
            return self.shell.input_transformer_manager.transform_cell(text)
        finally:
            hooks.insert(index, self.transform)
