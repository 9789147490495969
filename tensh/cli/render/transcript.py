"""The code that runs, as it would stand at a prompt: for `--echo all`."""


class Transcript:
    """Quotes the lines of a source up to a unit, each line once."""

    def __init__(self):
        self.shown = {}  # label of a source -> the last line that was shown

    def write_lines_to(self, unit):
        """(kind, text) pairs of the lines that end with a unit, comments before it included."""
        lines = unit.source.lines
        begin = self.shown.get(unit.source.filename, 0)
        for number in range(begin, max(begin, unit.last)):
            line = lines[number]
            if line.strip():
                yield "prompt", ">>> " if number < unit.first else "... "
                yield "code", line + "\n"
        self.shown[unit.source.filename] = max(begin, unit.last)
