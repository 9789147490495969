"""Streams that track whether their terminal is at the beginning of a line, where a prompt belongs."""

import contextlib
import threading

from tensh.cli.process.environment import Environment


class Position:
    """The position of a terminal's cursor after the last output: at the beginning of a line or not."""

    def __init__(self):
        self.at_beginning = True


class PositionedStream:
    """A proxy for a stream that tracks the position."""

    def __init__(self, stream, position):
        self.stream = stream
        self.position = position
        self.above = None  # stream for other threads while a line is edited

    def write(self, text):
        if self.above and threading.current_thread() is not threading.main_thread():
            return self.above.write(text)
        if text:
            self.position.at_beginning = text.endswith("\n")
        return self.stream.write(text)

    @contextlib.contextmanager
    def follow_editing(self, above):
        """A context in which a line is edited, and other threads' output is drawn above the line."""
        self.above = above if self.stream.isatty() else None
        try:
            yield
        finally:
            self.above = None

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def close(self):
        """Flush only: the prompt still needs the stream when the program closes it."""
        self.stream.flush()

    def end_line(self):
        """Write a line end unless the cursor is at the beginning of a line."""
        self.stream.flush()
        if not self.position.at_beginning:
            self.write("\n")
            self.stream.flush()

    def __getattr__(self, name):
        return getattr(self.stream, name)


def follow_outputs(env):
    """Return the environment with both outputs tracked; they share the terminal, and therefore the position."""
    position = Position()
    return Environment(
        env.stdin, PositionedStream(env.stdout, position), PositionedStream(env.stderr, position), env.variables, env.color, env.plain,
        env.ascii,
    )  # fmt: skip
