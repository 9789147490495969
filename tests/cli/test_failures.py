"""How a run ends: exit statuses, failures on stderr, tracebacks, warnings."""

import pytest

from tests.support.command_line import Done

STATUSES = {
    "1": 0,
    "1 / 0": 1,
    "x = (": 1,
    "import sys; sys.exit()": 0,
    "import sys; sys.exit(5)": 5,
    "exit": 0,
    "raise SystemExit(True)": 1,
    "raise KeyboardInterrupt": 130,
    "raise NotImplementedError": 1,
}


@pytest.mark.parametrize("text, status", STATUSES.items(), ids=STATUSES)
def test_exit_status(text, status):
    assert Done("-c", text).status == status


def test_sys_exit_with_words():
    assert Done("-c", "import sys\nsys.exit('no')") == (1, "", "no\n")


def test_an_interruption_is_one_line():
    assert Done("-c", "1\nraise KeyboardInterrupt").errors == "-c:2: interrupted\n"


FAILURES = {
    "x = 1\ny = x\ny / 0": """\
-c:3: ZeroDivisionError: division by zero
      1 | x = 1
      2 | y = x
  ->  3 | y / 0
        | ~~^~~
""",
    "def f(a):\n    return 1 + a[0][5]\nf([[1]])": """\
-c:2: IndexError: list index out of range
      1 | def f(a):
  ->  2 |     return 1 + a[0][5]
        |                ~~~~^^^
        a[0] has one element, whose index is 0
        fits:  line 2: return 1 + a[0][0]
  in f, called from -c:3
      3 | f([[1]])
        | ^^^^^^^^
""",
    "def f(x, n):\n    y, z = x.sum(0), None\n    return x.reshape(n)\nf(np.ones((2, 3)), 4)": """\
-c:3: ValueError: cannot reshape array of size 6 into shape (4,)
      1 | def f(x, n):
      2 |     y, z = x.sum(0), None
  ->  3 |     return x.reshape(n)
        |            ^^^^^^^^^^^^
        x is [2, 3] float64
        locals: y [3] float64
  in f, called from -c:4
      4 | f(np.ones((2, 3)), 4)
        | ^^^^^^^^^^^^^^^^^^^^^
""",
    "a = np.ones((2, 3))\nb = (a\n  @\n  a)": """\
-c:2: ValueError: matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature \
(n?,k),(k,m?)->(n?,m?) (size 2 is different from 3)
      1 | a = np.ones((2, 3))
  ->  2 | b = (a
  ->  3 |   @
  ->  4 |   a)
""",
    "a = np.ones((2, 3))\na.reshape(4)": """\
-c:2: ValueError: cannot reshape array of size 6 into shape (4,)
      1 | a = np.ones((2, 3))
  ->  2 | a.reshape(4)
        | ^^^^^^^^^^^^
        a is [2, 3] float64
""",
    "x = 1 +": """\
-c:1: SyntaxError: invalid syntax
  ->  1 | x = 1 +
        |        ^
        something must follow +
""",
    "if True:\nx": """\
-c:2: IndentationError: expected an indented block after 'if' statement on line 1
      1 | if True:
  ->  2 | x
        | ^
        the lines of a block must be indented
        fits:  line 2:     x
""",
    "try:\n    {}['a']\nexcept KeyError as e:\n    raise ValueError('b') from e": """\
-c:4: ValueError: b
      2 |     {}['a']
      3 | except KeyError as e:
  ->  4 |     raise ValueError('b') from e
        |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  caused by
-c:2: KeyError: 'a'
      1 | try:
  ->  2 |     {}['a']
        |     ~~^^^^^
""",
    "class A:\n    def __repr__(self):\n        return 1 / 0\nA()": """\
-c:3: ZeroDivisionError: division by zero
      1 | class A:
      2 |     def __repr__(self):
  ->  3 |         return 1 / 0
        |                ~~^~~
""",
    "%tme 3": """\
-c:1: %tme: no such command; did you mean %time?
  ->  1 | %tme 3
        | ^^^^^^
""",
}


@pytest.mark.parametrize("text, errors", FAILURES.items(), ids=FAILURES)
def test_a_failure_shows_the_users_lines(text, errors):
    assert Done("-c", text) == (1, "", errors)


def test_the_locals_of_a_function_that_failed_take_a_line():
    names = [f"array{n}" for n in range(9)]
    text = f"def f({', '.join(names)}):\n    return array8 + 1 / 0\nf(*[np.ones(2)] * 9)"
    line = next(line for line in Done("-c", text).errors.split("\n") if "locals" in line)
    assert line.endswith(
        " locals: array8 [2] float64, array0 [2] float64, array1 [2] float64, array2 [2] float64 and 5 more"
    )


def test_a_long_way_is_shortened():
    errors = Done("-c", "def f(n):\n    return f(n - 1)\nf(0)").errors
    assert errors.startswith("-c:2: RecursionError: maximum recursion depth exceeded")
    assert "more calls" in errors and len(errors) < 2000


def test_full_traceback_shows_every_frame():
    errors = Done("-c", "1 / 0", "--traceback", "full").errors
    assert errors.startswith("Traceback (most recent call last)")
    assert "session.py" in errors and errors.endswith("ZeroDivisionError: division by zero\n")


def test_a_failure_on_a_terminal_says_how_to_look_around(script):
    done = Done("run", script("1 / 0"), terminal=True)
    assert "look around: tensh run -i s.tsh  all frames: --traceback full" in done.errors
    assert "look around" not in Done("run", "s.tsh").errors + Done("-c", "1 / 0", terminal=True).errors
    assert "--traceback" not in Done("-c", "x =", terminal=True).errors  # no line ran, so that there are no frames


def test_notes_of_an_exception_are_shown():
    assert "  look here\n" in Done("-c", "e = ValueError('x')\ne.add_note('look here')\nraise e").errors


def test_a_warning_is_a_remark():
    done = Done("-c", "import warnings\nwarnings.warn('careful')\n1")
    assert done == (0, "1\n", "-c:2: UserWarning: careful\n      2 | warnings.warn('careful')\n")
