"""Numbers as characters: bars, sparklines, brightness."""

EIGHTHS_UP = "▁▂▃▄▅▆▇█"
EIGHTHS_RIGHT = "▏▎▍▌▋▊▉█"
ASCII_UP = "_.-=+*%#"
RAMP = " .:-=+*#%@"  # from dark to bright


def sparkline(numbers, unicode=True):
    """Return a character per number, whose height is relative to the largest.

    >>> from tensh.show.drawing.blocks import sparkline
    >>> sparkline([0, 1, 4, 8, 4])
    '▁▁▄█▄'
    """
    signs = EIGHTHS_UP if unicode else ASCII_UP
    most = max(numbers, default=0) or 1
    return "".join(signs[max(0, -(-number * len(signs) // most) - 1)] for number in map(int, numbers))


def bar(part, width, unicode=True):
    """Return a bar that fills `part` (0 to 1) of a width; anything above 0 is visible.

    >>> from tensh.show.drawing.blocks import bar
    >>> bar(0.5, 8), bar(0.3, 4), bar(0.5, 8, unicode=False)
    ('████', '█▎', '####')
    """
    if not unicode:
        length = round(part * width)
        return "#" * max(length, 1 if part > 0 else 0)
    eighths = round(part * width * 8)
    full, rest = divmod(max(eighths, 1 if part > 0 else 0), 8)
    return "█" * full + (EIGHTHS_RIGHT[rest - 1] if rest else "")


def shade(part):
    """Return a character whose density is `part` (0 to 1)."""
    return RAMP[min(int(part * len(RAMP)), len(RAMP) - 1)]
