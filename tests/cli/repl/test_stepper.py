"""`%step` at the prompt: a backward pass, step by step with the arrow keys."""

import os

import pytest

if os.name == "nt":
    pytest.skip("a pseudo-terminal is POSIX's", allow_module_level=True)

from types import SimpleNamespace

from prompt_toolkit.keys import Keys

import tensh
from tensh import show
from tensh.cli.repl.stepper import keys
from tests.support.terminal import Terminal

BEFORE = """
step 0 of 3   right: next   left: back   q: quit
   y  1
   b
   a
   w
   x
"""
LAST = """
step 3 of 3   right: next   left: back   q: quit
   y  1
   b  3
-> a  2
   w  3 + 2 = 5   <- g
   x  2   <- g
"""


def join_lines(lines):
    return "\n" + "".join("".join(text for _, text in line).rstrip() + "\n" for line in lines)


def test_pictures_of_a_backward_pass():
    x, w = (tensh.tensor(value, requires_grad=True) for value in (2.0, 1.0))
    a, b = x + w, w + 1
    y = a * b
    view = show.steps(y, {"x": x, "w": w, "a": a, "b": b, "y": y})
    assert len(view) == 3
    assert join_lines(view.picture(0)) == BEFORE
    assert join_lines(view.picture(3)) == LAST


def test_a_picture_fits_into_a_narrow_window():
    x = tensh.tensor([1.0, 2.0, 3.0], requires_grad=True)
    doubled_and_summed = (x * 2).exp().sum()
    view = show.steps(doubled_and_summed, {"x": x, "doubled_and_summed": doubled_and_summed})
    for columns in (30, 40):
        lines = ["".join(text for _kind, text in line) for line in view.picture(2, columns)]
        assert max(map(len, lines)) <= columns
        keys = ["right: next   left: back   q: quit"] if columns == 40 else ["right: next", "left: back", "q: quit"]
        assert lines[: 1 + len(keys)] == ["step 2 of 3", *keys]
        assert "      <- " in "\n".join(lines)  # a formula goes below its operand
    assert len([*view.picture(2, 200)]) == len([*view.picture(2)])


def test_a_picture_of_a_long_chain_stays_small():
    x = tensh.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(500):
        y = y * 2
    view = show.steps(y, {"x": x, "y": y})
    for done in (0, 1, 250, 500):
        lines = list(view.picture(done))
        assert len(lines) < 30
        assert sum(line[0][1].startswith("->") for line in lines) == (1 if done else 0)


def test_arrow_keys_go_forwards_and_back():
    with Terminal() as shell:
        shell.ready()
        for line in ("x = torch.tensor(2., requires_grad=True)", "w = torch.tensor(1., requires_grad=True)"):
            shell.enter(line)
        shell.enter("y = (x + w) * (w + 1)")
        shell.type("%step\r")
        shell.wait("step 0 of 3")
        for number in (1, 2, 3):
            shell.press("right")
            shell.wait(f"step {number} of 3")
        shell.wait("3 + 2 = 5")
        shell.press("left")
        shell.wait("step 2 of 3")
        shell.type("q")
        shell.ready()
        assert shell.enter("x.grad, w.grad") == "(None, None)"  # looking changes nothing


def test_control_z_suspends_the_program():
    done = []
    (binding,) = [each for each in keys([0], 3).bindings if each.keys == (Keys.ControlZ,)]
    binding.handler(SimpleNamespace(app=SimpleNamespace(suspend_to_background=lambda: done.append(True))))
    assert done == [True]
