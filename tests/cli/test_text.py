"""What is written: colours, marks below code, layouts of values, durations."""

import json

import pytest

from tensh.cli.render.code import marks
from tensh.show.printed.layout import layout
from tensh.show.reading.describe import duration
from tests.support.command_line import Done

COLORS = {
    # (options, variables, a terminal): whether there is colour
    ((), (), True): True,
    ((), (), False): False,
    (("--color", "always"), ("NO_COLOR",), False): True,
    (("--color", "never"), ("FORCE_COLOR",), True): False,
    ((), ("NO_COLOR",), True): False,
    ((), ("FORCE_COLOR",), False): True,
    ((), ("CLICOLOR_FORCE",), False): True,
    ((), ("NO_COLOR", "FORCE_COLOR"), False): False,
    (("--plain",), (), True): False,
    (("--plain", "--color", "always"), (), True): False,
    ((), ("TENSH_PLAIN",), True): False,
}


@pytest.mark.parametrize("case, colored", COLORS.items(), ids=str)
def test_options_and_variables_decide_about_color(case, colored):
    options, variables, terminal = case
    done = Done("-c", "1 / 0", *options, terminal=terminal, TERM="xterm", **dict.fromkeys(variables, "1"))
    assert ("\033" in done.errors) == colored


def test_a_dumb_terminal_has_no_color():
    assert "\033" not in Done("-c", "1 / 0", terminal=True, TERM="dumb").errors
    assert "\033" not in Done("-c", "1 / 0", FORCE_COLOR="0").errors


MARKS = {
    ("y = a @ b", 4, 9): "    ~~^~~",
    ("(a + b) * c", 0, 11): "~~~~~~~~^~~",
    ("a ** b", 0, 6): "~~^^~~",
    ("x[1][2]", 0, 7): "~~~~^^^",
    ("f(a + b)", 0, 8): "^^^^^^^^",
    ("损失 + a", 0, 6): "~~~~~^~~",
    ("\tx / y", 1, 6): "\t~~^~~",
    ("x =", 3, 4): "   ^",
}


@pytest.mark.parametrize("case, expected", MARKS.items(), ids=str)
def test_marks_under_code(case, expected):
    assert marks(*case) == expected


LAYOUTS = {
    "short list": ([1, 2], "[1, 2]"),
    "short tuple": ((1,), "(1,)"),
    "long list": ([10**30] * 3, "[" + ",\n ".join([str(10**30)] * 3) + "]"),
    "79 columns": (["a" * 75], "['" + "a" * 75 + "']"),
    "80 columns": (["a" * 38, "b" * 34], f"['{'a' * 38}',\n '{'b' * 34}']"),
    "class": (int, "int"),
    "class of a module": (json.JSONDecoder, "json.decoder.JSONDecoder"),
    "nested": (([10**40, 10**40], 1), f"([{10**40},\n  {10**40}],\n 1)"),
    "dictionary": ({"a": 10**40, "b": 10**40}, f"{{'a': {10**40},\n 'b': {10**40}}}"),
    "empty": (([], {}, set(), ()), "([], {}, set(), ())"),
    "set": ({3, 1, 2}, "{1, 2, 3}"),
    "many": (list(range(1001)), "[" + ",\n ".join(map(str, range(1000))) + ",\n ...]"),
}


@pytest.mark.parametrize("value, text", LAYOUTS.values(), ids=LAYOUTS)
def test_values_are_laid_out_as_in_a_notebook(value, text):
    assert layout(value) == text


class Lines:
    def __repr__(self):
        return "Lines(1,\n      2)"


def test_items_of_several_lines_stand_below_each_other():
    assert layout((Lines(), 1)) == "(Lines(1,\n       2),\n 1)"
    assert layout([[Lines()]]) == "[[Lines(1,\n        2)]]"


def test_functions_in_a_notebook():
    def f(a, b=1): ...

    assert layout(f) == f"<function {__name__}.test_functions_in_a_notebook.<locals>.f(a, b=1)>"
    assert layout(len) == "<function len(obj, /)>"


@pytest.mark.parametrize("seconds, text", [(0, "0 ns"), (1.5e-6, "1.5 µs"), (0.0123, "12.3 ms"), (2, "2 s")])
def test_durations_have_the_unit_that_fits(seconds, text):
    assert duration(seconds) == text
