"""Line editing with readline, as in Python's own prompt: history, completion, the user's key bindings.

An unchanged line is drawn once, with nothing beside it.
"""

import contextlib

from tensh.cli.process.ending import ending_with
from tensh.cli.process.typed_line import read_typed_line
from tensh.cli.repl.stopping import stopping_with

try:
    import readline
except ImportError:  # Windows
    readline = None

SETTINGS = (
    "tab: complete",
    "set enable-bracketed-paste off",  # bracketed paste writes escapes around each line
    r'"\e[200~": ""',  # ignore paste marks that arrive anyway: pasted lines count as typed
    r'"\e[201~": ""',
    "set enable-meta-key off",
    "set bell-style none",
    "set show-all-if-ambiguous on",
    "set completion-display-width 0",  # one name per line
)
DELIMITERS = " \t\n`~!@#$%^&*()-=+[{]}\\|;:'\",<>/?"
MOST = 1000  # lines of the history
INDENT = " " * 4


def can_edit(env):
    """Return True if lines can be edited: stdin and stdout are the process's terminal, and readline is available."""
    if readline is None or not env.is_interactive:
        return False
    with contextlib.suppress(OSError, ValueError, AttributeError):
        return (env.stdin.fileno(), env.stdout.fileno()) == (0, 1)
    return False


def find_redrawing():
    """Return readline's function that writes the line again; None if it cannot be found.

    It writes the line with the cursor in its place. Where readline is built into Python, no library has it.
    """
    import ctypes

    with contextlib.suppress(AttributeError, OSError):
        return ctypes.CDLL(readline.__file__).rl_forced_update_display
    return None


class EndingSignal(BaseException):
    """Raised by a terminating signal."""


def stop_editing():
    """Leave readline from a signal handler; readline restores the terminal."""
    raise EndingSignal


class LineEditor:
    """Reads lines, with a history; `namespace` returns the names to complete."""

    def __init__(self, env, history, namespace):
        self.env = env
        self.history = history
        self.namespace = namespace
        self.before = ()
        self.found = []
        self.is_begun = False

    def begin(self):
        """Configure readline for the first line, when the history settings are known."""
        self.is_begun = True
        for setting in SETTINGS:
            readline.parse_and_bind(setting)
        readline.set_completer_delims(DELIMITERS)
        readline.set_completer(self.complete)
        readline.clear_history()
        for line in [line for entry in self.history.entries() for line in entry.split("\n")][-MOST:]:
            readline.add_history(line)

    def read(self, prompt, before):
        """Read a line with its end; return "" at the end of the input."""
        if not self.is_begun:
            self.begin()
        self.before = before
        self.env.stdout.flush()
        try:
            # the program may have replaced the streams
            with ending_with(stop_editing), stopping_with(lambda: self.draw(prompt)), self.env.install():
                return read_typed_line(prompt) + "\n"
        except EOFError:
            return ""

    def remember(self, text):
        """Add lines to those that Up recalls."""
        for line in text.split("\n"):
            readline.add_history(line)

    def draw(self, prompt):
        """Write the line again, below what a shell has written."""
        if redraw := find_redrawing():
            redraw()
            return
        self.env.stdout.write(prompt + readline.get_line_buffer())
        self.env.stdout.flush()

    def complete(self, word, number):
        """Return the completion of a word with a number; None after the last. Called by readline."""
        if number == 0:
            self.found = []
            with contextlib.suppress(Exception):  # readline would swallow an exception and stop completing
                self.found = self.candidates(word)
        return self.found[number] if number < len(self.found) else None

    def candidates(self, word):
        """Return all completions of a word."""
        from tensh.cli.session.completion import complete

        line = readline.get_line_buffer()[: readline.get_endidx()]
        if not line.strip():
            return [INDENT]
        found = complete("\n".join([*self.before, line]), self.namespace())
        kept, begun = word[: max(len(word) - found.length, 0)], max(found.length - len(word), 0)
        return [kept + each.text[begun:] for each in found.candidates]
