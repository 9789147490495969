"""Capturing stdout of the code for records."""

import codecs
import contextlib
import io
import os

from tensh.cli.process.environment import Environment, has_descriptor


class OutputReporter(io.BufferedIOBase):
    """The binary buffer behind `sys.stdout`: report whole lines at once, an unfinished line when it is flushed."""

    def __init__(self, tell, elsewhere):
        self.tell = tell
        self.elsewhere = elsewhere  # stdout for subprocesses that inherit this descriptor
        self.decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        self.pending = []  # pieces of an unfinished line

    def writable(self):
        return True

    def fileno(self):
        return self.elsewhere.fileno()

    def write(self, data):
        lines, end, rest = self.decoder.decode(data).rpartition("\n")
        if end:
            self.tell("".join([*self.pending, lines, end]))
            self.pending.clear()
        if rest:
            self.pending.append(rest)
        return len(data)

    def flush(self):
        if self.pending:
            text = "".join(self.pending)
            self.pending.clear()
            self.tell(text)


def stdout_of(printed):
    """Wrap the buffer in a text stream, for `print` and all other uses of stdout."""
    return io.TextIOWrapper(printed, encoding="utf-8", errors="backslashreplace", newline="\n", write_through=True)


@contextlib.contextmanager
def redirect_foreign_output(env):
    """A context with exclusive use of stdout: output of subprocesses and C code goes to stderr."""
    if not (has_descriptor(env.stdout) and has_descriptor(env.stderr)):
        yield env
        return
    env.stdout.flush()
    number = env.stdout.fileno()
    kept = os.dup(number)
    os.dup2(env.stderr.fileno(), number)
    stream = open(kept, "w", encoding=env.stdout.encoding, newline="\n", closefd=False)  # noqa: SIM115  (closing may fail)
    try:
        yield Environment(env.stdin, stream, env.stderr, env.variables, env.color, env.plain, env.ascii)
        with env.writing():
            stream.flush()
    finally:
        with contextlib.suppress(OSError):
            stream.close()
        os.dup2(kept, number)
        os.close(kept)
