"""Screens: Markdown files of what a terminal shows for lines that are typed, colours left out.

Every section ``## title`` holds one ``text`` block, and may name variables of the environment on a line before it:
``COLUMNS=40 TENSH_PLAIN=1``.  ``replay`` runs the lines with prompts of a block and gives the whole block anew.
"""

import io
import re
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
    """Yield (title, variables, screen) of each section."""
    for match in SECTION.finditer(path.read_text(encoding="utf-8")):
        yield match["title"], dict(pair.split("=", 1) for pair in (match["variables"] or "").split()), match["screen"]


def replay(screen, variables):
    """Return the contents of the window after the lines of a screen were typed."""
    from tensh.cli.app import main
    from tensh.cli.process.environment import Environment

    typed = re.findall(r"^>>> .*\n(?:^\.\.\. .*\n)*", screen, re.M)
    codes = [re.sub(r"^(>>>|\.\.\.) ", "", each, flags=re.M) for each in typed]
    window = Window()
    env = Environment(Window(), window, window, variables=USUAL | variables)
    main([*(part for code in codes for part in ("-c", code)), "--echo", "all", "--keep-going"], env)
    return window.getvalue()


def record_sections(path):
    """The text of a file with what is shown today."""

    def show_section(match):
        variables = dict(pair.split("=", 1) for pair in (match["variables"] or "").split())
        return match[0].replace(match["screen"], replay(match["screen"], variables))

    return SECTION.sub(show_section, path.read_text(encoding="utf-8"))
