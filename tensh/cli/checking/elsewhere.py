"""Running a document under an installed PyTorch, in another process: `--against`."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile

import tensh
from tensh.cli.checking import running
from tensh.cli.checking.running import Piece, Result
from tensh.cli.documents import files
from tensh.cli.documents.model import Output
from tensh.cli.programs.options import Options, UsageError
from tensh.support.language import _


def results(against, path, options):
    """Return the result of each code cell under PyTorch: in this Python ("torch"), or in the one given."""
    python = sys.executable if against == "torch" else against
    if against == "torch" and importlib.util.find_spec("torch") is None:
        raise UsageError(_("tensh check: PyTorch is not installed here; --against PYTHON names a Python that has it"))
    folder = os.path.dirname(os.path.dirname(tensh.__file__))
    variables = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH")]))}
    with tempfile.TemporaryDirectory() as place:
        target = os.path.join(place, "results.json")
        command = [python, "-m", __name__, path, target, json.dumps(options._replace(engine="torch"))]
        try:
            done = subprocess.run(command, env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        except OSError as error:
            raise UsageError(
                _("tensh check: {python}: {strerror}").format(python=python, strerror=error.strerror)
            ) from None
        if not os.path.exists(target):
            reason = (
                done.stderr.strip().splitlines()
                or [_("it exited with status {returncode}").format(returncode=done.returncode)]
            )[-1]
            raise UsageError(_("{path}: failed to run on PyTorch: {reason}").format(path=path, reason=reason))
        with open(target, encoding="utf-8") as file:
            return [read(each) for each in json.load(file)]


def read(found):
    """Restore a result from JSON."""
    pieces = tuple(Piece(Output(kind, text), line) for kind, text, line in found["pieces"])
    return Result(pieces, None, found["chance"], found["passed_over"], found["values"])


def write_result(result):
    """Return a result as JSON."""
    pieces = [(piece.output.kind, piece.output.text, piece.line) for piece in result.pieces]
    return {
        "pieces": pieces, "chance": result.chance, "passed_over": result.passed_over, "values": result.values
    }  # fmt: skip


def main(path, target, options):
    """Run a document and write its results to a file, atomically."""
    found, _ = running.results(files.load(path), path, Options(*json.loads(options)), with_values=True)
    text = json.dumps([write_result(result) for result in found])
    with open(target, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
