"""How long code takes: `%time` and `%timeit`."""

from time import perf_counter

from tensh.cli.session.events import Notice
from tensh.cli.session.magics.registry import MagicError, magic
from tensh.show import describe
from tensh.show.describe import duration

REPEATS = 5  # as Python's own timeit


@magic("time", "%time STATEMENT", "run a statement and say how long it took", sugar="{}")
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
    times = [seconds / loops for seconds in timer.repeat(REPEATS, loops)]
    mean = sum(times) / REPEATS
    yield Notice(
        f"{describe.count(loops, 'loop')}, best of {REPEATS}: {duration(min(times))} per loop (mean {duration(mean)})"
    )
