"""Numbers and time spans of Python's library from a file, made by functions that check their arguments."""

import re
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

from tensh.serialization.containers import DamagedError, require_int

LONGEST = 4000  # characters of a number
DIGITS = re.compile(rf"-?[0-9]{{1,{LONGEST}}}(/[0-9]{{1,{LONGEST}}})?")  # larger powers of ten would fill memory


def make_fraction(*parts):
    """Make a fraction from two integers, or from its text."""
    if len(parts) == 2:
        return Fraction(*map(require_int, parts))
    if len(parts) != 1 or type(parts[0]) is not str or not DIGITS.fullmatch(parts[0]):
        raise DamagedError("it contains an invalid fraction")
    return Fraction(parts[0])


def make_decimal(text):
    """Make a decimal number from its text."""
    if type(text) is not str or len(text) > LONGEST:
        raise DamagedError("it contains an invalid decimal number")
    return Decimal(text)


def make_timedelta(*parts):
    """Make a time span from days, seconds and microseconds."""
    return timedelta(*map(require_int, parts))
