"""Lines of a block that are too long to draw: the part around the cursor, and how many characters there are on both sides.

prompt_toolkit examines every character of a line for every key to wrap it: 3 s for 2 million.
"""

from prompt_toolkit.layout.processors import Processor, Transformation

LONGEST = 20_000  # characters of a line that is drawn whole
SHOWN, STEP = 2_000, 1_000  # characters drawn of longer lines, and the step by which that part follows the cursor


class LongLines(Processor):
    """Draws a part of each long line."""

    def apply_transformation(self, given):
        number, document = given.lineno, given.document
        line = document.lines[number]
        if len(line) <= LONGEST:
            return Transformation(given.fragments)
        column = document.cursor_position_col if number == document.cursor_position_row else 0
        start = max(column - SHOWN // 2, 0) // STEP * STEP
        end = min(start + SHOWN, len(line))
        before = f"({start:,} characters) " if start else ""
        behind = f" ({len(line) - end:,} characters)" if end < len(line) else ""
        shift = len(before) - start
        return Transformation(
            [("class:left-out", before), ("", line[start:end]), ("class:left-out", behind)],
            lambda place: min(max(place, start), end) + shift,
            lambda place: min(max(place - shift, start), end),
        )
