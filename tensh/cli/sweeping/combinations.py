"""The combinations of a sweep: `--set NAME=VALUES` as texts, which parameters of the script take later."""

import random
import re
from decimal import Decimal
from math import prod

from tensh.cli.programs.options import UsageError
from tensh.cli.session.sources.parameters import shorten
from tensh.support.language import _

MOST = 1_000_000  # runs of one sweep
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?"
SPAN = re.compile(f"({NUMBER}):({NUMBER}):({NUMBER})")
OPENING, CLOSING, QUOTES = "([{", ")]}", "'\""


def read_settings(settings):
    """Return name -> texts of its values, for texts `NAME=VALUES`."""
    found = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals:
            raise UsageError(_("--set {setting}: write NAME=VALUE,VALUE,...").format(setting=shorten(setting)))
        if name in found:
            raise UsageError(_("--set {name}: given twice").format(name=shorten(name)))
        values = [value for part in split(text) for value in expand_range(part, setting)]
        found[name] = list(dict.fromkeys(values))
    return found


def split(text):
    """Split a text at its commas, except within brackets and quotes."""
    parts, depth, quote = [""], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in QUOTES:
            quote = character
        elif character == "," and depth <= 0:
            parts.append("")
            continue
        else:
            depth += (character in OPENING) - (character in CLOSING)
        parts[-1] += character
    return parts


def expand_range(text, setting):
    """Return the values of a text: those of `FIRST:LAST:STEP`, both ends included, else the text itself."""
    found = SPAN.fullmatch(text)
    if not found:
        return [text]
    first, last, step = map(Decimal, found.groups())
    number = (last - first) / step if step else Decimal(-1)
    if not 0 <= number < MOST:
        raise UsageError(
            _("--set {setting}: {text} has no values, or more than {most:,}").format(
                setting=shorten(setting), text=shorten(text), most=MOST
            )
        )
    return [format(first + place * step, "f") for place in range(int(number) + 1)]


def combine(values, chosen=None):
    """Return the combinations of values as dicts: all, or some chosen at random, the same ones each time."""
    total = prod(map(len, values.values()))
    wanted = total if chosen is None else min(chosen, total)
    if wanted > MOST:
        raise UsageError(
            _("{total:,} combinations exceed the limit of {most:,}: choose some with --random N").format(
                total=total, most=MOST
            )
        )
    return [combination(values, place) for place in (range(total) if wanted == total else draw(total, wanted))]


def draw(total, wanted):
    """Draw different places; those of a smaller number are the first of a larger one."""
    drawn, numbers = {}, random.Random(0)
    while len(drawn) < wanted:
        drawn[numbers.randrange(total)] = None
    return drawn


def combination(values, place):
    """Return the combination at a place, where the last parameter changes fastest."""
    found = {}
    for name, texts in reversed(values.items()):
        place, digit = divmod(place, len(texts))
        found[name] = texts[digit]
    return {name: found[name] for name in values}
