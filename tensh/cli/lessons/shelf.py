"""The lessons that come with tensh, in order, in each language, and lessons in other files."""

import os
import re

import tensh.support.language as language
from tensh.cli.documents.files import KINDS
from tensh.cli.lessons import format
from tensh.cli.programs.options import UsageError
from tensh.support.language import _
from tensh.support.spelling import close

FOLDER = os.path.join(os.path.dirname(__file__), "texts")
NAMES = ("tensors", "views", "broadcasting", "dtypes", "linear", "autograd", "leaves", "modes", "training", "network")
ENDINGS = (".md", ".tsh", ".ipynb")


def path_of(name):
    """Return the file of a lesson in the current language."""
    return os.path.join(FOLDER, language.current, f"{name}.md")


def title_of(name):
    """Return the title of a lesson, its first heading."""
    with open(path_of(name), encoding="utf-8") as file:
        return re.sub(r"^#\s*", "", file.readline()).strip()


def find(wanted):
    """Find a lesson by name, number, beginning of its name, or file; raise UsageError if there is none."""
    if wanted.endswith(ENDINGS) or os.sep in wanted:
        return format.load(wanted)
    if os.path.isfile(wanted):
        raise UsageError(
            _("{path}: lessons are files with the extensions {endings}").format(
                path=wanted, endings=", ".join(ENDINGS)
            ),
            *[_("tensh convert makes one: tensh convert {path} LESSON.md").format(path=wanted)]
            * wanted.endswith(KINDS),
        )
    name = name_of(wanted)
    return format.load(path_of(name), key=name)


def name_of(wanted):
    """Return the name of a built-in lesson."""
    word = wanted.strip().lower()
    if word.isdigit() and 0 < int(word) <= len(NAMES):
        return NAMES[int(word) - 1]
    fitting = [name for name in NAMES if word and name.startswith(word)]
    if len(fitting) == 1:
        return fitting[0]
    meant = close(word, NAMES)
    instead = _("did you mean {meant}?").format(meant=meant) if meant else _("tensh learn lists them")
    raise UsageError(
        _("tensh learn: there is no lesson {wanted}; {instead}").format(wanted=wanted, instead=instead),
        _("a lesson of your own is a file: tensh learn FILE.md"),
    )
