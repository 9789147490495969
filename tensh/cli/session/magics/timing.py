"""Commands that measure run time: `%time`, `%timeit` and `%prun`."""

import os
import re
from time import perf_counter

from tensh.cli.session.events import Notice, Value
from tensh.cli.session.magics.registry import MagicError, magic
from tensh.cli.session.sources.elements import write_elements
from tensh.show.drawing.table import Table
from tensh.show.reading.describe import duration
from tensh.support.language import _, count

REPEATS = 5  # the default of Python's timeit
OPTION = re.compile(r"-(?P<name>[nr])[ \t]*(?P<number>\d{1,9})(?:[ \t]+|$)")
MOST_FUNCTIONS = 15  # functions shown of a profile


@magic("time", "%time STATEMENT", "run a statement and show how long it took", sugar="{}")
def time(session, command):
    if not command.argument:
        raise MagicError(_("%time: expected a statement: %time x @ y"))
    seconds = 0
    for unit in session.units_within(command):
        begin = perf_counter()
        value = session.evaluate(unit)
        seconds += perf_counter() - begin
        yield from session.show_result(unit, value)
    yield Notice(duration(seconds))


@magic("timeit", "%timeit [-n N] [-r R] STATEMENT", "run a statement many times and show how long it takes")
def timeit(session, command):
    from timeit import Timer

    options, command = take_options(command)
    loops, repeats = options.get("n"), options.get("r", REPEATS)
    for unit in session.units_within(command):  # run once normally, so that a failure is located
        session.evaluate(unit)
    timer = Timer(write_elements(command.argument), globals=session.namespace)
    loops = loops or timer.autorange()[0]
    times = [seconds / loops for seconds in timer.repeat(repeats, loops)]
    mean = sum(times) / repeats
    yield Notice(
        _("{loops}, best of {repeats}: {best} per loop (mean {mean})").format(
            loops=count(loops, "loop"), repeats=repeats, best=duration(min(times)), mean=duration(mean)
        )
    )


def take_options(command):
    """Split off options: return ({"n": number of loops, "r": repetitions}, the command without them)."""
    rest, found = command.argument, {}
    while match := OPTION.match(rest):
        found[match["name"]] = int(match["number"])
        rest = rest[match.end() :]
    if 0 in found.values() or re.match(r"-[nr][ \t]+\w", rest):
        raise MagicError(_("%timeit: -n and -r expect a number of at least 1: %timeit -n 100 -r 3 x @ y"))
    if not rest:
        raise MagicError(_("%timeit: expected a statement: %timeit x @ y, %timeit -n 100 -r 3 x @ y"))
    return found, command._replace(argument=rest)


@magic("prun", "%prun STATEMENT", "run a statement and show in which functions the time went")
def prun(session, command):
    from cProfile import Profile

    if not command.argument:
        raise MagicError(_("%prun: expected a statement: %prun train()"))
    profile = Profile()

    def run(code, names):
        profile.enable()
        try:
            return eval(code, names)
        finally:
            profile.disable()

    for unit in session.units_within(command):
        yield from session.show_result(unit, session.evaluate(unit, run))
    yield Value(profile_table(profile, session.sources), command)


def profile_table(profile, sources):
    """Return a table of the functions that took most of the time."""
    entries = sorted(profile.getstats(), key=lambda entry: -entry.inlinetime)
    entries = [entry for entry in entries if not is_profiler(entry.code)]
    rows = [
        (
            *function_of(entry.code, sources),
            f"{entry.callcount:,}",
            duration(entry.inlinetime),
            duration(entry.totaltime),
        )
        for entry in entries[:MOST_FUNCTIONS]
    ]
    total = duration(sum(entry.inlinetime for entry in entries))
    more = len(entries) - len(rows)
    notes = [
        _("{total} in {functions}; own: excluding the functions that it calls").format(
            total=total, functions=count(len(entries), "function")
        ),
        *([_("{functions} took less").format(functions=count(more, "more function"))] if more else ()),
    ]
    return Table((_("function"), _("place"), _("calls"), _("own"), _("with calls")), rows, notes=notes, shrinks=(0, 1))


def is_profiler(code):
    """Return True if a profile entry belongs to the measurement itself."""
    return isinstance(code, str) and ("_lsprof.Profiler" in code or "builtins.eval" in code)


def function_of(code, sources):
    """Return (name, place) of a function in a profile, in which built-in functions are strings."""
    if isinstance(code, str):
        return code.strip("<>").removeprefix("built-in method "), ""
    source = sources.get(code.co_filename)
    name = code.co_qualname
    if source:
        name = _("the line") if name == "<module>" else name
        return name, source.place(code.co_firstlineno) or _("line {number}").format(number=code.co_firstlineno)
    folder, file = os.path.split(code.co_filename)
    return name, f"{os.path.basename(folder)}/{file}:{code.co_firstlineno}" if folder else ""
