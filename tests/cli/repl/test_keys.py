"""Keys of the prompt: interruption, history, completion, help, an editor, vi."""

import os
import sys

import pytest

if os.name == "nt":
    pytest.skip("a pseudo-terminal is POSIX's", allow_module_level=True)

from tests.support.terminal import LOOP, Terminal


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


def test_a_line_that_would_fill_the_window_is_recalled_but_not_suggested(shell):
    shell.enter("lengthy = '" + "ab" * 300 + "'")
    shell.type("lengt")
    shell.press("f2")  # draws all of it anew
    shell.wait("lengthy")
    shell.shows(">>> lengt")
    shell.press("up")
    shell.wait("abab'")
    assert shell.enter("; len(lengthy)").endswith("\n600")


def test_an_editor_of_ones_own(tmp_path):
    editor = tmp_path / "editor"
    editor.write_text(f"#!{sys.executable}\nimport sys\nopen(sys.argv[1], 'a').write(' + 41\\n')\n")
    editor.chmod(0o755)
    with Terminal(EDITOR=str(editor), VISUAL=str(editor)) as shell:
        shell.ready().type("1")
        shell.press("^X", "^E")
        shell.wait("\n42\n")
        assert ">>> 1 + 41" in shell.screen.text()


def test_what_an_editor_has_changed_is_shown_and_recalled(tmp_path):
    editor = tmp_path / "editor"
    editor.write_text(
        f"#!{sys.executable}\nimport sys\nopen(sys.argv[1], 'a').write('for i in range(2):\\n    print(i)\\n')\n"
    )
    editor.chmod(0o755)
    with Terminal(EDITOR=str(editor), VISUAL=str(editor)) as shell:
        assert shell.ready().enter("%edit") == "0\n1"
        assert "\n>>> for i in range(2):\n...     print(i)\n0\n1" in shell.screen.text()
        shell.press("up")
        shell.wait(lambda: shell.screen.text().count(">>> for i in range(2):") == 2)


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
