"""`tensh run --watch`: a saved program runs again. Nothing waits: each check of the files is the next step of a story."""

import gc
import os
import re
import sys

import pytest

from tensh.cli.process.environment import Environment
from tensh.cli.programs.options import Options
from tensh.cli.programs.watch import Watch
from tests.support.command_line import Done, Stream, notebook


class Told:
    """A watched file, and changes to the files between the checks; ^C at the end."""

    now = 1e10  # after all that is written: no file was saved while it was read

    def __init__(self, name, *steps, **options):
        self.steps = [*steps]
        env = Environment(Stream(), Stream(), Stream(), variables={})
        watch = Watch(env, Options(**options), name, pause=self.pause, clock=lambda: self.now)
        modules, path, bytecode = {*sys.modules}, sys.path[:], sys.dont_write_bytecode
        with env.install():
            self.status = watch.run_all()
        assert (sys.path, sys.dont_write_bytecode) == (path, bytecode)
        assert not {"helper", "package", "package.part"} & ({*sys.modules} - modules)
        self.output, self.errors = env.stdout.getvalue(), re.sub(r"\[..:..:..\]", "[time]", env.stderr.getvalue())

    def pause(self, seconds):
        if not self.steps:
            raise KeyboardInterrupt
        for name, text in self.steps.pop(0).items():
            save(name, text)


class Busy(Told):
    now = 0.0  # before all that is written


def save(name, text):
    """Write a file, or take it away."""
    if text is None:
        os.remove(name)
        return
    save.count += 1  # its time, which a coarse clock may not tell from that of the text before
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    os.utime(name, ns=(save.count * 10**9,) * 2)


@pytest.fixture(autouse=True)
def frozen(monkeypatch):
    """Leave the objects of all tests out of the collection after each run: it took a second here, and a tenth alone."""
    monkeypatch.setattr(gc, "unfreeze", lambda: None)


save.count = 10**9
QUIET = {}  # a look at which nothing has changed


def test_it_runs_again_when_it_is_saved(script):
    name = script("1")
    told = Told(name, QUIET, {name: "2"}, QUIET, QUIET, QUIET, {name: "3"}, QUIET)
    assert (told.status, told.output) == (130, "1\n2\n3\n")
    assert told.errors == "[time] s.tsh\n" * 3


def test_it_runs_when_two_looks_find_the_same(script):
    name = script("1")
    told = Told(name, {name: "print("}, {name: "print(2"}, {name: "print(2)"}, QUIET)
    assert told.output == "1\n2\n" and "SyntaxError" not in told.errors


def test_a_module_that_it_imports_is_a_part_of_it(script):
    script("value = 1", "helper.py")
    os.mkdir("package")  # without an __init__.py
    script("value = 10", "package/part.py")
    name = script("import helper\nfrom package import part\nhelper.value + part.value")
    told = Told(name, {"helper.py": "value = 2"}, QUIET, {"package/part.py": "value = 20"}, QUIET)
    assert told.output == "11\n12\n22\n"
    assert told.errors == "[time] s.tsh\n[time] s.tsh, helper.py was saved\n[time] s.tsh, part.py was saved\n"
    assert not os.path.exists("__pycache__")


BROKEN = {
    "value = (": "SyntaxError: '(' was never closed",
    "1 / 0": "ZeroDivisionError: division by zero",
    None: "ModuleNotFoundError: No module named 'helper'",
}


@pytest.mark.parametrize("text, message", BROKEN.items(), ids=str)
def test_a_module_that_cannot_be_imported_is_watched_too(script, text, message):
    if text:
        script(text, "helper.py")
    told = Told(script("import helper\nhelper.value"), {"helper.py": "value = 2"}, QUIET)
    assert told.output == "2\n" and told.errors.count(message) == 1


def test_a_file_that_is_gone_is_waited_for(script):
    name = script("1")
    told = Told(name, {name: None}, QUIET, QUIET, {name: "2"}, QUIET)
    assert told.output == "1\n2\n" and told.errors.count("s.tsh was removed: waiting for it\n") == 1


def test_a_failure_is_no_reason_to_stop(script):
    name = script("1 / 0")
    told = Told(name, {name: "import sys; sys.exit(5)"}, QUIET, {name: "3"}, QUIET)
    assert told.output == "3\n" and told.errors.count("ZeroDivisionError") == 1


def test_what_cannot_be_run_is_said(script):
    name = script(notebook("1"), "n.ipynb")
    told = Told(name, {name: "{"}, QUIET, {name: notebook("2", "3")}, QUIET)
    assert told.output == "1\n2\n3\n" and "n.ipynb: this is not a notebook: " in told.errors
    assert Done("run", "--watch", "nowhere.tsh").status == 2


def test_interruption_of_the_code_ends_it_too(script):
    told = Told(script("raise KeyboardInterrupt"), QUIET)
    assert (told.status, told.steps) == (130, [QUIET])


def test_each_run_finds_the_world_as_it_was(script):
    text = "import os\ntorch.get_default_dtype(), os.getcwd() == os.path.dirname(__file__)\n"
    text += "torch.set_default_dtype(torch.float64); os.chdir('/')\nname = 1  #"
    told = Told(script(text), {"s.tsh": text + "."}, QUIET)
    assert told.output == "(torch.float32, True)\n" * 2 and "Error" not in told.errors


def test_with_other_options(script):
    name = script("x = 1\nx")
    told = Told(name, {name: "x = 2\nx"}, QUIET, quiet=True, settings=["x=3"])
    assert (told.output, told.errors) == ("3\n3\n", "")
    assert Told(name, json=True).output.count('"kind":"end"') == 1


def test_what_does_not_go_together(script):
    name = script("1")
    assert Done("run", "--watch", "-i", name) == (
        2, "", "--watch cannot be combined with -i\n"
    )  # fmt: skip
    assert Done("run", "--watch", "-").status == 2


def test_what_is_saved_while_it_runs_runs_again(script):
    script("value = 1", "helper.py")
    saving = "import helper\nhelper.value\nif helper.value == 1:\n    open('helper.py', 'w').write('value = 22')"
    assert Busy(script(saving), QUIET, QUIET, QUIET).output == "1\n22\n"
