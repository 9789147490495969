"""Scripts whose graphs are drawn: the first comments of each say how."""

import io
import shlex
from pathlib import Path

from tensh.cli.app import main
from tensh.cli.process.environment import Environment

SCRIPTS = sorted(Path(__file__).parent.glob("*.tsh"))
PREFIX = "# tensh "


def commands(script):
    """The arguments of each command line in the first comments of a script."""
    lines = script.read_text(encoding="utf-8").splitlines()
    return [line.removeprefix(PREFIX) for line in lines if line.startswith(PREFIX)]


def output(script, command):
    """Return the output of a command line on stdout; it must succeed."""
    env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables={})
    words = [word.replace("FILE", str(script)) for word in shlex.split(command)]
    assert main(words, env) == 0, env.stderr.getvalue()
    return env.stdout.getvalue().replace(str(script), "FILE")


def expected(script):
    """Where the recorded text of a script is."""
    return script.with_suffix(".txt")


def transcript(script):
    """All commands of a script with their outputs."""
    return "\n".join(f"$ tensh {command}\n{output(script, command)}" for command in commands(script))
