"""Inside a function that failed: its names are those of the session."""

import sys

import pytest

from tensh.cli.session.events import Failed, Value
from tensh.cli.session.session import Session
from tests.support.sessions import run

SCRIPT = """
ran = []
factor, size = 2, 10
def outer(size):
    doubled = size * factor
    def inner(_, last=3):
        ran.append(last)
        return doubled / (size - last)
    return inner(None)
"""


def entered(text):
    """A session inside the function that failed."""
    session = Session()
    (failed,) = [event for event in run(text, session) if isinstance(event, Failed)]
    return session, session.enter(failed.failure.error)


def values(session, text):
    """What statements show there; none of them fails."""
    events = run(text, session)
    assert not any(isinstance(event, Failed) for event in events), events
    return [event.value for event in events if isinstance(event, Value)]


def test_the_names_of_the_function_come_before_those_of_the_file():
    session, inside = entered(SCRIPT + "outer(3)")
    assert inside.function == "outer.<locals>.inner"
    assert values(session, "last, size, doubled, factor, ran, _") == [(3, 3, 6, 2, [3], None)]
    assert values(session, "[size + n for n in range(2)], (lambda: last)(), any(doubled == d for d in [6])") == [
        ([3, 4], 3, True)
    ]


def test_nothing_runs_twice():
    session, _ = entered(SCRIPT + "outer(3)")
    assert values(session, "ran") == [[3]]


def test_what_the_file_knows_is_changed_there():
    session, _ = entered(SCRIPT + "outer(3)")
    assert values(session, "factor = 5; new = 1; outer(4)") == [20.0]
    assert session.module.factor == 5 and session.module.new == 1
    assert values(session, "del new\nsize = 99\ndoubled = 0\nouter(size)") == [99 * 5 / 96]
    assert not hasattr(session.module, "new") and session.module.size == 10


def test_what_functions_change_is_seen():
    session, _ = entered("count = 0\ndef f(x):\n    global count\n    count += 1\n    1 / x\nf(0)")
    assert values(session, "count\nf(1)\ncount") == [1, 2]


def test_a_comprehension_is_a_part_of_its_function():
    session, inside = entered("def f(n):\n    k = 2\n    return [1 / (k - each) for each in range(n)]\nf(3)")
    assert inside.function == "f" and values(session, "n, k") == [(3, 2)]
    session, inside = entered("def f(n):\n    k = 2\n    return sum(1 / (2 - each) for each in range(n))\nf(3)")
    assert inside.function == "f" and values(session, "n, k, each") == [(3, 2, 2)]


def test_what_was_undone_is_undone_in_the_file():
    session = Session()
    session.remember()
    (failed,) = [event for event in run(SCRIPT + "outer(3)", session) if isinstance(event, Failed)]
    session.enter(failed.failure.error)
    assert values(session, "factor = 5") == []
    assert values(session, "%undo") == [] and values(session, "outer(4)") == [8.0]


def test_a_module_beside_the_script(tmp_path, monkeypatch):
    (tmp_path / "module_of_inside.py").write_text("scale = 3\nown = 1\ndef f(x):\n    return scale / x\n")
    monkeypatch.syspath_prepend(tmp_path)
    session, inside = entered("import module_of_inside\nmine = own = 7\nmodule_of_inside.f(0)")
    assert inside.function == "f" and values(session, "x, scale, own, mine") == [(0, 3, 1, 7)]
    assert values(session, "scale = 4; mine = 8; f(2)") == [2.0]
    assert (session.module.mine, session.module.own, sys.modules.pop("module_of_inside").scale) == (8, 7, 4)


@pytest.mark.parametrize("text", ["x = 1\n1 / 0", "x = (", "%nowhere"])
def test_the_code_of_the_file_itself_has_no_other_names(text):
    session, inside = entered(text)
    assert inside is None and session.namespace is session.module.__dict__
