"""The environment of a command, passed as one object: streams, properties of the terminal, variables.

Nothing else in the command line reads `sys.stdout` or `os.environ`; tests make their own Environment.
"""

import contextlib
import errno
import os
import sys

from tensh.support.language import _

USUAL_WIDTH = 80  # columns of a pipe or a file, whatever the window


class Unwritten(Exception):
    """Raised when standard output cannot be written.

    Its argument is the OSError: BrokenPipeError if the reader has gone away.
    """


class Environment:
    """The streams, the variables, and the capabilities of the streams."""

    def __init__(self, stdin=None, stdout=None, stderr=None, variables=None, color="auto", plain=False, ascii=False):
        self.stdin = stdin or sys.stdin
        self.stdout = stdout or sys.stdout
        self.stderr = stderr or sys.stderr
        self.variables = os.environ if variables is None else variables
        self.color = color
        self.plain = plain or self.is_set("TENSH_PLAIN")
        self.ascii = ascii or self.is_set("TENSH_ASCII")

    def configure(self, color=None, plain=False, ascii=False):
        """Return the environment with the options of a command line applied."""
        return Environment(
            self.stdin, self.stdout, self.stderr, self.variables, color or self.color, self.plain or plain,
            self.ascii or ascii,
        )  # fmt: skip

    def is_set(self, name):
        """Return True if a variable is set to something else than "" and "0"."""
        return self.variables.get(name, "") not in ("", "0")

    # ── terminals ────────────────────────────────────────────────────────────

    def is_terminal(self, stream):
        return stream is not None and not stream.closed and stream.isatty()

    @property
    def is_interactive(self):
        """True if a user can be asked: stdin and stdout are both terminals."""
        return self.is_terminal(self.stdin) and self.is_terminal(self.stdout)

    @property
    def can_redraw(self):
        """True if the terminal can move its cursor, as a line editor requires."""
        if not self.is_interactive or self.plain or self.variables.get("TERM", "") in ("dumb", "unknown"):
            return False
        return has_descriptor(self.stdin) and has_descriptor(self.stdout)

    def has_color(self, stream):
        """Return True if a stream takes escape sequences: decided by option, then variables, then the kind of stream."""
        if self.plain or self.color == "never":
            return False
        if self.color == "always":
            return True
        if self.variables.get("NO_COLOR"):
            return False
        if self.is_set("FORCE_COLOR") or self.is_set("CLICOLOR_FORCE"):
            return True
        return self.variables.get("TERM") != "dumb" and self.is_terminal(stream)

    def has_unicode(self, stream):
        """Return True if a stream can show more than ASCII."""
        encoding = getattr(stream, "encoding", None) or "utf-8"
        return not self.ascii and encoding.lower().replace("-", "").startswith("utf")

    def width(self, stream):
        """Return the width of the window behind a stream in columns."""
        if not self.is_terminal(stream):
            return USUAL_WIDTH
        with contextlib.suppress(ValueError):
            if int(self.variables.get("COLUMNS", "")) > 0:
                return int(self.variables["COLUMNS"])
        try:
            return os.get_terminal_size(stream.fileno()).columns or USUAL_WIDTH
        except (OSError, ValueError):
            return USUAL_WIDTH

    # ── the process ──────────────────────────────────────────────────────────

    @contextlib.contextmanager
    def install(self):
        """Make these the streams of the process, so that `print` and `input` of user code find them."""
        before = sys.stdin, sys.stdout, sys.stderr
        sys.stdin, sys.stdout, sys.stderr = self.stdin, self.stdout, self.stderr
        if not self.has_unicode(self.stdout):
            self.stdout.reconfigure(errors="backslashreplace")  # escape characters that cannot be encoded
        try:
            yield self
        finally:
            sys.stdin, sys.stdout, sys.stderr = before

    @contextlib.contextmanager
    def writing(self):
        """A context that raises Unwritten if stdout cannot be written."""
        try:
            yield
        except OSError as error:
            raise Unwritten(self.why_unwritten(error) or error) from None
        except ValueError:
            if not self.stdout.closed:
                raise
            raise Unwritten(OSError(errno.EBADF, _("the program has closed it"))) from None

    def why_unwritten(self, error):
        """Return the OSError of an unwritable stdout, if that is why user code raised `error`."""
        if isinstance(error, BrokenPipeError):
            return error if self.is_broken() else None
        if error.errno == errno.EIO and self.is_broken():  # a terminal whose window was closed
            return BrokenPipeError(*error.args)
        try:
            self.stdout.flush()  # unwritten text is still in the buffer
        except OSError as found:
            return found
        return None

    def is_broken(self):
        """Return True if the reader of stdout has gone away."""
        import select

        try:
            # unwritten text has left the buffer, so flushing would not fail
            if hasattr(select, "poll"):
                poll = select.poll()
                poll.register(self.stdout.fileno(), 0)
                return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))
            self.stdout.flush()
        except BrokenPipeError:
            return True
        except (OSError, ValueError):
            pass
        return False

    def say(self, text):
        """Write to stderr; ignore a failure, which could not be reported anywhere."""
        with contextlib.suppress(OSError, ValueError):  # the program may have closed it
            self.stderr.write(text)
            self.stderr.flush()
            return
        silence(self.stderr)


def silence(stream):
    """Discard further output of an unwritable stream, which would otherwise fail when the process ends."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


# Substitutes for streams that are closed when the process begins: without them the next file opened would get the
# descriptor, and with it the output of the stream. Reading stdin and writing stdout fail instead; text for stderr is
# dropped.
INSTEAD = (("stdin", os.O_WRONLY, "r"), ("stdout", os.O_RDONLY, "w"), ("stderr", os.O_WRONLY, "w"))


def open_closed_streams():
    """Open a substitute for each standard stream that is closed."""
    for number, (name, access, mode) in enumerate(INSTEAD):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, access)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            setattr(sys, name, open(number, mode, encoding="utf-8", errors="backslashreplace", closefd=False))  # noqa: SIM115  (they stay)


def has_descriptor(stream):
    """Return True if a stream has a file descriptor."""
    try:
        return stream.fileno() >= 0
    except (OSError, ValueError, AttributeError):
        return False
