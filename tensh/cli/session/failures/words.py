"""Commands of the prompt or the terminal typed without their sign: `history`, `ls`."""

import ast
import re

from tensh.explain.model import Explanation, Fit
from tensh.support.language import _

LINE = re.compile(r"([A-Za-z]\w*)(?:\((.*)\)|[ \t]+(.*?))?[ \t]*")
NAME = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*")
PAGES = frozenset("man doc docs info describe explain what".split())
"""Words before a name that ask for its help page."""

PROGRAMS = frozenset(
    "ls ll dir pwd cat less head tail grep mkdir touch rm cp mv echo which git pip pip3 python python3 conda jupyter tensh".split()
)
OWN = frozenset("learn check convert".split())
"""Subcommands of `tensh` that a line may begin with."""


def explain_words(error, place, is_suggested):
    """Return the Explanation of a line that is a command, not Python; None for other lines.

    ``is_suggested`` says that another name was suggested for the unknown one.
    """
    text = place.source.lines[place.line - 1] if place.source.commands else ""
    if isinstance(error, SyntaxError) and (said := explain_signs(text.strip())):
        return said
    found = LINE.fullmatch(text)
    if found is None:
        return None
    is_option = found[1] == "tensh" and (found[3] or "").startswith("-")  # `tensh --help` parses as a subtraction
    if isinstance(error, NameError) and (is_suggested or error.name != found[1]) and not is_option:
        return None
    if isinstance(error, TypeError) and not is_option:
        return None
    word, given = found[1], found[2] if found[2] is not None else found[3] or ""
    if found[2] is None and word in PAGES and NAME.fullmatch(given):
        return explanation(_("a ? after a name shows its page"), f"{given}?")
    if found[2] is None and (word in PROGRAMS or word in OWN):
        rule = _("{word} is a terminal command: write it with ! here").format(word=word)
        return explanation(rule, f"!{'tensh ' * (word in OWN)}{text.strip()}")
    from tensh.cli.session.magics.registry import MAGICS

    if word not in MAGICS:
        return None
    rule = _("{word} is a prompt command: write it with %").format(word=word)
    return explanation(rule, f"%{word} {given}".rstrip())


def explain_signs(text):
    """Return the Explanation of a line whose sign of a command stands beside no name; None for other lines."""
    if text in ("%", "%%"):
        return Explanation("command", (), _("a command has a name, such as %who: %help lists them"))
    if text.startswith("$ "):
        return explanation(
            _("$ is the prompt of a terminal: a line for its shell begins with ! here"), f"!{text[2:].lstrip()}"
        )
    if text.startswith("?") or text.endswith("?"):
        rule = _("a ? before or after a name shows its page, such as torch.relu?")
        code = text.strip("?").strip()
        given = _("give the value a name first: y = {code}, then y?").format(code=code) if is_expression(code) else None
        return Explanation("command", (), rule, (), given)
    return None


def is_expression(code):
    try:
        ast.parse(code, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def explanation(rule, code):
    return Explanation("command", (), rule, (Fit(code),))
