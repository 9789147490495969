"""Scripts that make a mistake each, and what is said of it."""

import contextlib
import io
import tempfile
from pathlib import Path

from tensh.cli.app import main
from tensh.cli.process.environment import Environment
from tensh.engine.errors import warnings
from tests.support.project import ROOT

SCRIPTS = sorted(Path(__file__).parent.glob("*.tsh"))


def explain(script, language="en"):
    """(status, what is written to stderr) when a script runs in a new folder, without the folder that tensh lies in."""
    warnings.said.clear()  # what earlier scripts were told once
    variables = {"TENSH_LANGUAGE": language}
    env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables=variables)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):  # some scripts write files
        status = main(["run", str(script)], env)
    return status, env.stderr.getvalue().replace(str(script), script.name).replace(f"{ROOT}/", "")


def expected(script):
    """Where the recorded text of a script is."""
    return script.with_suffix(".txt")
