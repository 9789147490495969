"""The options of a run that a command line can give, as one value."""

from typing import NamedTuple

from tensh.escaping import visible_line


class UsageError(Exception):
    """The command line asks for something that cannot be done: status 2. Its arguments are lines, usually one."""

    def __str__(self):
        return "\n".join(visible_line(str(line)) for line in self.args)


class Options(NamedTuple):
    """The options of running and showing code. None and False mean that nothing was given."""

    settings: list[str] | None = None
    seed: int | None = None
    echo: str | None = None
    keep_going: bool = False
    timed: bool = False
    timeout: float | None = None
    traceback: str | None = None
    engine: str | None = None
    strict: bool = False
    bare: bool = False  # nothing preloaded
    color: str | None = None
    language: str | None = None
    quiet: bool = False
    json: bool = False
    json_full: bool = False  # with tensors of any size
    plain: bool = False
    ascii: bool = False

    def complete_from(self, other):
        """Return these options, completed by those of `other`."""
        return Options(
            *(theirs if mine is None or mine is False else mine for mine, theirs in zip(self, other, strict=True))
        )
