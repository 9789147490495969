"""The style of each kind of text, depending on the colours of the terminal.

"auto" uses the terminal's sixteen colours, which its user has chosen, so that it suits any background; "dark" and
"light" use 256 colours for such a background, and "mono" none. No information is conveyed by colour alone: red text
also says "error", and marked text has marks below it.
"""

from itertools import groupby

from tensh.show.drawing.page import Bitmap, Paint
from tensh.support.escaping import visible

#               auto     dark        light       mono
STYLES_TABLE = """
    error       1;31     1;38;5;203  1;38;5;160  1
    message     1        1           1           1
    warning     33       38;5;215    38;5;94     -
    trouble     1;31     1;38;5;203  1;38;5;160  1
    place       36       38;5;80     38;5;23     -
    number      -        38;5;153    38;5;25     -
    string      32       38;5;150    38;5;22     -
    attribute   35       38;5;183    38;5;91     -
    punctuation -        38;5;247    38;5;241    -
    keyword     1        1;38;5;110  1;38;5;24   1
    title       1        1           1           1
    header      2        38;5;247    38;5;241    2
    name        36       38;5;80     38;5;23     -
    bar         34       38;5;75     38;5;32     -
    margin      2        38;5;246    38;5;241    2
    code        -        -           -           -
    mark        1;31     1;38;5;203  1;38;5;160  1
    note        2        38;5;246    38;5;241    2
    prompt      2        38;5;75     38;5;25     2
"""
NAMES = ("auto", "dark", "light", "mono")
STYLES = {
    theme: {kind: "" if each[number] == "-" else each[number] for kind, *each in map(str.split, STYLES_TABLE.split("\n")[1:-1])}
    for number, theme in enumerate(NAMES)
}  # fmt: skip


def apply_style(tokens, colors, theme="auto"):
    """Join (kind, text) pairs, with escape sequences for 0, 16, 256 or 2**24 colours.

    Escape sequences in the pairs are made visible, except images drawn by tensh.
    """
    if not colors:
        return visible("".join(text for _, text in tokens))
    theme = theme if colors >= 256 or theme == "mono" else "auto"
    styles = STYLES[theme]
    parts = ((style_of(kind, styles, colors), text) for kind, text in tokens if text)
    return "".join(
        _escape(style, visible("".join(text for _, text in group)))
        for style, group in groupby(parts, lambda part: part[0])
    )


def style_of(kind, styles, colors):
    """Return the parameters of the escape sequence for a kind, a name or a Paint; a Bitmap as it is."""
    if isinstance(kind, Bitmap):
        return kind
    if not isinstance(kind, Paint):
        return styles.get(kind, "")
    return ";".join(_color(layer, color, colors) for layer, color in ((3, kind.ink), (4, kind.ground)) if color)


def _color(layer, color, colors):
    """Return the parameters for a colour as foreground (layer 3) or background (layer 4)."""
    if colors > 256:
        return f"{layer}8;2;{color[0]};{color[1]};{color[2]}"
    return f"{layer}8;5;{nearest(color)}"


def nearest(color):
    """Return the number of the nearest of the 256 colours, from the 6 x 6 x 6 cube or the 24 greys."""
    levels = [min(range(6), key=lambda n: abs(LEVELS[n] - part)) for part in color]
    grey = min(range(24), key=lambda n: abs(8 + 10 * n - sum(color) / 3))
    in_cube, in_greys = [LEVELS[n] for n in levels], [8 + 10 * grey] * 3
    if _distance(in_greys, color) < _distance(in_cube, color):
        return 232 + grey
    return 16 + 36 * levels[0] + 6 * levels[1] + levels[2]


LEVELS = (0, 95, 135, 175, 215, 255)


def _distance(one, other):
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


def _escape(style, text):
    """Style a text line by line, so that a background ends with its line."""
    if not style or not text:
        return text
    if isinstance(style, Bitmap):
        from tensh.cli.render.graphics import encode_bitmap

        return encode_bitmap(style)
    return "\n".join(f"\033[{style}m{line}\033[0m" if line else "" for line in text.split("\n"))
