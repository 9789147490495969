"""The command line, in this process: an environment of text goes in, its streams and an exit status come out."""

import re
import sys

import pytest

from tests.support.command_line import SGR, Done, notebook


def test_c_runs_code_and_shows_its_value():
    assert Done("-c", "1 + 1") == (0, "2\n", "")


def test_several_codes_share_a_session():
    assert Done("-c", "x = 2", "-c", "x + 1", "-c", "  x") == (0, "3\n2\n", "")


def test_standard_input():
    assert Done(stdin="1 + 1\n") == Done("-", stdin="1 + 1\n") == Done("run", "-", stdin="1 + 1\n") == (0, "2\n", "")


def test_the_same_text_gives_the_same_output_everywhere(script):
    text = "x = 3\nx\nprint(x)\nx; x + 1\n"
    assert Done("run", script(text)) == Done("-c", text) == Done("-", stdin=text) == (0, "3\n3\n4\n", "")


def test_a_python_file_shows_what_it_prints(script):
    name = script("import sys\n1 + 1\nprint(sys.argv, __name__)\n'torch' in globals() or print('bare')", "s.py")
    assert Done("run", name, "a", "--", "--b") == (0, "['s.py', 'a', '--b'] __main__\nbare\n", "")


def test_a_notebook_shows_the_last_value_of_each_cell(script):
    name = script(notebook("1\n2", "x = 3\nprint(x)", " x", "!ls\nx;"), "n.ipynb")
    done = Done("run", name)
    assert (done.status, done.output) == (0, "2\n3\n3\n")
    assert done.errors == "n.ipynb cell 4: skipped: !ls\n"


def test_names_that_are_there(script):
    text = "print(torch.__name__, nn.__name__, F.__name__, np.__name__, math.pi)"
    done = Done("-c", text)
    assert (done.status, done.errors) == (0, "")
    assert Done("-c", text, "--no-preload").status == 1


def test_torch_is_tensh():
    text = "import torch as t, torch.nn as n\nfrom torch.nn import functional as G\n(t is torch, n is nn, G is F)"
    assert Done("-c", text) == (0, "(True, True, True)\n", "")
    assert Done("-c", "import tensh\ntensh.ones is torch.ones, tensh.nn is nn").output == "(True, True)\n"


@pytest.mark.parametrize("module", ["torch.nowhere", "torch.cli", "torch.engine", "torch.nn.nowhere"])
def test_what_is_not_there_cannot_be_imported(module):
    done = Done("-c", f"import {module}")
    assert done.status == 1
    assert done.errors.startswith(f"-c:1: ModuleNotFoundError: No module named '{module}'")


def test_torch_is_itself_again_afterwards():
    before = sys.modules.get("torch")
    Done("-c", "import torch")
    assert sys.modules.get("torch") is before
    assert not any("tensh" in type(finder).__module__ for finder in sys.meta_path)


def test_the_notice_about_torch_comes_once_and_on_a_terminal():
    text = "import torch, torch.nn\nimport torch"
    assert Done("-c", text).errors == ""
    assert Done("-c", text, terminal=True, TERM="dumb").errors.count("torch -> tensh engine") == 1


def test_modules_beside_the_script(script):
    script("value = 5", "beside_the_script.py")
    assert Done("run", script("import beside_the_script\nbeside_the_script.value")) == (0, "5\n", "")


def test_classes_of_a_script_can_be_pickled(script):
    text = "import pickle\nclass A: pass\ntype(pickle.loads(pickle.dumps(A()))) is A"
    assert Done("run", script(text)).output == "True\n"


@pytest.mark.parametrize("text", ["1 + 1", "1 / 0", "import sys\nsys.argv", "__name__"])
def test_the_plainest_forms_mean_what_they_mean_with_options(script, text):
    name = script(text)
    assert Done("run", name) == Done("run", name, "--color", "auto") == Done("--color", "auto", "run", name)
    assert Done("-c", text) == Done("-c", text, "--color", "auto")


def test_set_changes_a_parameter_or_names_the_nearest(script):
    name = script("rate = 0.01  # param\nsteps = 3\nrate * steps")
    assert Done("run", name, "--set", "rate=2", "--set", "steps=4").output == "8.0\n"
    assert Done("run", "--set", "rat=2", name) == (
        2, "", "--set rat: the script has no such parameter; did you mean rate?\n",
    )  # fmt: skip


def test_seed_of_a_command(script):
    text = "import random\nrandom.random(), np.random.rand(), torch.rand(1).item()"
    first, second = Done("-c", text, "--seed", 3), Done("--seed", 3, "-c", text)
    assert first == second and first.status == 0
    assert Done("-c", text, "--seed", 4) != first
    assert Done("run", script(text), "--seed", 0) == Done("-c", text, "--seed", 0)


ECHO = {
    ("s.tsh", "none"): "p\n",
    ("s.tsh", "values"): "p\n2\n",
    ("s.tsh", "all"): ">>> # words\n>>> print('p')\np\n>>> for i in range(2):\n...     pass\n>>> 1 + 1\n2\n",
    ("s.py", None): "p\n",
    ("s.py", "values"): "p\n2\n",
    ("s.py", "all"): ">>> # words\n>>> print('p')\np\n>>> for i in range(2):\n...     pass\n>>> 1 + 1\n2\n",
}


@pytest.mark.parametrize("case, output", ECHO.items(), ids=str)
def test_echo_chooses_what_is_shown(script, case, output):
    name, echo = case
    script("# words\nprint('p')\n\nfor i in range(2):\n    pass\n\n1 + 1\n", name)
    assert Done("run", name, *(["--echo", echo] if echo else [])) == (0, output, "")


def test_keep_going(script):
    done = Done("run", script("1 / 0\n2"), "--keep-going")
    assert (done.status, done.output) == (1, "2\n")
    done = Done("run", script(notebook("1 / 0\n2", "3"), "n.ipynb"), "--keep-going")
    assert (done.status, done.output) == (1, "3\n")


def test_a_cell_that_says_it_raises_may_raise(script):
    name = script(
        notebook("1 / 0", "nowhere", "3", metadata=[{"tags": ["raises-exception"]}, {"tensh": {"raises": "N"}}]),
        "n.ipynb",
    )
    done = Done("run", name)
    assert (done.status, done.output) == (0, "3\n")
    assert "ZeroDivisionError" in done.errors and "NameError" in done.errors


def test_a_cell_that_needs_what_is_not_here_is_passed_over(script):
    name = script(notebook("1", "2", metadata=[{"tensh": {"requires": "cuda"}}]), "n.ipynb")
    assert Done("run", name) == (0, "2\n", "n.ipynb cell 1: skipped, it needs cuda\n")


def test_quiet_says_nothing_unasked(script):
    name = script(
        notebook("import torch\n!ls\n1", "2", "1 / 0", metadata=[{}, {"tensh": {"requires": "cuda"}}]), "n.ipynb"
    )
    loud, quiet = (Done("run", name, *more, terminal=True, TERM="dumb") for more in ((), ["--quiet"]))
    assert all(words in loud.errors for words in ("torch -> tensh", "skipped", "look around", "ZeroDivisionError"))
    assert quiet.errors == FAILURE_IN_A_CELL and loud.output == quiet.output
    warning = "import warnings\nwarnings.warn('careful')\n%time 1;"
    assert Done("-c", warning, "--quiet").errors.startswith("-c:2: UserWarning: careful\n")
    assert "\n" in Done("-c", "%time 1;", "--quiet").errors  # what was asked for is answered


FAILURE_IN_A_CELL = """\
n.ipynb cell 3, line 1: ZeroDivisionError: division by zero
  ->  1 | 1 / 0
        | ~~^~~
"""


def test_a_quiet_prompt_does_not_greet():
    done = Done("--quiet", terminal=True, stdin="1 + 1\n", TENSH_HISTORY="off")
    assert done == (0, ">>> 2\n>>> \n", "")


PROGRESS = {(): "auto", ("--quiet",): "none", ("--plain",): "lines"}


@pytest.mark.parametrize("options, style", PROGRESS.items(), ids=str)
def test_progress_is_shown_as_the_options_want_it(options, style):
    assert Done("-c", "from tensh.show.loops import progress; progress.style", *options).output == f"{style!r}\n"
    assert Done("-c", "import tensh.show.loops.progress as p\np.style").output == "'auto'\n"


def test_time_lists_statements_on_stderr():
    done = Done("-c", "x = 1; y = 2\nx", "--time")
    assert done.output == "1\n"
    first, *rows, last = done.errors.rstrip("\n").split("\n")
    assert first.split() == ["time", "share", "statement"] and last.endswith("in all")
    assert [row.partition("%  ")[2] for row in rows] == ["-c:1  x = 1", "-c:1  y = 2", "-c:2  x"]


def test_a_timeout_stops_the_code_with_status_124():
    done = Done("-c", "import time\nwhile True: time.sleep(0.01)", "--timeout", "0.2")
    assert (done.status, done.errors) == (124, "-c:2: stopped after 0.2 s\n")


def test_options_stand_before_or_after_the_command(script):
    name = script("1 / 0\n2")
    assert Done("--keep-going", "run", name) == Done("run", "--keep-going", name) == Done("run", name, "--keep-going")


USAGE = {
    ("run", "nowhere.tsh"): "nowhere.tsh: no such file\n",
    ("run", "S.tsh"): "S.tsh: no such file; did you mean s.tsh?\n",
    ("run", "."): ".: this is a folder, not a file\n",
    ("run", "s.txt"): "s.txt: tensh runs .tsh, .py, .ipynb and .md files\n",
    ("run", "m.npz"): "m.npz: tensh runs .tsh, .py, .ipynb and .md files\ntensors are opened: tensh open m.npz\n",
    ("run", "bad.ipynb"): "bad.ipynb: this is not a notebook: expected an object, but it is a number\n",
    ("-c", "1", "run", "s.tsh"): "-c and run cannot be combined\n",
    ("run", "--timeout", "nan", "s.tsh"): "--timeout nan: expected a number from 0 to 1000000000\n",
    ("-c", "1", "--timeout", "inf"): "--timeout inf: expected a number from 0 to 1000000000\n",
    ("--timeout", "-1", "-c", "1"): "--timeout -1.0: expected a number from 0 to 1000000000\n",
    ("-c", "1", "--seed", str(2**64)): f"--seed {2**64}: expected a number from {-(2**63)} to {2**64 - 1}\n",
    ("check", "--rtol", "nan", "s.tsh"): "--rtol nan: expected a number from 0 to 1e+300\n",
    ("check", "--atol", "-1", "s.tsh"): "--atol -1.0: expected a number from 0 to 1e+300\n",
    ("s.tsh",): "tensh: No such command 's.tsh'\nto run a file: tensh run s.tsh\n",
    ("m.pt",): "tensh: No such command 'm.pt'\nto open a file: tensh open m.pt\n",
    ("inspect", "m.npz"): "tensh: No such command 'inspect'\nto open a file: tensh open m.npz\n",
    ("open", "m.npz", "n.pt"): (
        "the prompt needs a terminal to read from and to write to; tensh run FILE and -c CODE do not\n"
        "to list the tensors without it: tensh -c '%load m.npz' -c '%load n.pt' -c %who\n"
    ),
    ("kernel",): (
        "tensh kernel: Missing argument 'install|remove': one of install, remove\nall options: tensh kernel --help\n"
    ),
    ("learn", "m.npz"): "m.npz: lessons are files with the extensions .md, .tsh, .ipynb\n",
    ("learn", "s.py"): (
        "s.py: lessons are files with the extensions .md, .tsh, .ipynb\n"
        "tensh convert makes one: tensh convert s.py LESSON.md\n"
    ),
    ("learn", "--answers", "ann.txt", "bob.txt", "cyd.txt"): (
        "tensh learn: Got unexpected extra arguments: cyd.txt\n"
        "--answers is repeated for each of them: --answers cyd.txt\nall options: tensh learn --help\n"
    ),
    ("export", "m.pt"): "tensh export: Missing option '--onnx'\nall options: tensh export --help\n",
    ("sweep", "nowhere.tsh"): "nowhere.tsh: no such file\n",
    ("chek", "s.tsh"): "tensh: No such command 'chek'; did you mean check?\nall options: tensh --help\n",
}


@pytest.mark.parametrize("arguments, errors", USAGE.items(), ids=str)
def test_usage_errors(script, arguments, errors):
    for name in ("s.tsh", "s.txt", "s.py", "m.npz", "bad.ipynb"):
        script("1", name)
    assert Done(*arguments) == (2, "", errors)


def test_a_usage_error_is_broken_between_words_in_a_terminal(script):
    script("1", "s.txt")
    errors = Done("run", "s.txt", terminal=True, COLUMNS="40").errors
    assert errors == "s.txt: tensh runs .tsh, .py, .ipynb\n  and .md files\n"


def test_a_pattern_of_very_many_parts_is_one_line():
    done = Done("check", "**/" * 1000 + "*.nothing")
    assert (done.status, done.output, done.errors.count("\n")) == (2, "", 1) and "fault" not in done.errors


def test_an_unknown_option_is_explained(script):
    done = Done("run", script("1"), "--sed", 3)
    assert done.status == 2 and "--seed" in done.errors and "goes after --" in done.errors


def test_nothing_to_run_on_a_terminal_is_the_prompt():
    done = Done(terminal=True, stdin="1 + 1\n", TENSH_HISTORY="off")
    assert (done.status, done.output) == (0, ">>> 2\n>>> \n") and "help" in done.errors


def test_help_lists_commands_without_colors():
    done = Done("--help")
    assert (done.status, done.errors) == (0, "")
    assert all(word in done.output for word in ("run", "env", "-c", "--seed"))
    assert "\033" not in done.output
    assert "--set NAME=VALUE" in Done("run", "--help").output


@pytest.mark.parametrize("width", [30, 45, 60, 80])
def test_help_fits_a_window_without_cutting_names_or_sentences(width, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))  # which Rich reads
    for command in ("run", "sweep", "open"):
        text = SGR.sub("", Done(command, "--help", terminal=True, COLUMNS=str(width), TERM="xterm").output)
        assert max(map(len, text.splitlines())) <= width
        assert "…" not in text
    words = " ".join(
        re.sub("[│╭╮╰╯─]", "", text).split()
    )  # of `open`, whose help has a paragraph of several lines in the source
    assert "--keep-going" in words and "ONNX a module; .npz, .safetensors and .pt files contain names." in words


def test_env_wraps_facts_between_words():
    lines = Done("env", terminal=True, COLUMNS="60", TERM="xterm").output.splitlines()
    assert max(map(len, lines)) <= 60
    assert any(line.startswith("bytecode") for line in lines)


def test_every_spelling_of_version_shows_it():
    from tensh import VERSION

    expected = (0, f"tensh {VERSION}\n", "")
    assert Done("--version") == Done("-V") == Done("--plain", "--version") == expected


def test_env_reports_versions_and_variables():
    done = Done("env", TERM="dumb", OMP_NUM_THREADS="3")
    facts = dict(line.split(None, 1) for line in done.output.splitlines())
    assert done.status == 0
    assert {"tensh", "Python", "numpy", "stdout"} <= set(facts)
    assert facts["OMP_NUM_THREADS"] == "3"
