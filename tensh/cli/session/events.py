"""Events of a session that runs code. Each front end shows them in its way."""

from typing import Any, NamedTuple

from tensh.cli.session.failure import Failure
from tensh.cli.session.source import Unit

RESULTS = ("_", "__", "___")  # the names of the last values, the newest first


class Started(NamedTuple):
    """A statement is about to run."""

    unit: Unit


class Value(NamedTuple):
    """A bare expression gave something to show."""

    value: Any
    unit: Unit


class Text(NamedTuple):
    """A command (`%who`, `name?`) answers: (kind, text) pairs."""

    tokens: list


class Notice(NamedTuple):
    """Something worth a line beside the results."""

    text: str


class Failed(NamedTuple):
    """A statement raised."""

    failure: Failure
    unit: Unit | None


class Finished(NamedTuple):
    """A statement is done, well or not."""

    unit: Unit
    seconds: float


class Exhausted(Exception):
    """A StopIteration from user code: the generators that run the code would make it a RuntimeError."""

    def __init__(self, error):
        super().__init__(error)
        self.error = error
