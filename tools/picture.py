"""Draw the pictures of the documents:  python tools/picture.py [--check]

Runs each of SESSIONS as a terminal would show it and writes docs/_static/NAME.svg, by Rich. `--check` writes nothing and
exits with 1 if a picture differs from its session. Commands and results of the pictures in MOVING appear one
after the other, once; browsers set to reduced motion, and printed pages, show all of them.
"""

import argparse
import html
import io
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

PICTURES = ROOT / "docs" / "_static"
WIDTH = 80
SESSIONS = {
    "session": """\
x = torch.tensor(2., requires_grad=True)
w = torch.tensor(1., requires_grad=True)
a = x + w
b = w + 1
y = a * b
y
y.backward()
%grads
%graph y values=True
torch.manual_seed(1);
H = torch.randn(784, 256)
H
%hist H bins=7
t = torch.linspace(-3, 3, 39)
%heat (t[:, None].sin() * t.cos())[::4]
""",
    "tour": """\
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = (x ** 2).sum()
y
y.backward()
x.grad
%graph y
%why x.grad
%who
""",
    "error": """\
images = torch.ones(8, 784)
weights = torch.ones(10, 784)
images @ weights
""",
}
MOVING = {"session"}
TYPING, ANSWER, READING = 0.9, 0.35, 0.12  # seconds before a command, before its result, and for each row of that
# A fixed environment: many colours, a window of WIDTH columns, no settings of a user.
VARIABLES = {
    "TERM": "xterm-256color", "COLORTERM": "truecolor", "COLUMNS": str(WIDTH), "LINES": "60", "TENSH_THEME": "dark",
    "TENSH_CONFIG": "/nowhere",
}  # fmt: skip
# Rich's own frame loads a font from the network; a picture of the project must load nothing.
FRAME = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: {char_height}px; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>
{lines}
</defs>
<rect rx="8" width="{width}" height="{height}" fill="#15171c" />
<g fill="#3a3f4a"><circle cx="22" cy="21" r="6" /><circle cx="42" cy="21" r="6" /><circle cx="62" cy="21" r="6" /></g>
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
ROW = 24.4  # the height of a line in Rich's pictures
MOTION = """\
@keyframes appear { from { opacity: 0 } }
@media screen and (prefers-reduced-motion: no-preference) { [style] { animation: appear 0.2s backwards } }
"""


class Window(io.StringIO):
    """A text stream that claims to be a terminal."""

    encoding = "utf-8"

    def isatty(self):
        return True


def path(name):
    return PICTURES / f"{name}.svg"


def run_session(name):
    """Return the output of a session in a window, with escape sequences."""
    from tensh.cli.app import main
    from tensh.cli.process.environment import Environment

    window = Window()
    main(["-c", SESSIONS[name], "--echo", "all"], Environment(Window(), window, window, variables=VARIABLES))
    return window.getvalue()


def draw(text):
    """Draw a text with escape sequences."""
    from rich.console import Console
    from rich.terminal_theme import TerminalTheme
    from rich.text import Text

    theme = TerminalTheme((21, 23, 28), (220, 223, 228), [(21, 23, 28)] * 8)
    console = Console(
        width=WIDTH,
        record=True,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        legacy_windows=False,
    )
    console.print(Text.from_ansi(text.rstrip("\n")), soft_wrap=True)
    return console.export_svg(title="", theme=theme, code_format=FRAME, unique_id="tensh")


def moments(lines):
    """Yield the second at which each line of a session appears."""
    second, rows = 0.0, 0
    for line in lines:
        if line.startswith(">>> "):
            second, rows = second + TYPING + READING * rows, 0
            yield second
        else:
            rows += 1
            yield second + ANSWER


def animate(picture, lines):
    """Animate a picture: its rows appear one command after the other."""
    seconds = [*moments(lines)]

    def delay(match):
        row = int(float(match["y"]) // ROW)
        return f'{match[0]} style="animation-delay: {seconds[row]:.2f}s"'

    moving = re.sub(r'<(?:text class="[^"]*"|rect fill="[^"]*") x="[^"]*" y="(?P<y>[^"]*)"(?! rx)', delay, picture)
    return moving.replace("</style>", MOTION + "</style>", 1)


def plain(text):
    return re.sub(r"\033\[[0-9;]*m", "", text)


def draw_session(name):
    """Draw a session."""
    text = run_session(name)
    return animate(draw(text), plain(text).rstrip("\n").split("\n")) if name in MOVING else draw(text)


def text_of(picture):
    """Return the text in a picture, line by line, without spaces, which Rich leaves out in empty lines."""
    lines = {}
    for y, text in re.findall(r'<text [^>]*y="([\d.]+)"[^>]*>(.*?)</text>', picture):
        lines.setdefault(float(y), []).append(html.unescape(text).replace("\u00a0", " "))
    return ["".join("".join(lines[y]).split()) for y in sorted(lines)]


def is_current(name):
    """Return True if a picture shows the current output of its session."""
    expected = ["".join(line.split()) for line in plain(run_session(name)).split("\n")]
    found = text_of(path(name).read_text(encoding="utf-8")) if path(name).exists() else []
    return [*filter(None, found)] == [*filter(None, expected)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, exit with 1 if a picture is out of date")
    if parser.parse_args().check:
        return 0 if all(map(is_current, SESSIONS)) else 1
    for name in SESSIONS:
        path(name).write_text(draw_session(name), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
