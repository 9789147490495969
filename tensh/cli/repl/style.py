"""The styles of the theme in prompt_toolkit's words, for what the editor draws."""

from prompt_toolkit.styles import Style

from tensh.cli.render.theme import LEVELS, STYLES

WORDS = {"1": "bold", "2": "dim", "3": "italic", "4": "underline", "7": "reverse"}
COLORS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "gray")

# what the editor draws: a kind of the theme, and what it is over
DRAWN = {
    "prompt": ("prompt", "fg:ansidefault"),  # a space with a colour is written; one without, the cursor jumps over
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
    "scrollbar.background": ("note", "fg:default bg:default reverse"),  # seen only where there is more than fits
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
    """The style sheet of a theme."""
    kinds = STYLES[theme]
    return Style(
        [(name, f"{under} {translate_sgr(kinds.get(kind, ''))}".strip()) for name, (kind, under) in DRAWN.items()]
    )


def translate_sgr(parameters):
    """The parameters of an escape sequence (`1;38;5;80`) in prompt_toolkit's words."""
    words, numbers = [], iter(parameters.split(";") if parameters else ())
    for number in numbers:
        if number in ("38", "48"):
            next(numbers)  # 5: one of 256
            words.append(("fg:" if number == "38" else "bg:") + color(int(next(numbers))))
        elif number in WORDS:
            words.append(WORDS[number])
        else:
            words.append("ansi" + COLORS[int(number) - 30])
    return " ".join(words)


def color(number):
    """One of 256 colours (from the 17th on: a cube, then greys) as #rrggbb."""
    if number >= 232:
        parts = [8 + 10 * (number - 232)] * 3
    else:
        parts = [LEVELS[(number - 16) // base % 6] for base in (36, 6, 1)]
    return "#" + "".join(f"{part:02x}" for part in parts)
