"""One session, converted through all kinds of files, and a description of the differences afterwards."""

import io
import os
import sys

from tensh.cli.process import status
from tensh.cli.process.environment import Environment
from tensh.cli.programs import program
from tensh.cli.programs.isolation import fresh_world
from tensh.cli.programs.options import Options
from tensh.cli.programs.run import Run
from tensh.cli.session.session import Session
from tensh.cli.session.sources.source import Source
from tests.fuzz.round_trips.grammar import Typist
from tests.support.command_line import Done

KINDS = (".tsh", ".py", ".ipynb", ".md")


def values(session):
    """The user's names and values, with gradients, as text that can be compared between runs."""
    found = {}
    for name, value in session.own_names().items():
        text = f"a {type(value).__name__}" if callable(value) else repr(value)
        found[name] = f"{text} grad {value.grad!r}" if getattr(value, "is_leaf", False) else text
    return {name: text for name, text in found.items() if name != "error"}


def typed(blocks, folder):
    """Type blocks at a session and export it into a file of each kind; return the values at the end, and the failures."""
    import tensh

    session, wrong = Session(), []
    os.chdir(folder)
    with fresh_world("tensh"):
        before = tensh.get_printoptions()
        try:
            sys.modules["__main__"], main = session.module, sys.modules["__main__"]
            stdout, sys.stdout = sys.stdout, io.StringIO()
            session.preload()
            session.remember()
            session.note_places()
            for number, block in enumerate([*blocks, *(f"%export trip{kind}" for kind in KINDS)], 1):
                for event in session.run(Source(block, f"<input {number}>")):
                    failure = getattr(event, "failure", None)
                    if failure and block.startswith("%export"):
                        wrong.append(f"{block}: {failure.message}")
            return values(session), wrong
        finally:
            sys.stdout, sys.modules["__main__"] = stdout, main
            session.close()
            tensh.set_printoptions(**before)


def ran(path):
    """The values after a file has run, or its error."""
    env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables={}, color="never")
    with fresh_world("tensh"), env.install():
        run = Run(env, Options(quiet=True), program.from_file(path))
        done = run.run_all()
        return values(run.session) if done == status.OK else f"status {done}: {env.stderr.getvalue()}"


def ways(folder):
    """The files: what was exported, and each converted into all others one after another and back."""
    for kind in KINDS:
        path = os.path.join(folder, f"trip{kind}")
        yield path, True
        place = KINDS.index(kind)
        for step in range(1, len(KINDS) + 1):
            other = KINDS[(place + step) % len(KINDS)]
            target = os.path.join(folder, f"from{kind[1:]}{step}{other}")
            done = Done("convert", path, target)
            if done.status:
                yield f"{path} -> {target}: {done.errors}", False
                return
            path = target
            yield path, True


def findings(seed, folder):
    """Return sentences about what is wrong with the session of a seed, if anything."""
    blocks = Typist(seed).session()
    expected, wrong = typed(blocks, folder)
    if wrong:
        return wrong
    for path, is_there in ways(folder):
        if not is_there:
            wrong.append(path)
            break
        checked = Done("check", path)
        if checked.status:
            wrong.append(f"check {os.path.basename(path)}: {checked.output}{checked.errors}")
        is_script = path.endswith(".py") and not path.endswith("trip.py")
        found = expected if is_script else ran(path)  # commands are not Python and become comments
        if found != expected:
            wrong.append(f"run {os.path.basename(path)}: {difference(expected, found)}")
    return wrong


def difference(expected, found):
    """The names whose values differ."""
    if isinstance(found, str):
        return found
    names = [name for name in {**expected, **found} if expected.get(name) != found.get(name)]
    if not names:
        return "the order of names"
    return "; ".join(f"{name} was {expected.get(name)} and is {found.get(name)}" for name in names)
