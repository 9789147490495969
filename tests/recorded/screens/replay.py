"""Screens: Markdown files of what a terminal shows for lines that are typed, colours left out.

Every section ``## title`` holds one ``text`` block, and may name variables of the environment on a line before it:
``COLUMNS=40 TENSH_PLAIN=1``.  ``replay`` runs the lines with prompts of a block and gives the whole block anew.

``python -m tests.recorded.screens.replay FILE...`` records the files anew: look at what has changed.
"""

import io
import re
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
SECTION = re.compile(
    r"^## (?P<title>[^\n]*)\n\n(?:`(?P<variables>[^`\n]*)`\n\n)?```text\n(?P<screen>.*?)```$", re.M | re.S
)
USUAL = {"COLUMNS": "80", "LINES": "40", "TERM": "xterm", "NO_COLOR": "1", "TENSH_CONFIG": "/nowhere"}


class Window(io.StringIO):
    """Text that passes for a terminal."""

    encoding = "utf-8"

    def isatty(self):
        return True


def sections(path):
    """(title, variables, screen) of each section."""
    for match in SECTION.finditer(path.read_text(encoding="utf-8")):
        yield match["title"], dict(pair.split("=", 1) for pair in (match["variables"] or "").split()), match["screen"]


def replay(screen, variables):
    """What the window shows when the lines of a screen are typed."""
    from tensh.cli.app import main
    from tensh.cli.environment import Environment

    typed = re.findall(r"^>>> .*\n(?:^\.\.\. .*\n)*", screen, re.M)
    codes = [re.sub(r"^(>>>|\.\.\.) ", "", each, flags=re.M) for each in typed]
    window = Window()
    env = Environment(Window(), window, window, variables=USUAL | variables)
    main([*(part for code in codes for part in ("-c", code)), "--echo", "all", "--keep-going"], env)
    return window.getvalue()


def record(path):
    """Write what is shown today into a file."""

    def again(match):
        variables = dict(pair.split("=", 1) for pair in (match["variables"] or "").split())
        return match[0].replace(match["screen"], replay(match["screen"], variables))

    path.write_text(SECTION.sub(again, path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:] or FOLDER.glob("*.md"):
        record(Path(name))
