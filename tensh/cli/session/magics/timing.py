"""How long code takes: `%time` and `%timeit`."""

from time import perf_counter

from tensh.cli.session.describe import duration
from tensh.cli.session.events import Notice
from tensh.cli.session.magics.registry import MagicError, magic


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
