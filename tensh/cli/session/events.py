"""Events of a session that runs code, which each front end shows in its way."""

from typing import Any, NamedTuple

from tensh.cli.session.failures.failure import Failure
from tensh.cli.session.sources.source import Unit

RESULTS = ("_", "__", "___")  # the names of the last values, newest first


class Started(NamedTuple):
    """A statement is about to run."""

    unit: Unit


class Value(NamedTuple):
    """A bare expression has produced a value to show."""

    value: Any
    unit: Unit


class Text(NamedTuple):
    """Output of a command (`%who`, `name?`) as (kind, text) pairs."""

    tokens: list


class Notice(NamedTuple):
    """A remark of one line."""

    text: str


class Failed(NamedTuple):
    """A statement has raised."""

    failure: Failure
    unit: Unit | None


class Finished(NamedTuple):
    """A statement has ended, with or without an error."""

    unit: Unit
    seconds: float


class Exhausted(Exception):
    """Wraps a StopIteration from user code, which the generators that run the code would turn into a RuntimeError."""

    def __init__(self, error):
        super().__init__(error)
        self.error = error
