"""The prompt in a terminal: typed lines, output, and the state afterwards."""

import os

import pytest

if os.name == "nt":
    pytest.skip("a pseudo-terminal is POSIX's", allow_module_level=True)

from tests.support.terminal import Terminal


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
def test_blocks_are_indented_and_end_as_typed(shell, typed):
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


def test_a_line_behind_a_block_in_a_paste_that_is_not_marked(shell):
    assert shell.enter("for i in range(2):\r    print(i)\rprint('done')") == "0\n1\ndone"
    assert shell.enter("for i in range(2):\rprint(i)\r") == "0\n1"  # typed ahead without indentation
    assert shell.enter("if i:\r    if i > 5:\r        i = 0\r    print(i)\r") == "1"


def test_a_fault_of_our_own_costs_no_names(shell):
    shell.enter("kept = 5; from tensh.cli.programs.run import Run; show = Run.show")
    shell.paste("def once(*event, **more):\n    Run.show = show\n    1 / 0\nRun.show = once")
    assert " ".join(shell.enter("").split()).endswith("your names are kept")
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


def test_a_line_of_the_shell_has_the_terminal(shell):
    assert shell.enter("!printf 'no line end'") == "no line end"
    assert shell.enter("!echo a; exit 3") == "a\nexit status 3"
    assert shell.enter("!true") == ""
    shell.type("!printf 'who? '; read name; echo $name again\r")
    shell.shows("who?")  # the terminal is the command's by now
    assert shell.enter("once").endswith("once again")
