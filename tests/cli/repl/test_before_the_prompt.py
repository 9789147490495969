"""Scripts, opened files and start-up files that run before the prompt, and how a prompt ends."""

import os
import sys

import pytest

if os.name == "nt":
    pytest.skip("a pseudo-terminal is POSIX's", allow_module_level=True)

from tests.support.project import plain_environment
from tests.support.terminal import Terminal


def test_a_file_is_run_before_the_first_prompt(tmp_path):
    file = tmp_path / "mine.tsh"
    file.write_text("x = torch.ones(2)\nx + 1\n1 / 0\nafter = 5\n")
    for options in ([], ["--plain"]):
        with Terminal(*options, columns=200, TENSH_STARTUP=str(file)) as shell:
            shell.ready()
            assert "tensor([2., 2.])" in shell.screen.text() and "ZeroDivisionError" in shell.screen.text()
            assert shell.enter("after") == "5"
    with Terminal(columns=200, TENSH_STARTUP=str(tmp_path / "nowhere.tsh")) as shell:
        assert "no such file" in shell.ready().screen.text()
    file.write_text("after = 1\nraise SystemExit")
    with Terminal(columns=200, TENSH_STARTUP=str(file)) as shell:
        assert "it did not run to its end" in shell.ready().screen.text()
        assert shell.enter("after") == "1"


@pytest.mark.thorough
def test_without_a_terminal_there_is_no_prompt(tensh_command):
    done = tensh_command(stdin="1 + 1\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, "2\n", "")
    for arguments in (["open", "x.tsh"], ["run", "-i", "x.tsh"]):
        done = tensh_command(*arguments)
        assert (done.returncode, done.stdout) == (2, "") and "terminal" in done.stderr
    with Terminal(program=("-c", "import subprocess, sys; sys.exit(subprocess.run([sys.executable, '-m', 'tensh'], stdout=-1).returncode)")) as shell:  # fmt: skip
        assert shell.end() == 2 and "terminal" in shell.screen.text()


@pytest.mark.thorough
@pytest.mark.parametrize("typed, status", [("exit\r", 0), ("\x04", 0), ("import sys; sys.exit(3)\r", 3)])
def test_status_after_each_way_to_end(typed, status):
    with Terminal() as shell:
        shell.ready().type(typed)
        assert shell.end() == status
    assert "Traceback" not in shell.raw


def test_a_script_that_stays(tmp_path):
    (tmp_path / "s.tsh").write_text("x = torch.ones(2)\nx + 1\ndef f():\n    return missing\nf()\nnever = 1\n")
    with Terminal("run", "-i", "s.tsh", cwd=tmp_path) as shell:
        shell.ready()
        assert "tensor([2., 2.])" in shell.screen.text() and "NameError" in shell.screen.text()
        assert shell.enter("x") == "tensor([1., 1.])"
        assert shell.enter("missing = 5; f()") == "5"
        assert shell.enter("'never' in globals(), __file__[-5:]") == "(False, 's.tsh')"


@pytest.mark.thorough
def test_the_prompt_opens_where_the_script_failed(tmp_path):
    text = "W = torch.ones(3, 2)\ndef layer(a):\n    h = a * 2\n    return h @ W\n\nprint('once')\nlayer(torch.ones(2, 2))\n"
    (tmp_path / "s.tsh").write_text(text)
    with Terminal("run", "-i", "s.tsh", cwd=tmp_path, columns=100) as shell:
        shell.ready()
        assert "in the frame of layer, s.tsh:4; the names of the file are available, too" in shell.screen.text()
        assert shell.enter("h.sum() + W.sum()") == "tensor(14.)"
        assert shell.enter("W = torch.ones(2, 1); layer(h)") == "tensor([[8.],\n        [8.]])"
        assert shell.screen.text().count("once") == 1
        shell.press("^D")
        assert shell.end() == 1


def test_the_prompt_opens_where_the_script_was_stopped(tmp_path):
    (tmp_path / "s.tsh").write_text(
        "def train():\n    for n in range(10**9):\n        n == 9 and print('busy')\ntrain()\n"
    )
    with Terminal("run", "-i", "s.tsh", "--quiet", cwd=tmp_path) as shell:
        shell.wait("busy")
        shell.press("^C")
        shell.ready()
        assert shell.enter("n > 8") == "True" and "in the frame" not in shell.screen.text()
        shell.press("^D")
        assert shell.end() == 130


def test_files_that_are_opened(tmp_path):
    import numpy as np

    np.save(tmp_path / "a-matrix.npy", np.arange(6.0).reshape(2, 3))
    np.savez(tmp_path / "more.npz", w=np.float32([1, 2]), words=np.array(["a", "b"]))
    (tmp_path / "s.tsh").write_text("total = a_matrix.sum()\ntotal\n")
    with Terminal("open", "a-matrix.npy", "more.npz", "s.tsh", "--seed", "0", cwd=tmp_path, columns=120) as shell:
        shell.ready()
        assert "tensor(15., dtype=torch.float64)" in shell.screen.text()
        assert "w [2] float32" in shell.screen.text()
        assert (
            shell.enter("a_matrix[0, 0] = 7") == ""
            and shell.enter("w.tolist(), list(words)[0] == 'a'") == "([1.0, 2.0], True)"
        )
        assert shell.enter("torch.rand(1)") == "tensor([0.4963])"
        shell.enter("%save kept.safetensors")
    with Terminal("open", "kept.safetensors", cwd=tmp_path) as shell:
        assert shell.ready().enter("w + total") == "tensor([16., 17.])"
    assert np.load(tmp_path / "a-matrix.npy")[0, 0] == 0


@pytest.mark.parametrize(
    "file, words",
    [("x.gguf", "cannot read .gguf files yet"), ("gone.npy", "no such file"), ("bad.npz", "bad.npz")],
)
def test_files_that_cannot_be_opened(tmp_path, file, words):
    (tmp_path / "bad.npz").write_text("no")
    with Terminal("open", file, cwd=tmp_path) as shell:
        assert shell.end() == 2 and words in shell.screen.text()


def test_completion_can_be_installed(tmp_path):
    import subprocess

    variables = plain_environment() | {"HOME": str(tmp_path)}
    code = (
        "import sys, shellingham; from tensh.cli.app import main\n"
        "shellingham.detect_shell = lambda *args: ('bash', '/bin/bash')\n"  # whoever has started the tests
        "try: main(['--install-completion'])\nfinally: print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=variables, capture_output=True, encoding="utf-8", timeout=60
    )
    assert "completion" in done.stdout and "tensh" in (tmp_path / ".bashrc").read_text()
    assert "numpy" not in done.stderr.split()
