"""The code as it runs, formatted as at a prompt: for `--echo all`."""


class Transcript:
    """Quotes the lines of a source up to a unit, each line once."""

    def __init__(self):
        self.shown = {}  # file name of a source -> number of lines already quoted

    def write_lines_to(self, unit):
        """Yield (kind, text) pairs for the lines up to the end of a unit, with comments before it."""
        lines = unit.source.lines
        begin = self.shown.get(unit.source.filename, 0)
        for number in range(begin, max(begin, unit.last)):
            line = lines[number]
            if line.strip():
                yield "prompt", ">>> " if number < unit.first else "... "
                yield "code", line + "\n"
        self.shown[unit.source.filename] = max(begin, unit.last)
