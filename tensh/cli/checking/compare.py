"""Comparison of two texts: numbers may differ within the tolerance of their dtype; addresses and times are ignored."""

import math
import re
import struct
from typing import NamedTuple

from tensh.cli.checking.tokens import Number, tokens
from tensh.support.language import _, deferred
from tensh.testing.tolerances import TOLERANCES

ADDRESS = re.compile(r"\bat 0x[0-9A-Fa-f]+")
# only its name is compared
FUNCTION = re.compile(r"<(?:built-in )?(?:function|method) (?:(?:\w++|<locals>)\.)*+(\w++|<lambda>)[^<>\n]*+>")
# the location of a line of code: after a file name, after quoted code, or in parentheses
PLACE = re.compile(r"(?<!\S)\S+\.(?:tsh|py|ipynb|md)(?: cell \d+)?:\d+\b|(?<=`) on line \d+|(?<=[\w)]) \(line \d+\)")
ID = re.compile(r"(?<![\w.])\d{9,}(?![\w.])")
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:nan|inf|\d+\.?\d*(?:e[-+]?\d+)?)")
UNIT = r"(?: ?(?:ns|us|µs|μs|ms|s|sec|secs|seconds?|minutes?)\b)"
TIME = re.compile(
    r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?|\b\d{1,2}:\d\d:\d\d(?:\.\d+)?"
    rf"|(?<![\w.])\d+(?:\.\d*)?(?:e[-+]?\d+)?{UNIT}"
    r"|(?P<word>(?i:elapsed|took|duration|\b(?:wall |cpu |total )?time)(?: taken)?[:=]? *)"
    rf"\d+\.\d+(?:e[-+]?\d+)?{UNIT}?"
)
LONGEST = 1_000_000  # characters of a text searched for numbers
LONGEST_INTEGER = 300  # digits of an integer that is computed with


class Wrong(NamedTuple):
    """A number that differs, as stored and now."""

    stored: Number
    now: Number

    @property
    def off_by(self):
        """Describe the distance between the two numbers; "" if it is not finite or too long."""
        if max(len(self.stored.text), len(self.now.text)) > LONGEST_INTEGER:
            return ""
        if self.stored.is_integer and self.now.is_integer:
            return str(abs(int(self.now.text) - int(self.stored.text)))
        distance = abs(float(self.now.text) - float(self.stored.text))
        return f"{distance:.4g}" if math.isfinite(distance) else ""


class Comparison(NamedTuple):
    """The result of comparing two texts: the normalised texts, the numbers that differ, and a note on what was ignored."""

    same: bool
    note: str = ""
    stored: str = ""
    now: str = ""
    wrong: tuple[Wrong, ...] = ()
    sides: tuple[str, str] = (deferred("stored"), deferred("now"))


def compare(stored, now, settings=None, rtol=None, atol=None):
    """Compare the stored text of a cell with its new text, as the cell's metadata requests."""
    settings = settings or {}
    stored, now = strip_noise(stored, settings), strip_noise(now, settings)
    if stored == now:
        return Comparison(True, _("ids differ (masked)") if settings.get("addresses") else "")
    if settings.get("random") and not settings.get("addresses") and squeeze(stored) == squeeze(now):
        return Comparison(True, _("random numbers (masked)"))
    if max(len(stored), len(now)) > LONGEST:
        return Comparison(False, "", stored, now)
    words, numbers = zip(tokens(mask_times(stored)), tokens(mask_times(now)), strict=True)
    if words[0] != words[1]:
        return Comparison(False, "", stored, now)
    pairs = [Wrong(*pair) for pair in zip(*numbers, strict=True)]
    wrong = tuple(pair for pair in pairs if not close(pair, rtol, atol))
    if wrong:
        return Comparison(False, "", stored, now, wrong)
    return Comparison(True, describe_tolerance(pairs, rtol, atol) or describe_masked(stored, now))


def strip_noise(text, settings):
    """Remove from a text what is never compared: addresses, locations of functions and lines, trailing spaces."""
    text = PLACE.sub("", FUNCTION.sub(r"<function \1>", ADDRESS.sub("at 0x", text)))
    if settings.get("platform"):
        text = text.replace("\\", "/")
    if settings.get("addresses"):  # compare only which ids are equal
        seen = {}
        text = ID.sub(lambda match: seen.setdefault(match[0], f"id{len(seen) + 1}"), text)
    return "\n".join(line.rstrip() for line in text.rstrip().split("\n"))


def mask_times(text):
    """Mask durations, times and dates with `#`, keeping the length of the text."""
    return TIME.sub(lambda match: (match["word"] or "").ljust(len(match[0]), "#"), text)


def describe_masked(stored, now):
    """Name the parts that were ignored in two texts that are otherwise equal."""
    times = [[match[0] for match in TIME.finditer(text)] for text in (stored, now)]
    return _("text differs only in times (masked)") if times[0] != times[1] else ""


def squeeze(text):
    """Return a text without its numbers and whitespace."""
    return re.sub(r"\s+", "", NUMBER.sub("#", text))


def close(pair, rtol=None, atol=None):
    """Return True if two numbers are equal within the tolerance of their dtype."""
    stored, now = pair
    if stored.is_integer or now.is_integer:
        return stored.text.lstrip("+") == now.text.lstrip("+")
    a, b = float(stored.text), float(now.text)
    if a == b or (math.isnan(a) and math.isnan(b)):
        return True
    relative, absolute = tolerance(pair, rtol, atol)
    return math.isfinite(a) and math.isfinite(b) and abs(b - a) <= absolute + relative * abs(a)


def tolerance(pair, rtol=None, atol=None):
    """Return (relative, absolute) tolerance for a pair of numbers, from the coarser of their dtypes."""
    found = [TOLERANCES.get(dtype_of(number), TOLERANCES["float32"]) for number in pair]
    relative, absolute = max(found)
    return relative if rtol is None else rtol, absolute if atol is None else atol


def dtype_of(number):
    """Return the dtype of the tensor around a number.

    A number outside a tensor is float32 if it can be, as a result of `item`.
    """
    if number.dtype:
        return number.dtype
    value = float(number.text)
    try:
        return "float32" if struct.unpack("f", struct.pack("f", value))[0] == value else "float64"
    except OverflowError:
        return "float64"


def describe_tolerance(pairs, rtol, atol):
    """Name the tolerance within which numbers differ."""
    differing = [
        pair for pair in pairs if not pair.stored.is_integer and float(pair.stored.text) != float(pair.now.text)
    ]
    differing = [pair for pair in differing if not math.isnan(float(pair.now.text))]
    if not differing:
        return ""
    widest = max(differing, key=lambda pair: tolerance(pair, rtol, atol))
    relative, absolute = tolerance(widest, rtol, atol)
    return _("numbers agree within rtol {relative:g}, atol {absolute:g} ({dtype})").format(
        relative=relative, absolute=absolute, dtype=dtype_of(widest.now)
    )
