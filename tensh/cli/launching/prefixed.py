"""A stream whose lines begin with the rank of their process, each written at once, so that lines of several do not mix."""

import io


class PrefixedStream(io.TextIOBase):
    """Text that goes to another stream line by line, with a prefix; what has no end yet waits for it."""

    def __init__(self, stream, prefix):
        self.stream, self.prefix, self.rest = stream, prefix, ""

    encoding = property(lambda self: self.stream.encoding)
    errors = property(lambda self: self.stream.errors)
    buffer = property(lambda self: self.stream.buffer)

    def write(self, text):
        """Take text; write the lines that it completes."""
        *lines, self.rest = (self.rest + text).split("\n")
        if lines:
            self.stream.write("".join(f"{self.prefix}{line}\n" for line in lines))
            self.stream.flush()
        return len(text)

    def finish(self):
        """Write what has no end."""
        if self.rest:
            self.write("\n")

    def flush(self):
        """Write what is complete: it has been written."""
        self.stream.flush()

    def fileno(self):
        """The descriptor of the stream."""
        return self.stream.fileno()

    def isatty(self):
        """False: the launcher reads the lines."""
        return False

    def writable(self):
        """True."""
        return True
