"""A lesson as a sequence of steps, and the error for an invalid lesson."""

import ast
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from tensh.cli.programs.options import UsageError
from tensh.cli.session.failures.failure import UNPARSED

BLANK = "____"


class LessonError(Exception):
    """An invalid lesson: the fault, and its line."""

    def __init__(self, message, line=None):
        super().__init__(message)
        self.line = line

    def refuse(self, path):
        """Raise UsageError with the message and the location in the file."""
        raise UsageError(f"{path}:{self.line}: {self}" if self.line else f"{path}: {self}") from None


class Text(NamedTuple):
    """Prose: a paragraph, a list or a heading. `level` is the level of a heading, 0 for other prose."""

    text: str
    level: int = 0


class Code(NamedTuple):
    """Statements that run in order and are shown with their results. The source holds its location in the file."""

    source: Any


class Question(NamedTuple):
    """A question about a statement, asked before the result of the statement is shown.

    `kind` is "shape", "dtype", "value", "grad", "fails" or "complete". `about` is the subject, an expression; "" for
    the statement itself. `words` is the question in words, if the lesson has any; `hints` are the author's. For
    "complete", `solution` fills the blank, and `target` is what its value is assigned to, if anything. `phrases` are
    words that a reason for a failure must contain.
    """

    number: int
    kind: str
    source: Any
    line: int
    about: str = ""
    words: str = ""
    hints: tuple[str, ...] = ()
    solution: str = ""
    target: str = ""
    phrases: tuple[str, ...] = ()

    @property
    def draft(self):
        """The code as the learner sees it."""
        return self.source.text


@dataclass(frozen=True)
class Lesson:
    """A title, the steps, and their file. `key` is the name under which progress is saved."""

    title: str
    steps: list
    path: str
    key: str
    digest: str

    @cached_property
    def questions(self):
        return [step for step in self.steps if isinstance(step, Question)]


def fill_blank(code, piece):
    """Fill the blank of some code."""
    return code.replace(BLANK, piece)


def split_expression(code):
    """Return (target, expression) for code that is an expression or an assignment; None for other code."""
    try:
        match ast.parse(code).body:
            case [ast.Expr(value)]:
                return "", ast.unparse(value)
            case [ast.Assign([ast.Name() | ast.Attribute() | ast.Subscript() as target], value)]:
                return ast.unparse(target), ast.unparse(value)
    except UNPARSED:  # code that cannot be parsed, or not be unparsed
        pass
    return None
