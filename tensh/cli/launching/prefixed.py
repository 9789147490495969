"""A stream of whole lines, each with the rank of its process, so that those of several do not mix."""

import io


class PrefixedStream(io.TextIOBase):
    """Text forwarded to another stream line by line, with a prefix; an unfinished line is held back."""

    def __init__(self, stream, prefix):
        self.stream, self.prefix, self.rest = stream, prefix, ""

    encoding = property(lambda self: self.stream.encoding)
    errors = property(lambda self: self.stream.errors)
    buffer = property(lambda self: self.stream.buffer)

    def write(self, text):
        """Accept text; write the lines that it completes."""
        *lines, self.rest = (self.rest + text).split("\n")
        if lines:
            self.stream.write("".join(f"{self.prefix}{line}\n" for line in lines))
            self.stream.flush()
        return len(text)

    def finish(self):
        """Write the unfinished line."""
        if self.rest:
            self.write("\n")

    def flush(self):
        """Flush the stream; complete lines have been written."""
        self.stream.flush()

    def fileno(self):
        """Return the descriptor of the stream."""
        return self.stream.fileno()

    def isatty(self):
        """Return False: the launcher reads the lines."""
        return False

    def writable(self):
        """Return True."""
        return True
