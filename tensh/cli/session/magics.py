"""The commands of a session: lines `%name argument`, and `name?`.

A command is a function of the session, its argument and the place it stands at, that yields events; `@magic` puts it
into MAGICS under its name. `%help` prints that table, so a command is written down once.
"""

import inspect
from time import perf_counter
from typing import NamedTuple

from tensh.cli.session import describe
from tensh.cli.session.describe import duration
from tensh.cli.session.events import Notice, Text

MAGICS = {}


class Magic(NamedTuple):
    """A command: how it is written, what it does in a few words, and the function that does it."""

    usage: str
    summary: str
    run: object


class MagicError(Exception):
    """A command that does not exist, or cannot do what it was asked."""


def magic(name, usage, summary):
    """Register a command. `usage` is how it is written."""

    def register(function):
        MAGICS[name] = Magic(usage, summary, function)
        return function

    return register


def perform(session, command):
    """Run a command: yields events, raises MagicError or what the user's code raises."""
    if command.name not in MAGICS:
        raise MagicError(_unknown(command.name))
    yield from MAGICS[command.name].run(session, command)


def _unknown(name):
    import difflib

    if name.startswith("%"):
        return f"%{name}: there are no cell commands here; a command is one line, such as %time"
    close = difflib.get_close_matches(name, MAGICS, 1)
    return f"%{name}: no such command; " + (f"did you mean %{close[0]}?" if close else "%help lists them")


@magic("help", "%help", "this list")
def help_(session, command):
    width = max(len(each.usage) for each in MAGICS.values())
    rows = "".join(f"{each.usage:{width}}  {each.summary}\n" for each in MAGICS.values())
    yield Text([("plain", rows)])


@magic("?", "name?", "what a name is: its signature and its documentation; name?? shows its source")
def question(session, command):
    value = lookup(session, command.argument)
    yield Text(page(command.argument, value, with_source=False))


@magic("??", "name??", "the same with its source")
def double_question(session, command):
    value = lookup(session, command.argument)
    yield Text(page(command.argument, value, with_source=True))


@magic("time", "%time STATEMENT", "run a statement and say how long it took")
def time(session, command):
    if not command.argument:
        raise MagicError("%time: write the statement after it: %time x @ y")
    seconds = 0
    for unit in session.units_within(command):
        begin = perf_counter()
        value = session.evaluate(unit)
        seconds += perf_counter() - begin
        yield from session.shown(unit, value)
    yield Notice(duration(seconds))


@magic("timeit", "%timeit STATEMENT", "run a statement many times and say how long it takes")
def timeit(session, command):
    from timeit import Timer

    if not command.argument:
        raise MagicError("%timeit: write the statement after it: %timeit x @ y")
    for unit in session.units_within(command):  # once as usual, so that a failure shows its place
        session.evaluate(unit)
    timer = Timer(command.argument, globals=session.namespace)
    loops, _ = timer.autorange()
    best = min(timer.repeat(5, loops)) / loops
    yield Notice(f"{duration(best)} a loop (best of 5 times {loops} loops)")


@magic("seed", "%seed N", "start all random numbers at N")
def seed(session, command):
    try:
        number = int(command.argument, 0)
    except ValueError:
        raise MagicError(f"%seed {command.argument}: write a whole number: %seed 0".replace("  ", " ")) from None
    session.seed(number)
    yield from ()


@magic("who", "%who", "your names: shape, dtype, requires_grad and size of each tensor, the type of the others")
def who(session, command):
    rows = [("name", "shape", "dtype", "requires_grad", "grad", "size")]
    others = []
    for name, value in session.own_names().items():
        if not describe.is_array(value):
            others.append((name, type(value).__name__))
            continue
        wants = "yes" if getattr(value, "requires_grad", False) else "no"
        rows.append((name, describe.shape(value), describe.dtype(value), wants, _grad(value), describe.size(value)))
    lines = columns(rows) if len(rows) > 1 else []
    lines += columns(others)
    yield Text([("plain", "".join(line + "\n" for line in lines) or "no names yet\n")])


def _grad(value):
    if not getattr(value, "requires_grad", False):
        return "-"
    if not value.is_leaf and not value.retains_grad:
        return "not kept"
    return "None" if value.grad is None else describe.shape(value.grad)


def columns(rows):
    """Rows of texts as lines, each column as wide as its widest text."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def lookup(session, name):
    """The object that a dotted name means."""
    first, *rest = name.split(".")
    try:
        value = session.namespace[first] if first in session.namespace else session.builtin(first)
    except KeyError:
        raise MagicError(f"{name}?: the name {first!r} is not defined") from None
    for part in rest:
        try:
            value = getattr(value, part)
        except AttributeError as error:
            raise MagicError(f"{name}?: {error}") from None
    return value


def page(name, value, with_source):
    """The help page of an object as (kind, text) pairs."""
    tokens = [("keyword", name), ("plain", _signature(value) + "\n")]
    documentation = inspect.getdoc(value)
    if not callable(value):
        brief = describe.brief(value)
        tokens.append(("note", f"{type(value).__name__} {brief}\n" if brief else f"{type(value).__name__}\n"))
        if type(value).__module__ == "builtins" or brief:
            documentation = None  # of int, list or Tensor, which is not what was asked about
    if documentation:
        tokens.append(("plain", "\n" + documentation + "\n"))
    if with_source:
        try:
            tokens.append(("code", "\n" + inspect.getsource(value).rstrip() + "\n"))
        except (OSError, TypeError):
            tokens.append(("note", "\nits source is not Python\n"))
    return tokens


def _signature(value):
    if not callable(value):
        return ""
    try:
        return str(inspect.signature(value))
    except (ValueError, TypeError):
        return "(...)"
