"""Running files within a session, in a separate namespace that is merged into the session's at the end."""

import contextlib
import sys
from types import ModuleType

from tensh.cli.session.events import RESULTS, Failed, Notice, Text, Value
from tensh.support.escaping import visible_line
from tensh.support.language import _


def run_program(session, program, shares_names=False):
    """Run a program: yield its events, raise its exceptions. With `shares_names` it sees the names of the session."""
    with (
        contextlib.nullcontext() if shares_names else own_names(session, program),
        world(program),
        session.forget(),
    ):
        for cell in program.cells:
            if cell.lacking:
                yield Notice(
                    _("{label}: skipped, it needs {lacking}").format(
                        label=cell.source.label, lacking=visible_line(cell.lacking)
                    )
                )
                continue
            for line in cell.passed_over:
                yield Notice(_("{label}: skipped: {line}").format(label=cell.source.label, line=visible_line(line)))
            for event in session.run(cell.source):
                if isinstance(event, Failed) and not cell.may_raise:
                    raise event.failure.error
                if isinstance(event, Value | Text | Notice | Failed):
                    yield event


@contextlib.contextmanager
def own_names(session, program):
    """A context in which the session uses a new program's namespace, whose names it gets afterwards."""
    before = session.module, session.namespace, session.given, session.results, session.inside
    names, main = before[1], sys.modules["__main__"]
    session.module = ModuleType("__main__")
    session.namespace, session.given, session.results, session.inside = vars(session.module), {}, [], None
    if program.file:
        session.give(__file__=program.file)
    if program.kind in ("script", "markdown"):
        session.preload()
    sys.modules["__main__"] = session.module
    try:
        yield
    finally:
        made = session.namespace.items()
        names.update(
            (name, value)
            for name, value in [*made]
            if not name.startswith("__") and name not in RESULTS and session.given.get(name, session) is not value
        )
        sys.modules["__main__"] = main
        session.module, session.namespace, session.given, session.results, session.inside = before


@contextlib.contextmanager
def world(program):
    """A context with the `sys.argv` and the module path of a program."""
    before = sys.argv, sys.path[:]
    sys.argv, sys.path[:0] = program.arguments, [program.folder]
    try:
        yield
    finally:
        sys.argv, sys.path[:] = before
