"""The session: code in, events out. Plain Python values are enough here; no terminal and no engine take part."""

import ast
import pickle

import pytest

from tensh.cli.session.events import Failed, Finished, Notice, Started, Text, Value
from tensh.cli.session.session import Session
from tensh.cli.session.sources import parameters
from tensh.cli.session.sources.notebook import cells, python
from tensh.cli.session.sources.source import Command, Source, drop_indent
from tests.support.sessions import run


def show(text, **reading):
    """The values that a source shows."""
    return [event.value for event in run(text, **reading) if isinstance(event, Value)]


def failure(text, **reading):
    """The failure that a source ends with."""
    (failed,) = [event for event in run(text, **reading) if isinstance(event, Failed)]
    return failed.failure


ECHOED = {
    "an expression": ("1 + 1", [2]),
    "each expression": ("1\n2\n3", [1, 2, 3]),
    "no assignment": ("x = 1\nx += 1\nx", [2]),
    "not None": ("None\nprint(end='')\n", []),
    "nothing before a semicolon": ("1;\n2 ; # why\n3", [3]),
    "the last of a line": ("1; 2", [2]),
    "in parentheses": ("(1);\n(2)\n(\n3\n);\n(\n4\n)", [2, 4]),
    "a semicolon in a string or comment is none": ("';'\n2 # ;", [";", 2]),
    "after wide characters": ("'损失';\n'损失'", ["损失"]),
    "nothing inside blocks": ("if True:\n    1\nfor i in range(2):\n    i\n", []),
    "over several lines": ("sum([\n1,\n2])", [3]),
    "empty": ("", []),
    "comments alone": ("# one\n\n# two\n", []),
    "a remainder at the start of a line": ("(7\n% 4)", [3]),
    "a remainder after a backslash": ("7 \\\n% 4", [3]),
    "a percent sign in a string": ("'''\n%who\nx?\n'''", ["\n%who\nx?\n"]),
    "what print has shown is not shown again": ("def show(x):\n    print(x)\n    return x\nshow(5)", []),
    "but another value is": ("def show(x):\n    print(x)\n    return x + 1\nshow(5)", [6]),
}


@pytest.mark.parametrize("text, values", ECHOED.values(), ids=ECHOED)
def test_a_script_shows_its_bare_expressions(text, values):
    assert show(text) == values


def test_a_file_of_python_shows_nothing():
    assert show("1\n2", echo=None, commands=False) == []


@pytest.mark.parametrize("text, values", [("1\n2", [2]), ("1\nx = 2", []), ("1\n2;", []), ("", [])])
def test_a_cell_shows_its_last_expression(text, values):
    assert show(text, echo="last") == values


def test_the_first_string_of_a_file_is_its_documentation():
    session = Session()
    run("'''what it is'''\n'not this'", session, echo=None)
    assert session.namespace["__doc__"] == "what it is"


def test_future_imports_hold_for_what_follows():
    session = Session()
    run("from __future__ import annotations", session)
    run("def f(x: nowhere): pass", session)
    assert session.namespace["f"].__annotations__ == {"x": "nowhere"}


def test_what_a_session_defines_is_in_main():
    session = Session()
    run("class A: pass\ndef f(): pass", session)
    assert session.namespace["A"].__module__ == session.namespace["f"].__module__ == "__main__"


def test_the_last_three_results_have_names():
    assert show("1\n2\n3\n(_, __, ___)") == [1, 2, 3, (3, 2, 1)]


def test_names_of_results_stay_the_users():
    assert show("_, x = 1, 2\n10\n_") == [10, 1]
    assert show("10\nfor _ in range(3): pass\n20\n_") == [10, 20, 2]


def test_events_come_in_order():
    kinds = [type(event) for event in run("x = 1\nx\nx / 0\nx")]
    assert kinds == [Started, Finished, Started, Value, Finished, Started, Failed, Finished]


def test_keeping_going_runs_the_rest():
    events = run("1 / 0\n2\nnowhere\n3", keep_going=True)
    assert [event.value for event in events if isinstance(event, Value)] == [2, 3]
    assert [event.failure.kind for event in events if isinstance(event, Failed)] == ["ZeroDivisionError", "NameError"]


def test_nothing_runs_before_a_syntax_error_is_found():
    events = run("1\n2 +")
    assert [type(event) for event in events] == [Failed]


def test_sys_exit_passes_through():
    with pytest.raises(SystemExit) as exit:
        run("import sys\nsys.exit(7)")
    assert exit.value.code == 7


@pytest.mark.parametrize("word", ["exit", "quit"])
def test_exit_needs_no_parentheses(word):
    with pytest.raises(SystemExit):
        run(word)


# ── failures ─────────────────────────────────────────────────────────────────

PLACES = {
    # source: (kind, message, [(line, piece) from where it was raised outwards])
    "x = 1\nx / 0": ("ZeroDivisionError", "division by zero", [(2, "x / 0")]),
    "x = [1]\ny = 2 + x[3] * 5": ("IndexError", "list index out of range", [(2, "x[3]")]),
    "def f(a):\n    return g(a) + 1\ndef g(a):\n    return a.b\nf(1)": (
        "AttributeError",
        "'int' object has no attribute 'b'",
        [(4, "a.b"), (2, "g(a)"), (5, "f(1)")],
    ),
    "损失 = 1; 损失 + ''": ("TypeError", "unsupported operand type(s) for +: 'int' and 'str'", [(1, "损失 + ''")]),
    "raise ValueError": ("ValueError", "", [(1, "raise ValueError")]),
    "class Odd(Exception): pass\nraise Odd('so')": ("Odd", "so", [(2, "raise Odd('so')")]),
    "import json; json.loads('{')": (
        "json.decoder.JSONDecodeError",
        "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
        [(1, "json.loads('{')")],
    ),
    "x = (1 +": ("SyntaxError", "'(' was never closed", [(1, "(")]),
    "return 3": ("SyntaxError", "'return' outside function", [(1, "return 3")]),
    "eval('1 +')": ("SyntaxError", "invalid syntax", [(1, None), (1, "eval('1 +')")]),
    "%nowhere": ("", "%nowhere: no such command; %help lists them", [(1, "%nowhere")]),
    "%explain": (
        "",
        "%explain: no such command; a failure is explained below its message, a name by NAME?, a gradient by %why",
        [(1, "%explain")],
    ),
    "1\n%sed 3": ("", "%sed: no such command; did you mean %seed?", [(2, "%sed 3")]),
    "nowhere?": ("", "nowhere?: the name 'nowhere' is not defined", [(1, "nowhere?")]),
    "%time 1 / 0": ("ZeroDivisionError", "division by zero", [(1, "1 / 0")]),
}


@pytest.mark.parametrize("text, expected", PLACES.items(), ids=PLACES)
def test_a_failure_knows_its_places(text, expected):
    found = failure(text)
    places = [(place.line, place.segment) for place in found.places]
    assert (found.kind, found.message, places) == expected


def test_a_failure_between_two_lines():
    # Some jumps of the compiler belong to no line, and Ctrl-C may arrive there.
    text = """import sys
def stop(frame, event, _):
    if frame.f_code.co_name == "work":
        frame.f_trace_opcodes = True
        if frame.f_lineno is None or frame.f_locals.get("n") == 2:
            raise KeyboardInterrupt
    return stop
def work():
    for n in range(3):
        n == 1 and len("")
sys.settrace(stop)
work()"""
    places = failure(text).places
    assert [place.function for place in places] == ["stop", "work", None]
    assert places[1].line in (9, 10)


def test_a_failure_names_the_operands():
    found = failure("import numpy\na, b, c = numpy.ones((2, 3)), numpy.ones((2, 3)), numpy.ones(1)\nc + (b @ a)")
    assert found.operands == [("b", (2, 3), "float64"), ("a", (2, 3), "float64")]


SUGGESTIONS = {
    "total = 1\ntotl": "total",
    "pint(1)": "print",
    "'a'.uper()": "upper",
    "import math\nmath.sinn(1)": "sin",
    "class A:\n    def __init__(self): self.size = 1\nA().sise": "size",
    "class A:\n    __slots__ = ('size',)\nA().sise": "size",
    "zzzzzz": None,
    "1 / 0": None,
}


@pytest.mark.parametrize("text, name", SUGGESTIONS.items(), ids=SUGGESTIONS)
def test_a_failure_suggests_the_name_that_was_meant(text, name):
    assert failure(text).suggestion == name


def test_a_failure_says_which_library_raised():
    assert failure("import json; json.loads('{')").inside == "json.decoder.JSONDecoder.raw_decode"
    assert failure("{}[0]").inside is None


def test_a_failure_has_its_cause():
    text = "try:\n    {}['a']\nexcept KeyError as error:\n    raise ValueError('b')"
    caused = failure(text + " from error")
    handling = failure(text)
    assert (caused.reason, caused.cause.kind, caused.cause.places[0].line) == ("caused by", "KeyError", 2)
    assert (handling.reason, handling.cause.kind) == ("while handling", "KeyError")
    assert failure(text + " from None").cause is None


def test_a_cause_inside_a_library_is_not_shown():
    found = failure("import collections\ncollections.OrderedDict.fromkeys([1]).move_to_end(2)")
    assert found.kind == "KeyError" and found.cause is None
    assert failure("import pathlib\npathlib.Path('a').relative_to('b')").cause is None
    assert failure("import configparser\nconfigparser.ConfigParser().get('a', 'b')").cause is None


def test_a_failure_in_a_file_beside_the_script(tmp_path, monkeypatch):
    (tmp_path / "beside.py").write_text("def halve(x):\n    return x / 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    places = failure("import beside\nbeside.halve(3)").places
    assert [place.source.place(place.line) for place in places] == ["beside.py:2", "test:2"]


def test_a_message_that_fails_is_no_second_failure():
    assert "its message failed" in failure("class A(Exception):\n    def __str__(self): 1 / 0\nraise A").message


def test_an_interruption_stops_even_what_keeps_going():
    events = run("raise KeyboardInterrupt\n2")
    assert isinstance(events[1].failure.error, KeyboardInterrupt)
    assert not any(isinstance(event, Value) for event in events)


# ── commands ─────────────────────────────────────────────────────────────────


def answer(text):
    events = run(text)
    texts = [text for event in events if isinstance(event, Text) for _, text in event.tokens]
    return "".join([*texts, *(f"{event.value!r}\n" for event in events if isinstance(event, Value))])


def test_commands_stand_where_statements_could():
    parts = [*Source("x = 1\n%who  all \n  \ny?\nx", "<test>").parts()]
    assert [part.name if isinstance(part, Command) else type(part) for part in parts] == [
        ast.Assign, "who", "?", ast.Expr,
    ]  # fmt: skip
    assert [part.argument for part in parts if isinstance(part, Command)] == ["all", "y"]
    assert parts[-1].lineno == 5


def test_commands_are_not_python():
    assert failure("%who", commands=False).kind == "SyntaxError"


def test_question_shows_signature_and_documentation():
    text = answer("def f(a, b=2):\n    '''Adds.'''\n    return a + b\nf?")
    assert text == "f(a, b=2)\n\nAdds.\n"
    assert "return a + b" in answer("def f(a, b=2):\n    '''Adds.'''\n    return a + b\nf??")


def test_question_about_a_value():
    assert answer("x = 3\nx?") == "x  int\n"


def test_help_lists_every_command():
    text = answer("%help commands")
    assert all(f"%{name}" in text for name in ("help", "time", "timeit", "seed", "who")) and "name?" in text


def test_time_runs_a_statement_and_says_how_long():
    events = run("%time x = 2; x + 1")
    assert [event.value for event in events if isinstance(event, Value)] == [3]
    assert any(isinstance(event, Notice) and event.text.endswith("s") for event in events)


@pytest.mark.parametrize("text", ["%time", "%timeit", "%seed", "%seed many"])
def test_commands_say_what_they_need(text):
    assert "expected" in failure(text).message


# ── parameters ───────────────────────────────────────────────────────────────

SETTINGS = {
    # (script, setting): the value that the script then has
    ("x = 1", "x=2"): 2,
    ("x = 0.5  # param", "x=2"): 2.0,
    ("x = 1e-3", "x=1e-4"): 1e-4,
    ("x = True", "x=off"): False,
    ("x = 'adam'", "x=sgd"): "sgd",
    ("x = 'a'", "x=1=2"): "1=2",
    ("x = None", "x=3"): 3,
    ("x = None", "x=words"): "words",
    ("x = [1, 2]", "x=[3]"): [3],
    ("x = (1,)", "x=(3, -4)"): (3, -4),
    ("x: int = -1", "x=-5"): -5,
    ("x = 16", "x=0x20"): 32,
    ("x = 0.0", "x=inf"): float("inf"),
    ("x = 1\nx = 2  # param", "x=7"): 7,
}


@pytest.mark.parametrize("case, value", SETTINGS.items(), ids=str)
def test_a_setting_has_the_type_of_the_default(case, value):
    text, setting = case
    source, session = Source(text, "<test>", "test"), Session()
    parameters.apply([setting], [source])
    assert not [event for event in session.run(source) if isinstance(event, Failed)]
    assert session.namespace["x"] == value and type(session.namespace["x"]) is type(value)


REFUSED = {
    ("x = 1", "x=0.5"): "--set x=0.5: x is of type int (x = 1, test:1)",
    ("x = True", "x=maybe"): "--set x=maybe: x is of type bool (x = True, test:1)",
    ("x = [1]", "x=(1,)"): "--set x=(1,): x is of type list (x = [1], test:1)",
    ("x = 1", "x"): "--set x: write NAME=VALUE",
    ("rate = 1", "rat=2"): "--set rat: the script has no such parameter; did you mean rate?",
    ("rate = 1\nsteps = 5", "zzz=2"): "--set zzz: the script has no such parameter; it has rate=1, steps=5",
    ("x = f()", "x=2"): "--set x: the script has no such parameter; it has none",
    ("def f():\n    x = 1", "x=2"): "--set x: the script has no such parameter; it has none",
}


@pytest.mark.parametrize("case, message", REFUSED.items(), ids=str)
def test_settings_that_do_not_fit_are_refused(case, message):
    text, setting = case
    with pytest.raises(parameters.SettingError) as refused:
        parameters.apply([setting], [Source(text, "<test>", "test")])
    assert str(refused.value) == message


# ── notebooks ────────────────────────────────────────────────────────────────

CELLS = {
    # as it is written: (as Python reads it, the lines that are passed over)
    " torch.zeros(1)": ("torch.zeros(1)", []),
    "\n    x = 1\n    y = 2": ("\nx = 1\ny = 2", []),
    "!pip install numpy\nx = 1": ("pass\nx = 1", ["!pip install numpy"]),
    "%matplotlib inline\nx = 7 % 4": ("pass\nx = 7 % 4", ["%matplotlib inline"]),
    "if x:\n    !ls": ("if x:\n    pass", ["!ls"]),
    "%%time\nx = 1": ("pass\nx = 1", ["%%time"]),
    "%%bash\nls": ("\n", ["%%bash"]),
}


@pytest.mark.parametrize("text, expected", CELLS.items(), ids=repr)
def test_what_is_not_python_in_a_cell_is_passed_over(text, expected):
    assert python(text) == expected


def test_cells_of_a_notebook():
    notebook = """{"nbformat": 4, "cells": [
        {"cell_type": "markdown", "source": ["words"]},
        {"cell_type": "code", "source": ["x = 1\\n", "x"], "metadata": {}},
        {"cell_type": "code", "source": "y", "metadata": {"tags": ["raises-exception"]}},
        {"cell_type": "code", "source": "z", "metadata": {"tensh": {"raises": "NameError", "requires": "no_such_module"}}}
    ]}"""
    first, second, third = cells(notebook, "/folder/a.ipynb", "a.ipynb")
    assert (first.source.text, first.may_raise, first.lacking) == ("x = 1\nx", False, None)
    assert (second.may_raise, third.may_raise, third.lacking) == (True, True, "no_such_module")
    assert second.source.place(1) == "a.ipynb cell 2, line 1"


@pytest.mark.parametrize("text", ["", "[]", "{}", "words", '{"nbformat": 3, "worksheets": []}'])
def test_other_files_are_no_notebooks(text):
    with pytest.raises(ValueError, match="this notebook has format 3|this is not a notebook"):
        cells(text, "a.ipynb", "a.ipynb")


def test_indent_of_pasted_code():
    assert drop_indent("\n  x = 1\n  if x:\n      y\nz") == "\nx = 1\nif x:\n    y\nz"


def test_events_are_plain_data():
    (event,) = [event for event in run("1 + 1") if isinstance(event, Value)]
    assert event.unit.text == "1 + 1" and event.unit.first == 1
    assert pickle.loads(pickle.dumps(event.value)) == 2
