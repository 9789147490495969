"""The reports of a run on stderr, beside its results: notes, warnings, and where the code failed."""

import errno

from tensh.cli.process import status
from tensh.cli.render import failure as failures
from tensh.cli.session.failures.failure import Place, source_of
from tensh.support.language import _, deferred
from tensh.support.patterns import pattern

NOTICE = deferred("torch -> tensh engine (NumPy). Real PyTorch: --engine torch\n")
UNWRITABLE = (errno.ENOSPC, errno.EBADF, errno.EIO, errno.EFBIG)  # errno of a stream that cannot be written
WRITING = pattern(r"\bprint\((?!.*\bfile *=)|\bstdout\.")  # code that writes to stdout


class Reporter:
    """The part of a run that reports; the run has the environment, options, session and console."""

    hint = ""  # shown after a failure
    values_shown = 0
    shown_of = (None, 0)  # the source that ran last, and how many values were shown before it began

    def window(self):
        """Return the width of the window for remarks; None if they do not go to a terminal."""
        return self.env.width(self.env.stderr) if self.env.is_terminal(self.env.stderr) else None

    def remark(self, tokens):
        """Write a remark about the code to stderr, wrapped to the width of a terminal."""
        if self.env.is_terminal(self.env.stderr):
            from tensh.cli.render.fitting import fit

            tokens = fit(tokens, self.env.width(self.env.stderr))
        self.console.remark(tokens)

    def mention(self, text):
        """Show an unrequested message, unless --quiet."""
        if not self.options.quiet:
            self.remark([("note", text)])

    def notice(self):
        """Show once that torch is tensh, if stderr is a terminal."""
        if self.env.is_terminal(self.env.stderr):
            self.mention(_(NOTICE))

    def take_note(self, note):
        """Show one of the teacher's notes."""
        self.remark(failures.render_note(note, self.window()))

    def take_warning(self, message, category, filename, line, file=None, text=None):
        """Show a warning; called by Python."""
        place, note = Place(source_of(filename, self.session.sources), None, line), None
        if self.session.teacher:
            message, note = self.session.teacher.on_warning(message, filename, line)
        self.remark(failures.render_warning(place, category.__name__, message, note, self.window()))

    def take_unraisable(self, error, where):
        """Show an exception of a thread or a destructor, which stops nothing.

        A broken stdout is not shown: it ends the run silently at the next value or at the end.
        """
        failure = self.session.make_failure(error, None).failure
        if isinstance(error, OSError) and isinstance(self.why_unwritten(failure), BrokenPipeError):
            return
        in_full = self.options.traceback == "full"
        self.remark(
            [
                ("note", f"{where}:\n"),
                *(failures.render_in_full(failure) if in_full else failures.render_short(failure)),
            ]
        )

    def show_failure(self, failure, may_raise):
        """Show a failure; on a terminal also tell how to see more of it."""
        in_full = self.options.traceback == "full"
        width = self.window()
        self.remark(
            failures.render_in_full(failure, width)
            if in_full
            else failures.render_short(failure, self.values_shown - self.shown_of[1], width)
        )
        ran = len(failure.places) > 1 or not isinstance(failure.error, SyntaxError)  # else there are no frames to see
        if not in_full and self.env.is_terminal(self.env.stderr) and self.hint and failure.kind and ran:
            self.mention(self.hint)

    def show_stop(self, failure, words):
        """Show where the code was stopped, and by what."""
        is_echoed = self.env.is_terminal(self.env.stderr) and self.status == status.INTERRUPTED  # ^C, on the same line
        self.console.remark([("plain", "\n" * is_echoed), *failures.render_stop(failure, words)])

    def why_unwritten(self, failure):
        """Return the OSError of an unwritable stdout, if that is the failure."""
        found = self.env.why_unwritten(failure.error)
        if found or failure.error.errno not in UNWRITABLE or not failure.places:
            return found
        return failure.error if WRITING.search(failure.places[0].segment or failure.places[0].text) else None
