"""The prompt in a terminal: what is typed, what is shown, and what is there afterwards."""

import ast
import os
import sys

import pytest

if os.name == "nt":
    pytest.skip("a pseudo-terminal is POSIX's", allow_module_level=True)

from tensh.cli.repl import blocks
from tests.support.command_line import HEAVY
from tests.support.project import plain_environment
from tests.support.terminal import Terminal

LOOP = """
for n in range(10**9):
    y = x @ x
    if n == 20:
        print('under', 'way')
"""


@pytest.fixture(scope="module")
def shell():
    """A prompt that several tests type at, each leaving it empty."""
    with Terminal() as terminal:
        yield terminal.ready()


# ── typing ───────────────────────────────────────────────────────────────────


def test_values_are_shown_as_pytorch_does(shell):
    assert shell.enter("torch.tensor([1., 2.], requires_grad=True) * 2") == "tensor([2., 4.], grad_fn=<MulBackward0>)"
    assert shell.enter("x = torch.eye(2)") == ""
    assert shell.enter("x.sum(); x.shape") == "torch.Size([2, 2])"
    assert shell.enter("_[0] + 1") == "3"
    assert shell.enter("__") == "torch.Size([2, 2])"


def test_a_failure_begins_with_pytorchs_words(shell):
    message, *quoted = shell.enter("torch.ones(2, 3) @ torch.ones(2, 3)").split("\n")
    assert message == "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"
    assert "torch.ones(2, 3) @ torch.ones(2, 3)" in quoted[0] and "^" in quoted[1]
    assert shell.enter("1") == "1"


BLOCKS = {
    "for i in range(2):\rprint(i)\r": "0\n1",
    "for i in range(2):\r    print(i)\r": "0\n1",  # typed with its indentation
    "if False:\r1\relse:\r2\r": "",
    "def f(a):\rif a:\rreturn 1\rreturn 2\r\rf(0)": "2",  # after return, one level less
    "def f(a):\r    if a:\r        return 1\r    return 3\r\rf(0)": "3",
    "class A:\r    def f(self):\r        return 1\r    def g(self):\r        return 2\r\rA().f(), A().g()": "(1, 2)",
    "for i in range(2):\rtry:\r1 / i\rexcept ZeroDivisionError:\rprint('no')\r": "no",
    "f(\r\r0)": "3",  # a blank line within brackets ends nothing
    "'''a\r  b\r\rc'''": "'a\\n  b\\n\\nc'",
    "%time print(1)": "1",
    "1 + \\\r2": "3",
    "    7": "7",
    "": "",
}


@pytest.mark.parametrize("typed", BLOCKS)
def test_blocks(shell, typed):
    assert shell.enter(typed).split("\n")[: BLOCKS[typed].count("\n") + 1] == BLOCKS[typed].split("\n")


def test_an_indented_line_can_be_taken_back(shell):
    shell.type("for i in range(1):\rprint('in')")
    shell.shows("...     print('in')")
    shell.press("enter")
    shell.shows("...")
    shell.press("backspace")
    assert shell.enter("print('out')") == "in\nout"


def test_a_block_comes_back_whole_and_runs_at_once(shell):
    shell.enter("for i in range(2):\rprint(i * 10)\r")
    shell.press("up")
    shell.wait(lambda: shell.screen.text(-3).count("print(i * 10)") == 1)
    assert shell.enter("").endswith("0\n10")


def recall(shell):
    """Enter a block of two lines and bring it back, with the cursor in its first line."""
    shell.enter("for i in range(2):\rprint(i * 10)\r")
    shell.press("up")
    shell.wait(lambda: shell.screen.text(-3).count("print(i * 10)") == 1)
    shell.press("up")
    shell.shows(">>> for i in range(2):")


def test_enter_within_a_recalled_block_begins_a_line(shell):
    recall(shell)
    shell.press("end", "enter")
    shell.type("print('in')")
    shell.shows("...     print('in')")
    shell.press("down")
    assert shell.enter("").endswith("in\n0\nin\n10")


def test_a_recalled_block_that_was_changed_runs_at_its_end(shell):
    recall(shell)
    shell.press("end", "left", "left", "backspace")
    shell.type("3")
    shell.press("down", "end")
    assert shell.enter("").endswith("0\n10\n20")


def test_a_key_begins_a_line_where_enter_would_run(shell):
    shell.type("x = 1")
    shell.press("^O")
    shell.type("x + 1")
    shell.shows("... x + 1")
    assert shell.enter("") == "2"


def test_the_signature_of_a_call_is_shown_while_it_is_typed(shell):
    shell.enter("def scale(x, factor=2, *, shift=0): 'Scales.'; return x * factor + shift\r")
    shell.type("scale(1, ")
    shell.wait("scale(x, factor=2, *, shift=0)")
    shell.press("f1")
    shell.wait(lambda: shell.screen.text().count("Scales.") == 2)
    shell.shows(">>> scale(1,")
    assert shell.enter("3)") == "3"
    shell.type("torch.ones(2).sum(")
    shell.wait("torch.ones(2).sum(dim=None, keepdim=False, *, dtype=None")
    shell.press("^C")
    shell.ready()


@pytest.mark.parametrize(
    "text, result",
    [
        ("x = 3\nx + 1\nx + 2\n", "4\n5"),
        (">>> x = 5\n>>> x\n5\n>>> for i in range(2):\n...     print(x + i)\n...\n5\n6\n", "5\n5\n6"),
        ("In [3]: for i in range(2):\n   ...:     print(i)\n", "0\n1"),
        ("tensh> 6 * 7", "42"),
        ("    a = 1\n    a\n", "1"),
        ("def f():\n\n    a = 1\n\n\n    return a\nf()", "1"),
        ("class A:\r\n    b = 2\r\n\r\n    c = 3\r\nA.c", "3"),
    ],
)
def test_a_paste_runs_whole_on_enter(shell, text, result):
    before = shell.screen.row
    shell.paste(text)
    shell.wait(lambda: shell.screen.text(before).strip() not in ("", ">>>"))
    assert shell.enter("") == result


def test_a_line_of_a_hundred_thousand_characters(shell):
    shell.paste("text = '" + "a" * 100_000)
    shell.wait(" characters)")
    shell.type("b'\r")
    shell.wait(lambda: shell.at_prompt())
    assert len(shell.screen.text()) < 10_000
    assert shell.enter("len(text), text[-3:]") == "(100001, 'aab')"


def test_a_paste_that_is_not_marked(shell):
    text = "class A:\n\n    def f(self):\n        a = 1\n\n\n        return a\n\n    def g(self):\n        return 2\n\n"
    assert shell.enter(text.replace("\n", "\r") + "A().f(), A().g()") == "(1, 2)"


def test_a_fault_of_our_own_costs_no_names(shell):
    shell.enter("kept = 5; from tensh.cli.programs.run import Run; show = Run.show")
    shell.paste("def once(*event, **more):\n    Run.show = show\n    1 / 0\nRun.show = once")
    assert " ".join(shell.enter("").split()).endswith("your names are still there")
    assert shell.enter("kept") == "5"


def test_words_without_parentheses(shell):
    told = shell.enter("help")
    assert "%who" in told and "%help keys" in told and "Ctrl-R" in shell.enter("%help keys")
    shell.enter("marked = 'before'")
    shell.type("clear\r")
    shell.wait(lambda: shell.at_prompt() and shell.screen.row == shell.screen.top)
    assert shell.enter("clear = 4; clear") == "4"
    assert shell.enter("del clear; marked") == "'before'"


def test_output_without_a_line_end_stays_apart(shell):
    assert shell.enter("print('a', end='')") == "a"
    assert shell.enter("import sys; sys.stderr.write('b');") == "b"


def test_what_threads_print_goes_above_the_line(shell):
    shell.enter("import threading; go = threading.Event()")
    shell.enter("threading.Thread(target=lambda: (go.wait(), print('from', 'elsewhere'))).start()")
    shell.enter("threading.Timer(0.2, go.set).start()")
    shell.type("84 // ")
    shell.wait("from elsewhere\n")
    shell.shows(">>> 84 //")
    assert shell.enter("2") == "42"


# ── keys ─────────────────────────────────────────────────────────────────────


def test_control_c_stops_a_computation_and_keeps_the_names(shell):
    shell.enter("x = torch.ones(50, 50)")
    shell.paste(LOOP)
    shell.press("enter")
    shell.wait("under way")
    row = shell.screen.row
    shell.press("^C")
    shell.wait(lambda: shell.at_prompt() and shell.screen.row > row)
    assert "interrupted" in shell.since(row)
    assert shell.enter("x.shape, n >= 20") == "(torch.Size([50, 50]), True)"


def test_control_c_clears_the_line(shell):
    row = shell.screen.row
    shell.type("for i in abc:\rnothing(")
    shell.shows("...     nothing(")
    shell.press("^C")
    shell.wait(lambda: shell.at_prompt() and shell.screen.row > row)
    assert shell.enter("1") == "1"


def test_the_rest_of_an_earlier_line_is_suggested(shell):
    shell.enter("suggested = 12345")
    shell.type("sugg")
    shell.shows(">>> suggested = 12345")
    shell.press("right")
    assert shell.enter(" + 1") == "" and shell.enter("suggested") == "12346"


def test_up_goes_to_lines_that_begin_alike(shell):
    shell.enter("alike = 1")
    shell.enter("other = 2")
    shell.type("ali")
    shell.press("up")
    shell.shows(">>> alike = 1")
    assert shell.enter(" + 1") == "" and shell.enter("alike") == "2"


def test_control_r_searches(shell):
    shell.enter("'needle in a haystack'")
    shell.enter("1")
    shell.press("^R")
    shell.type("needle")
    shell.wait(lambda: "needle in a haystack" in "".join(shell.screen.lines[shell.screen.row - 1]))
    shell.press("enter")
    assert shell.enter("") == "'needle in a haystack'"


def test_tab_completes(shell):
    shell.type("torch.get_default_dty")
    shell.press("tab")
    shell.shows(">>> torch.get_default_dtype")
    assert shell.enter("()") == "torch.float32"
    shell.type("torch.manual_se")
    shell.press("tab")
    shell.shows(">>> torch.manual_seed")
    row = shell.screen.row
    shell.press("^C")
    shell.wait(lambda: shell.at_prompt() and shell.screen.row > row)
    shell.type("if True:\r")
    shell.shows("...")
    shell.press("tab")  # nothing to complete here: one level more
    assert shell.enter("print('deeper')\r") == "deeper"


def test_help_and_names_keep_the_line_that_is_typed(shell):
    shell.enter("x = torch.ones(2)")
    shell.type("torch.su")
    shell.press("f2")
    shell.wait("bytes")
    shell.shows(">>> torch.su")
    row = shell.screen.row
    shell.press("backspace", "backspace")
    shell.type("relu")
    shell.press("f1")
    shell.wait(lambda: "relu(" in shell.screen.text(row) and shell.screen.row > row)
    shell.shows(">>> torch.relu")
    shell.press(*["backspace"] * 4)
    shell.type("su")
    assert shell.enter("m(torch.ones(3))") == "tensor(3.)"


def test_an_editor_of_ones_own(tmp_path):
    editor = tmp_path / "editor"
    editor.write_text(f"#!{sys.executable}\nimport sys\nopen(sys.argv[1], 'a').write(' + 41\\n')\n")
    editor.chmod(0o755)
    with Terminal(EDITOR=str(editor), VISUAL=str(editor)) as shell:
        shell.ready().type("1")
        shell.press("^X", "^E")
        shell.wait("\n42\n")
        assert ">>> 1 + 41" in shell.screen.text()


def test_keys_of_vi():
    with Terminal(TENSH_KEYS="vi") as shell:
        shell.ready().wait("vi insert")
        shell.type("x = 23")
        shell.press("escape")
        shell.wait("vi normal")
        shell.type("0rza9\x1b")  # replace the x, then insert a 9 behind it
        shell.shows(">>> z9 = 23")
        assert shell.enter("") == ""
        assert shell.enter("z9") == "23"


# ── the window ───────────────────────────────────────────────────────────────


def test_the_toolbar_tells_what_is_there(shell):
    shell.enter("torch.manual_seed(4); big = torch.ones(1024, 1024);")
    shell.wait("seed 4")
    shell.enter("torch.set_default_dtype(torch.float64); previous = torch.set_grad_enabled(False);")
    shell.wait("float64 · grad off · seed 4")
    shell.enter("torch.set_default_dtype(torch.float32); previous = torch.set_grad_enabled(True);")
    assert "MiB" in shell.screen.text(-1)


@pytest.mark.thorough
@pytest.mark.parametrize("columns", [40, 80, 300])
def test_a_window_of_any_width(columns):
    with Terminal(columns=120) as shell:
        shell.ready().wait("F1 help")
        shell.type("x = torch.ones(2, 2); x.sum()")
        shell.resize(columns, 24)  # while something is typed
        shell.wait(lambda: ("F1" in shell.screen.text(-1)) == (columns > 40) and len(shell.screen.text(-1)) <= columns)
        assert shell.enter("") == "tensor(4.)"
        row = shell.screen.row
        assert shell.enter("x") == "tensor([[1., 1.],\n        [1., 1.]])"
        text = "'" + "损失" * columns + "'"
        assert shell.enter(text).replace("\n", "").endswith(text)
        assert max(map(len, shell.screen.text(row).split("\n"))) <= columns


def test_colours_come_when_they_are_wanted():
    with Terminal(NO_COLOR="", columns=100) as shell:
        shell.ready().enter("for i in []: pass\r")
        shell.type("for i in [1]: i")
        shell.wait(lambda: "\x1b[0;1mfor" in shell.raw)  # a keyword
    with Terminal(columns=100) as shell:
        shell.ready().enter("for i in []: pass\r")
        assert not any(f"\x1b[0;3{digit}m" in shell.raw for digit in range(1, 8))


def test_settings_hold_from_the_next_line_on():
    with Terminal() as shell:
        shell.ready().enter("earlier = 1")
        shell.enter("%set suggest off")
        shell.enter("%set toolbar off")
        assert "float32" not in shell.screen.text(-2)
        shell.enter("%set toolbar on")
        shell.enter("%set keys vi")
        shell.wait("vi insert")
        shell.type("earl")
        shell.shows(">>> earl")
        assert shell.enter("ier") == "1"


# ── history ──────────────────────────────────────────────────────────────────


@pytest.mark.thorough
def test_two_shells_and_one_that_is_killed(tmp_path):
    path = tmp_path / "state" / "tensh" / "history"
    places = {"TENSH_HISTORY": "on", "XDG_STATE_HOME": str(tmp_path / "state")}
    with Terminal(**places) as one, Terminal(**places) as other:
        one.ready().enter("one = 1")
        other.ready().enter("for i in []:\rpass\r")
        one.enter(" secret = 2")
        other.enter("other = 3")
        one.enter("one += 1")
        other.type("half typ")
        other.shows(">>> half typ")
        other.kill()
        one.enter("one")
    assert path.read_text() == ">>> one = 1\n>>> for i in []:\n...     pass\n>>> other = 3\n>>> one += 1\n>>> one\n"
    with Terminal(**places) as third:
        third.ready().type("oth")
        third.shows(">>> other = 3")
        third.press("up")
        assert third.enter("") == "" and third.enter("other") == "3"


def test_a_damaged_history_is_said_and_set_aside(tmp_path):
    path = tmp_path / "history"
    path.write_bytes(b"\xff\xfe\n>>> x = 1\n")
    with Terminal(TENSH_HISTORY=str(path)) as shell:
        shell.ready().enter("2")
        assert "damaged" in shell.screen.text()
    assert path.read_text() == ">>> x = 1\n>>> 2\n"
    assert (tmp_path / "history.damaged").read_bytes() == b"\xff\xfe\n>>> x = 1\n"


# ── everyone's terminal ──────────────────────────────────────────────────────


@pytest.mark.thorough
@pytest.mark.parametrize(
    "arguments, environment", [(["--plain"], {}), ([], {"TENSH_PLAIN": "1"}), ([], {"TERM": "dumb"})]
)
def test_a_plain_prompt_draws_nothing_twice(arguments, environment, tmp_path):
    with Terminal(*arguments, **environment, TENSH_HISTORY=str(tmp_path / "history")) as shell:
        shell.ready()
        assert shell.enter("x = torch.ones(2)") == ""
        shell.type("for i in range(2):\r")
        shell.wait("for i in range(2):\n...")
        shell.type("    print(x + i)\r")
        shell.wait("    print(x + i)\n...")
        assert shell.enter("") == "tensor([1., 1.])\ntensor([2., 2.])"
        assert shell.enter("1 / 0").startswith("ZeroDivisionError")
        shell.paste(LOOP)
        shell.type("\r\r")
        shell.wait("under way")
        shell.press("^C")
        shell.wait(lambda: "interrupted" in shell.screen.text() and shell.at_prompt())
        shell.press("^D")
        assert shell.end() == 0
    assert "\x1b" not in shell.raw.replace("^[", "")
    assert (tmp_path / "history").read_text().startswith(">>> x = torch.ones(2)\n>>> for i in range(2):\n...     print")


def test_a_line_of_the_shell_has_the_terminal(shell):
    assert shell.enter("!printf 'no line end'") == "no line end"
    assert shell.enter("!echo a; exit 3") == "a\nexit status 3"
    assert shell.enter("!true") == ""
    shell.type("!printf 'who? '; read name; echo $name again\r")
    shell.shows("who?")  # the terminal is the command's by now
    assert shell.enter("once").endswith("once again")


def test_a_plain_prompt_edits_its_lines(tmp_path):
    history = tmp_path / "history"
    history.write_text(">>> number = 6\n")
    with Terminal("--plain", TENSH_HISTORY=str(history)) as shell:
        shell.ready().press("up")
        shell.shows(">>> number = 6")
        assert shell.enter(" * 7") == ""
        shell.type("numb")
        shell.press("tab")
        shell.shows(">>> number")
        assert shell.enter("") == "42"
        shell.type("%hist\t\t")
        shell.wait("history")
        shell.shows(">>> %hist")  # drawn again below what it may become
        shell.press("^C")
        assert "Tab" in shell.ready().enter("%help keys")


def test_a_file_is_run_before_the_first_prompt(tmp_path):
    file = tmp_path / "mine.tsh"
    file.write_text("x = torch.ones(2)\nx + 1\n1 / 0\nafter = 5\n")
    for options in ([], ["--plain"]):
        with Terminal(*options, columns=200, TENSH_STARTUP=str(file)) as shell:
            shell.ready()
            assert "tensor([2., 2.])" in shell.screen.text() and "ZeroDivisionError" in shell.screen.text()
            assert shell.enter("after") == "5"
    with Terminal(columns=200, TENSH_STARTUP=str(tmp_path / "nowhere.tsh")) as shell:
        assert "no such file" in shell.ready().screen.text()
    file.write_text("after = 1\nraise SystemExit")
    with Terminal(columns=200, TENSH_STARTUP=str(file)) as shell:
        assert "has not run to its end" in shell.ready().screen.text()
        assert shell.enter("after") == "1"


def test_ascii():
    with Terminal("--ascii", columns=120) as shell:
        shell.ready().enter("x = torch.ones(2)")
        shell.enter("x")
        shell.type("1")
        shell.shows(">>> 1")
    assert shell.raw.isascii() and ", grad on" in shell.raw


@pytest.mark.thorough
def test_without_a_terminal_there_is_no_prompt(tensh_command):
    done = tensh_command(stdin="1 + 1\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, "2\n", "")
    for arguments in (["open", "x.tsh"], ["run", "-i", "x.tsh"]):
        done = tensh_command(*arguments)
        assert (done.returncode, done.stdout) == (2, "") and "terminal" in done.stderr
    with Terminal(program=("-c", "import subprocess, sys; sys.exit(subprocess.run([sys.executable, '-m', 'tensh'], stdout=-1).returncode)")) as shell:  # fmt: skip
        assert shell.end() == 2 and "terminal" in shell.screen.text()


# ── the end ──────────────────────────────────────────────────────────────────


@pytest.mark.thorough
@pytest.mark.parametrize("typed, status", [("exit\r", 0), ("\x04", 0), ("import sys; sys.exit(3)\r", 3)])
def test_status_after_each_way_to_end(typed, status):
    with Terminal() as shell:
        shell.ready().type(typed)
        assert shell.end() == status
    assert "Traceback" not in shell.raw


# ── programs and files before it ─────────────────────────────────────────────


def test_a_script_that_stays(tmp_path):
    (tmp_path / "s.tsh").write_text("x = torch.ones(2)\nx + 1\ndef f():\n    return missing\nf()\nnever = 1\n")
    with Terminal("run", "-i", "s.tsh", cwd=tmp_path) as shell:
        shell.ready()
        assert "tensor([2., 2.])" in shell.screen.text() and "NameError" in shell.screen.text()
        assert shell.enter("x") == "tensor([1., 1.])"
        assert shell.enter("missing = 5; f()") == "5"
        assert shell.enter("'never' in globals(), __file__[-5:]") == "(False, 's.tsh')"


def test_the_prompt_opens_where_the_script_failed(tmp_path):
    text = "W = torch.ones(3, 2)\ndef layer(a):\n    h = a * 2\n    return h @ W\n\nprint('once')\nlayer(torch.ones(2, 2))\n"
    (tmp_path / "s.tsh").write_text(text)
    with Terminal("run", "-i", "s.tsh", cwd=tmp_path, columns=100) as shell:
        shell.ready()
        assert "in the frame of layer, s.tsh:4; the names of the file are there as well" in shell.screen.text()
        assert shell.enter("h.sum() + W.sum()") == "tensor(14.)"
        assert shell.enter("W = torch.ones(2, 1); layer(h)") == "tensor([[8.],\n        [8.]])"
        assert shell.screen.text().count("once") == 1
        shell.press("^D")
        assert shell.end() == 1


def test_the_prompt_opens_where_the_script_was_stopped(tmp_path):
    (tmp_path / "s.tsh").write_text(
        "def train():\n    for n in range(10**9):\n        n == 9 and print('busy')\ntrain()\n"
    )
    with Terminal("run", "-i", "s.tsh", "--quiet", cwd=tmp_path) as shell:
        shell.wait("busy")
        shell.press("^C")
        shell.ready()
        assert shell.enter("n > 8") == "True" and "in the frame" not in shell.screen.text()
        shell.press("^D")
        assert shell.end() == 130


def test_files_that_are_opened(tmp_path):
    import numpy as np

    np.save(tmp_path / "a-matrix.npy", np.arange(6.0).reshape(2, 3))
    np.savez(tmp_path / "more.npz", w=np.float32([1, 2]), words=np.array(["a", "b"]))
    (tmp_path / "s.tsh").write_text("total = a_matrix.sum()\ntotal\n")
    with Terminal("open", "a-matrix.npy", "more.npz", "s.tsh", "--seed", "0", cwd=tmp_path, columns=120) as shell:
        shell.ready()
        assert "tensor(15., dtype=torch.float64)" in shell.screen.text()
        assert "w [2] float32" in shell.screen.text()
        assert (
            shell.enter("a_matrix[0, 0] = 7") == ""
            and shell.enter("w.tolist(), list(words)[0] == 'a'") == "([1.0, 2.0], True)"
        )
        assert shell.enter("torch.rand(1)") == "tensor([0.4963])"
        shell.enter("%save kept.safetensors")
    with Terminal("open", "kept.safetensors", cwd=tmp_path) as shell:
        assert shell.ready().enter("w + total") == "tensor([16., 17.])"
    assert np.load(tmp_path / "a-matrix.npy")[0, 0] == 0


@pytest.mark.parametrize(
    "file, words",
    [("x.gguf", "cannot read .gguf files yet"), ("gone.npy", "no such file"), ("bad.npz", "bad.npz")],
)
def test_files_that_cannot_be_opened(tmp_path, file, words):
    (tmp_path / "bad.npz").write_text("no")
    with Terminal("open", file, cwd=tmp_path) as shell:
        assert shell.end() == 2 and words in shell.screen.text()


# ── the start ────────────────────────────────────────────────────────────────

PAINTED = """
import sys
from tensh.cli.repl.editor import Editor

def finish_first_paint(self, app):
    open({path!r}, "w").write(" ".join(sys.modules))
    app.exit(exception=EOFError)

Editor.finish_first_paint = finish_first_paint
from tensh.cli.app import main
main([])
"""


def test_nothing_heavy_is_imported_before_the_first_paint(tmp_path):
    path = str(tmp_path / "modules")
    with Terminal(program=("-c", PAINTED.format(path=path))) as shell:
        shell.end()
    with open(path) as file:
        found = set(file.read().split())
    wanted_there = {"prompt_toolkit", "asyncio"}
    assert wanted_there <= found
    assert not found & (HEAVY - wanted_there | {"numpy", "typer", "tensh.engine", "rich", "pygments.lexers"})


def test_what_is_typed_before_the_prompt_is_not_lost():
    with Terminal() as shell:
        shell.type("x = 40 + 2\r")
        shell.type("x\r")
        shell.wait(lambda: "\n42\n" in shell.screen.text() and shell.at_prompt())


def test_completion_can_be_installed(tmp_path):
    import subprocess

    variables = plain_environment() | {"HOME": str(tmp_path)}
    code = (
        "import sys, shellingham; from tensh.cli.app import main\n"
        "shellingham.detect_shell = lambda *args: ('bash', '/bin/bash')\n"  # whoever has started the tests
        "try: main(['--install-completion'])\nfinally: print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=variables, capture_output=True, encoding="utf-8", timeout=60
    )
    assert "completion" in done.stdout and "tensh" in (tmp_path / ".bashrc").read_text()
    assert "numpy" not in done.stderr.split()


# ── a lesson ─────────────────────────────────────────────────────────────────


@pytest.mark.thorough
def test_a_lesson_typed_line_by_line(tmp_path):
    from tests.support import lessons

    if not lessons.LESSONS:
        pytest.skip("no lessons beside the project")
    lesson = lessons.LESSONS[0]
    script = lessons.lessons_script()
    errors = str(tmp_path / "errors")  # warnings are not part of what is recorded
    with Terminal(columns=200, rows=200, cwd=tmp_path, errors=errors, TENSH_CAPTION="off") as shell:
        shell.ready()
        for number, (code, meta, expected, _) in enumerate(script.code_cells(lesson), 1):
            *first, last = typed(code)
            shown = "".join(shell.enter(each) + "\n" for each in [*map(quiet, first), last])
            shown = "\n".join(filter(None, shown.split("\n")))
            expected = "\n".join(filter(None, meta.get("current", expected).split("\n")))
            assert script.matches(shown, expected, meta), f"cell {number}: {shown!r} instead of {expected!r}"


def typed(code):
    """The blocks of a cell as somebody types them: lines as they are written, a blank one behind a block and no other."""
    lines = [line.rstrip() for line in code.split("\n") if line.strip()]
    block = []
    for line in lines:
        if block and is_over(block) and not line.startswith((" ", "else", "elif", "except", "finally")):
            yield "\r".join(block) + "\r"
            block = []
        block.append(line)
        if blocks.is_whole("\n".join(block)):
            yield "\r".join(block)
            block = []
    if block:
        yield "\r".join(block) + "\r"


def quiet(block):
    """A block that shows what it prints and no value, as all but the last of a cell."""
    node = ast.parse(block.replace("\r", "\n")).body[:1]
    shows = node and isinstance(node[0], ast.Expr) and not block.startswith("print")
    return block + ";" if shows else block


def is_over(block):
    """True if a blank line would run the block."""
    return blocks.is_whole("\n".join(block) + "\n")
