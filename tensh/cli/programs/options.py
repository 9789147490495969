"""The options of a run, as one value."""

from typing import NamedTuple

from tensh.support.escaping import visible_line


class UsageError(Exception):
    """Raised for a command line that cannot be carried out: status 2. Its arguments are lines, usually one."""

    def __str__(self):
        return "\n".join(visible_line(str(line)) for line in self.args)


class Options(NamedTuple):
    """The options for running and showing code. None and False mean that an option was not given."""

    settings: list[str] | None = None
    seed: int | None = None
    echo: str | None = None
    keep_going: bool = False
    timed: bool = False
    timeout: float | None = None
    traceback: str | None = None
    engine: str | None = None
    strict: bool = False
    bare: bool = False  # no preloaded names
    color: str | None = None
    language: str | None = None
    quiet: bool = False
    json: bool = False
    json_full: bool = False  # without a limit on the size of tensors
    plain: bool = False
    ascii: bool = False

    def complete_from(self, other):
        """Return these options, with missing ones taken from `other`."""
        return Options(
            *(theirs if mine is None or mine is False else mine for mine, theirs in zip(self, other, strict=True))
        )
