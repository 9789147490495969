"""The explanation of a failure, as plain data."""

from typing import NamedTuple


class Operand(NamedTuple):
    """A tensor that an operation was given: the user's text for it, its shape and dtype, and the dims that matter."""

    text: str | None
    shape: tuple[int, ...]
    dtype: str
    marked: frozenset = frozenset()


class Fit(NamedTuple):
    """A change that works: the code, the shapes that come of it, and where it stands.

    Without ``line`` the code is in place of what failed.  Otherwise it is in place of that line, or a line of its own
    ``before`` or ``after`` it (the ``side``), and ``more`` are changes of other lines that belong to it.
    """

    text: str
    result: str = ""
    line: int | None = None
    side: str = ""
    more: tuple["Fit", ...] = ()


class Explanation(NamedTuple):
    """The operation, its operands, the rule that they broke, what would fit, what else to do, and what would fail next.

    ``made`` says on which lines operands got their values, ``turn`` in which turn of the loop on which line it failed;
    only what is certain is there.
    """

    operation: str
    operands: tuple[Operand, ...]
    rule: str
    fits: tuple[Fit, ...] = ()
    advice: str | None = None
    then: str | None = None
    made: tuple[tuple[str, int], ...] = ()
    turn: tuple[int, int] | None = None
