"""`%predict` asks first, then shows; without an answer it only shows."""

import pytest

from tests.support.command_line import Done
from tests.support.terminal import Terminal


@pytest.mark.parametrize("argument", ["x.sum(0)", "x.sum(0)  #? value", "x.sum(0) #? dtype"])
def test_where_nobody_answers_it_shows(argument):
    done = Done("-c", f"x = torch.ones(2, 3)\n%predict {argument}")
    assert done == (0, "tensor([2., 2., 2.])\n", "")


def test_what_is_printed_is_printed_once():
    assert Done("-c", "def f(): print('once'); return 3\n%predict f()").output == "once\n3\n"


@pytest.mark.parametrize("argument", ["", "x = 3", "1; 2", "1 #? colour", "'text' #? shape"])
def test_what_cannot_be_asked(argument):
    done = Done("-c", f"%predict {argument}")
    assert done.status == 1 and "%predict" in done.errors


def test_a_failure_is_shown_as_usual():
    done = Done("-c", "%predict torch.ones(2) + torch.ones(3)")
    assert done.status == 1 and "must match" in done.errors


@pytest.mark.parametrize("options", [["--plain"], []])
def test_it_asks_hints_and_counts(options):
    with Terminal(*options, LANG="C") as terminal:
        terminal.ready()
        terminal.enter("x = torch.ones(2, 3)")
        terminal.type("%predict x.sum(0)\r")
        terminal.wait("shape of x.sum(0)?")
        terminal.type("(2, 3)\r")
        terminal.wait("not yet: one dimension too many")
        terminal.type("3\r")
        terminal.wait("right; 0 of 1")
        terminal.ready()
        terminal.type("%predict x + torch.ones(5)\r")
        terminal.wait("shape of x + torch.ones(5)?")
        terminal.type("size\r")
        terminal.wait("right; 1 of 2")
        terminal.ready()
        terminal.type("%predict x.mean()  #? value\r")
        terminal.wait("value of x.mean()?")
        terminal.press("^C")
        terminal.ready()


@pytest.mark.thorough
@pytest.mark.parametrize("word", ["", "skip", "quit", "exit"])
def test_nobody_has_to_answer(word):
    with Terminal(LANG="C") as terminal:
        terminal.ready()
        terminal.type("%predict torch.ones(2, 3).sum(0)\r")
        terminal.wait("shape of torch.ones(2, 3).sum(0)?")
        terminal.type("which one\r")
        terminal.wait("Enter alone shows the result")
        terminal.type(f"{word}\r")
        terminal.wait("tensor([2., 2., 2.])")
