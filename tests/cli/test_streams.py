"""Streams that are full, closed or unread: the promises of every command, a row of a table each.

The result goes to standard output. If that cannot be written, one line on standard error says so and the status is 74;
if its reader has gone away, nothing is said and the status is 141. Standard error that cannot be written changes nothing,
nor does standard input that cannot be read, for those who do not read it.
"""

import json
import os
import shutil
import subprocess
import sys

import pytest

if os.name == "nt" or not os.path.exists("/dev/full"):
    pytest.skip("a device that is full is Linux's", allow_module_level=True)

from tensh.cli.app import main
from tests.support.project import ROOT, plain_environment

# Command: (its status, whether it writes a result)
COMMANDS = {
    "--version": (0, True),
    "--help": (0, True),
    "run a.tsh": (0, True),
    "run a.tsh --json": (0, True),
    "run a.ipynb": (0, True),
    "run a.py": (0, True),
    "run quiet.tsh": (0, False),
    "run quiet.tsh --json": (0, True),
    "run fails.tsh": (1, False),
    "run fails.tsh --json": (1, True),
    "run warns.tsh": (0, True),
    "run nowhere.tsh": (2, False),
    "-c print(1)": (0, True),
    "-c 1+1": (0, True),
    "-c sum?": (0, True),
    "-c x=1": (0, False),
    "check a.md": (3, True),
    "check nowhere.md": (2, False),
    "convert a.tsh b.md --force": (0, False),
    "graph b.tsh": (0, True),
    "graph b.tsh --format json": (0, True),
    "graph b.tsh --why w": (0, True),
    "doc relu": (0, True),
    "doc nothing.of.this": (2, False),
    "api fft": (0, True),
    "env": (0, True),
    "config": (0, True),
    "config path": (0, True),
    "--show-completion": (0, True),
    "open a.tsh": (2, False),
    "learn": (0, True),
    "learn lesson.md": (0, True),
    "learn lesson.md --json": (0, True),
    "learn --answers answers.txt": (0, True),
    "learn --answers answers.txt --json": (0, True),
    "learn nowhere.md": (2, False),
    "alias": (2, False),
    "exec": (2, False),
    "kernel --help": (0, True),
    "nonsense": (2, False),
}
FILES = {
    "a.tsh": "w = torch.ones(2, requires_grad=True)\ny = (w * 2).sum()\ny.backward()\nprint(y)\ny\n",
    "b.tsh": "w = torch.ones(2, requires_grad=True)\ny = (w * 2).sum()\ny.backward()\n",
    "lesson.md": "# T\n\n```python\nx = torch.ones(2)\nx  #? shape\n```\n",
    "answers.txt": "lesson: lesson.md\n1: (2,)\n",
    "a.py": "import torch\nprint(torch.ones(2))\n",
    "a.ipynb": '{"cells": [{"cell_type": "code", "source": "1", "metadata": {}, "outputs": [], "execution_count": null}],'
    ' "metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
    "a.md": "```python\n1 + 1\n```\n```text\n3\n```\n",
    "quiet.tsh": "x = 1\n",
    "fails.tsh": "1 / 0\n",
    "warns.tsh": "import warnings\nwarnings.warn('well')\n1\n",
}
SAID = "tensh: stdout cannot be written: {}\n"
WORDS = {"full": "No space left on device", "closed": "Bad file descriptor"}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """(status, stdout, stderr) of a command with streams that have faults, in a folder with the files."""
    folder = tmp_path_factory.mktemp("streams")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    environment = plain_environment() | {"TENSH_CONFIG": "none"}
    command = [sys.executable, "-m", "tests.support.stream_server", folder]
    # which stays the parent of the server: completions are for the shell among the parents
    if shell := shutil.which("bash"):
        command = [shell, "-c", '"$@"; exit $?', "bash", *command]
    with subprocess.Popen(command, env=environment, cwd=ROOT, text=True, stdin=-1, stdout=-1) as server:

        def ask(request):
            server.stdin.write(json.dumps(request) + "\n")
            server.stdin.flush()

        def run(arguments, stdin="", stdout="", stderr=""):
            ask([arguments, [stdin, stdout, stderr]])
            return int(server.stdout.readline()), (folder / "out").read_text(), (folder / "err").read_text()

        ask([line.split() for line in COMMANDS])
        run.folder = folder
        yield run


def test_completions_without_a_shell_are_refused(monkeypatch, capsys):
    shellingham = pytest.importorskip("shellingham")

    def fail():
        raise shellingham.ShellDetectionFailure

    for found, words in (fail, "no shell started"), (lambda: ("csh", "/bin/csh"), "this shell is csh"):
        monkeypatch.setattr(shellingham, "detect_shell", found)
        assert main(["--show-completion"]) == 2
        assert words in capsys.readouterr().err


@pytest.mark.thorough
@pytest.mark.parametrize("line", COMMANDS)
def test_what_a_command_promises(line, run):
    arguments, (status, writes) = line.split(), COMMANDS[line]
    usual = run(arguments)
    assert usual[0] == status and bool(usual[1]) == writes
    for fault in ("full", "closed"):
        found = run(arguments, stdout=fault)
        if writes:
            assert found[0] == 74 and found[2].endswith(SAID.format(WORDS[fault]))
            assert "Traceback" not in found[2] and found[2].count("\n") <= usual[2].count("\n") + 1
        else:
            assert (found[0], found[2]) == (usual[0], usual[2])
    found = run(arguments, stdout="unread")
    assert found[0] == (141 if writes else status) and (found[2] in usual[2])
    assert without_times(run(arguments, stderr="full")[:2]) == without_times(usual[:2])
    assert without_times(run(arguments, stdin="closed")) == without_times(usual)
    assert run(arguments, "closed", "closed", "closed")[0] == (74 if writes else status)


def without_times(found):
    """A status and texts, without the lines that differ from run to run."""
    status, *texts = found
    return status, *("".join(c for c in line if not c.isdigit()) for text in texts for line in text.splitlines()
                     if " s" not in line and "seconds" not in line and "stdin" not in line and "stderr" not in line)  # fmt: skip


@pytest.mark.thorough
def test_standard_input_that_cannot_be_read(run):
    assert run(["-"], stdin="closed") == (2, "", "stdin: Bad file descriptor\n")
    assert run([], stdin="closed") == (2, "", "stdin: Bad file descriptor\n")
    status, out, err = run(["-c", "input()"], stdin="closed")
    assert status == 1 and "OSError: [Errno 9] Bad file descriptor" in err and "Traceback" not in err


@pytest.mark.parametrize("fault", ["closed", "unread"])
def test_standard_error_that_cannot_be_written(fault, run):
    assert run(["run", "warns.tsh"], stderr=fault)[:2] == (0, "1\n")
    assert run(["-c", "1 / 0"], stderr=fault)[:2] == (1, "")


def test_a_file_does_not_take_the_place_of_a_closed_stream(run):
    code = "f = open('b.txt', 'w')\nprint('not for the file')\n_ = f.write('text'); f.close()"
    for name in ("stdin", "stdout", "stderr"):
        run(["-c", code], **{name: "closed"})
        assert (run.folder / "b.txt").read_text() == "text"


def test_the_program_of_the_user_does_not_go_on_when_nobody_reads(run):
    code = "import os\nfor n in range(10**9):\n    print('x' * 10**4)"
    assert run(["-c", code], stdout="unread") == (141, "", "")
    assert run(["-c", code], stdout="full") == (74, "", SAID.format(WORDS["full"]))


@pytest.mark.parametrize("more, status", [("1", 74), ("x = 1", 0), ("print(1)", 1)])
def test_the_program_of_the_user_closes_the_stream(more, status, run):
    found = run(["-c", f"import sys\nsys.stdout.close()\n{more}"])
    assert found[0] == status and found[1] == ""
    assert (found[2] == SAID.format("the program has closed it")) == (status == 74)
    assert "bug in tensh" not in found[2]
    assert run(["-c", f"import sys\nsys.stderr.close()\n1\n{more}\n1 / 0"])[0] == 1


@pytest.mark.parametrize("redirected, status", [(">/dev/full", 74), (">&-", 74), ("| head -c 1 >/dev/null; exit ${PIPESTATUS[0]}", 141),
                                                ("2>&-", 0)])  # fmt: skip
def test_the_process_ends_as_it_should(redirected, status):
    code = 'print("x" * 10**6)' if "head" in redirected else "print(1)"
    line = f"{sys.executable} -m tensh -c '{code}' {redirected}"
    environment = plain_environment()
    environment.pop("PYTHONUNBUFFERED", None)
    done = subprocess.run(["bash", "-c", line], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == status
    assert done.stderr.count("\n") == (status == 74) and "Exception" not in done.stderr
