"""A lesson as a sequence of steps, and the errors of a file that is not a lesson."""

import ast
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from tensh.cli.options import UsageError
from tensh.cli.session.failure import UNPARSED

BLANK = "____"


class LessonError(Exception):
    """A file that is not a lesson: what is wrong with it, and on which line."""

    def __init__(self, message, line=None):
        super().__init__(message)
        self.line = line

    def refuse(self, path):
        """Raise the UsageError with the message and the place in the file."""
        raise UsageError(f"{path}:{self.line}: {self}" if self.line else f"{path}: {self}") from None


class Text(NamedTuple):
    """Prose: a paragraph, a list, a heading. `level` is that of a heading, 0 of other prose."""

    text: str
    level: int = 0


class Code(NamedTuple):
    """Statements that run one after another, and are shown with their results. Its source knows the place in the file."""

    source: Any


class Question(NamedTuple):
    """A question about a statement, asked before it is shown what the statement gives.

    `kind` is "shape", "dtype", "value", "grad", "fails" or "complete". `about` is the expression that is asked about: the
    statement itself where there is none; `words` is the question in words, where the lesson has its own. `hints` are the
    teacher's. For "complete", `solution` is what belongs in the blank, and `target` what the value is given to, if
    anything. `phrases` are words that tell why a line fails.
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
    """A title, the steps, and where they came from. `key` is the name under which progress is kept."""

    title: str
    steps: list
    path: str
    key: str
    digest: str

    @cached_property
    def questions(self):
        return [step for step in self.steps if isinstance(step, Question)]


def fill_blank(code, piece):
    """Code with its blank filled in."""
    return code.replace(BLANK, piece)


def split_expression(code):
    """(target, expression) of code that is an expression, or one whose value is given to something; None for other code."""
    try:
        match ast.parse(code).body:
            case [ast.Expr(value)]:
                return "", ast.unparse(value)
            case [ast.Assign([ast.Name() | ast.Attribute() | ast.Subscript() as target], value)]:
                return ast.unparse(target), ast.unparse(value)
    except UNPARSED:  # what cannot be read, and what cannot be written again
        pass
    return None
