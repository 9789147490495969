"""The window of the prompt: its toolbar, width, colours and settings; plain prompts; the first paint."""

import os
import shutil
import signal
import sys
import time

import pytest

if os.name == "nt":
    pytest.skip("a pseudo-terminal is POSIX's", allow_module_level=True)

from tests.support.command_line import HEAVY
from tests.support.terminal import LOOP, Terminal


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
        while not shell.at_prompt():  # readline keeps a ^C that comes while it is completing until the next key
            shell.type(" ")
            shell.press("^C")
            while shell.read(0.5):
                pass
        assert "Tab" in shell.enter("%help keys")


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash continues the stopped program")
def test_a_plain_line_is_drawn_again_when_its_program_goes_on():
    shells = ("-c", "import os; os.execvp('bash', ['bash', '--norc', '-i'])")
    with Terminal(program=shells, PS1="shell: ") as shell:
        shell.shows("shell:")
        shell.type(f"{sys.executable} -m tensh --plain\r")
        shell.ready().type("x = 12")
        shell.shows(">>> x = 12")
        shell.press("left")
        shell.wait(lambda: shell.screen.column == len(">>> x = 1"))  # ^Z discards keys that are not read yet
        shell.press("^Z")
        shell.shows("shell:")
        shell.type("fg\r")
        shell.shows(">>> x = 12")
        shell.type("3")  # where the cursor was
        shell.shows(">>> x = 132")
        shell.enter("")
        assert shell.enter("x") == "132"


@pytest.mark.thorough
def test_a_plain_line_that_expects_a_number_ends_with_its_terminal():
    """readline itself would read the end of the input without end there."""
    with Terminal("--plain") as shell:
        shell.ready().type("\x1b3")
        shell.wait("(arg: 3)")
        os.close(shell.descriptor)
        end = time.monotonic() + 60
        while not (found := os.waitpid(shell.process, os.WNOHANG))[0]:
            assert time.monotonic() < end
            time.sleep(0.1)
        assert os.waitstatus_to_exitcode(found[1]) in (128 + signal.SIGHUP, -signal.SIGHUP)
        shell.status = 0


def test_a_prompt_in_ascii_writes_nothing_else():
    with Terminal("--ascii", columns=120) as shell:
        shell.ready().enter("x = torch.ones(2)")
        shell.enter("x")
        shell.type("1")
        shell.shows(">>> 1")
    assert shell.raw.isascii() and ", grad on" in shell.raw


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


def test_what_is_said_of_the_history_breaks_no_word():
    with Terminal(columns=50, TENSH_HISTORY="/dev/full") as shell:
        shell.ready().enter("1")
        shell.wait("the history cannot be saved: /dev/full: this is a\n  device, not a file")
