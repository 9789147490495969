"""The explanation of a failure, as plain data."""

from typing import NamedTuple


class Operand(NamedTuple):
    """A tensor passed to an operation: the user's code for it, its shape and dtype, and the relevant dims."""

    text: str | None
    shape: tuple[int, ...]
    dtype: str
    marked: frozenset = frozenset()


class Fit(NamedTuple):
    """A change that works: the code, the resulting shapes, and where it belongs.

    Without ``line`` the code replaces what failed. Otherwise it replaces that line, or is a separate line ``before``
    or ``after`` it (the ``side``), and ``more`` are accompanying changes of other lines.
    """

    text: str
    result: str = ""
    line: int | None = None
    side: str = ""
    more: tuple["Fit", ...] = ()


class Explanation(NamedTuple):
    """The operation, its operands, the rule they broke, changes that fit, other advice, and what would fail next.

    ``made`` tells on which lines operands were assigned, ``turn`` in which iteration of the loop on which line it
    failed; both are only given if certain.
    """

    operation: str
    operands: tuple[Operand, ...]
    rule: str
    fits: tuple[Fit, ...] = ()
    advice: str | None = None
    then: str | None = None
    made: tuple[tuple[str, int], ...] = ()
    turn: tuple[int, int] | None = None
