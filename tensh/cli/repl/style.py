"""The theme as prompt_toolkit styles, for what the editor draws."""

from prompt_toolkit.styles import Style

from tensh.cli.render.theme import LEVELS, STYLES

WORDS = {"1": "bold", "2": "dim", "3": "italic", "4": "underline", "7": "reverse"}
COLORS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "gray")

# class of the editor: (kind of the theme, base style)
DRAWN = {
    "prompt": ("prompt", "fg:ansidefault"),  # coloured spaces are written; the cursor jumps over others
    "command": ("keyword", ""),
    "auto-suggestion": ("note", ""),
    "left-out": ("note", ""),
    "bottom-toolbar": ("note", "noreverse"),
    "bottom-toolbar.argument": ("title", "noreverse underline"),
    "matching-bracket.other": ("", "fg:default bg:default bold underline"),
    "matching-bracket.cursor": ("", "fg:default bg:default bold underline"),
    "completion-menu": ("", "fg:default bg:default"),
    "completion-menu.completion": ("", "fg:default bg:default"),
    "completion-menu.completion.current": ("", "fg:default bg:default reverse"),
    "completion-menu.meta.completion": ("note", "fg:default bg:default"),
    "completion-menu.meta.completion.current": ("note", "fg:default bg:default reverse"),
    "scrollbar.background": ("note", "fg:default bg:default reverse"),  # visible only when there is more than fits
    "scrollbar.button": ("", "fg:default bg:default noreverse"),
    "pygments.keyword": ("keyword", ""),
    "pygments.operator.word": ("keyword", ""),
    "pygments.literal.number": ("number", ""),
    "pygments.literal.string": ("string", ""),
    "pygments.comment": ("note", ""),
    "pygments.name.builtin": ("name", ""),
    "pygments.name.decorator": ("attribute", ""),
    "pygments.error": ("", ""),
}


def style(theme):
    """Return the style sheet of a theme."""
    kinds = STYLES[theme]
    return Style(
        [(name, f"{under} {translate_sgr(kinds.get(kind, ''))}".strip()) for name, (kind, under) in DRAWN.items()]
    )


def translate_sgr(parameters):
    """Translate SGR parameters (`1;38;5;80`) to a prompt_toolkit style."""
    words, numbers = [], iter(parameters.split(";") if parameters else ())
    for number in numbers:
        if number in ("38", "48"):
            next(numbers)  # skip the 5, for 256 colours
            words.append(("fg:" if number == "38" else "bg:") + color(int(next(numbers))))
        elif number in WORDS:
            words.append(WORDS[number])
        else:
            words.append("ansi" + COLORS[int(number) - 30])
    return " ".join(words)


def color(number):
    """Return one of the 256 colours (number 16 and up: a cube, then greys) as #rrggbb."""
    if number >= 232:
        parts = [8 + 10 * (number - 232)] * 3
    else:
        parts = [LEVELS[(number - 16) // base % 6] for base in (36, 6, 1)]
    return "#" + "".join(f"{part:02x}" for part in parts)
