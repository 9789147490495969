"""The request to `tensh learn`."""

from typing import NamedTuple


class Request(NamedTuple):
    """The language, whether to start over, files of answers to grade, a file to write answers to."""

    language: str | None = None
    restart: bool = False
    answers: tuple[str, ...] = ()
    record: str | None = None
