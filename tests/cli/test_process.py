"""The command line as a separate process: imports at start, signals, pipes."""

import os
import signal
import subprocess
import sys
import time

import pytest

from tensh.cli.process import signals
from tensh.cli.repl.interrupt import Interrupts
from tests.support.command_line import HEAVY
from tests.support.project import ROOT, plain_environment

# What is asked for: what must not be imported for it. The sets do not depend on the machine, as times do.
SELDOM = set(  # what only a failure, a command, a training or a file of tensors needs
    "zipfile pathlib shutil tempfile tensh.explain tensh.cli.session.magics tensh.cli.session.notes.training".split()
)
STARTS = {
    ("--version",): {*HEAVY, "typer", "numpy"},
    ("--help",): {*HEAVY, "numpy", "tensh.cli.session"},
    ("env",): HEAVY,
    ("-c", "1 + 1"): {*HEAVY, "typer"},
    ("-c", "1 + 1", "--seed", "0"): HEAVY,
    ("-c", "1 + 1", "--quiet"): HEAVY,
    ("-c", "torch.ones(2)", "--json"): HEAVY,
    ("-c", "torch.tensor([1., 2.], requires_grad=True) * 2"): HEAVY | SELDOM,
    ("run", "scripts/tensors.tsh"): {*HEAVY, "typer"},
    ("run", "scripts/tensors.tsh", "--echo", "none"): HEAVY,
    ("run", "nowhere.tsh"): {*HEAVY, "numpy"},
}

RUN_AND_LIST = """
import sys
from tensh.cli.app import main
{before}
status = main({arguments!r})
print(*sys.modules, file=sys.stderr)
"""
ON_A_TERMINAL = "sys.stdout.isatty = sys.stderr.isatty = lambda: True"


def imported(*arguments, before="", **environment):
    """The modules that are loaded after `tensh ARGUMENTS` has run."""
    code = RUN_AND_LIST.format(arguments=list(arguments), before=before)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=plain_environment() | environment, stdin=subprocess.DEVNULL,
        capture_output=True, encoding="utf-8", timeout=120,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("arguments, heavy", STARTS.items(), ids=map(" ".join, STARTS))
def test_a_start_imports_no_more_than_it_needs(arguments, heavy):
    assert not imported(*arguments) & heavy


def test_a_run_on_a_terminal_imports_no_editor():
    found = imported("-c", "torch.ones(2)", before=ON_A_TERMINAL)
    assert not found & {"pygments", "prompt_toolkit", "asyncio", "pydantic"}


def test_help_on_a_terminal_is_drawn_by_rich_without_numpy():
    found = imported("--help", before=ON_A_TERMINAL, TERM="xterm")
    assert "rich.console" in found and not found & {"numpy", "prompt_toolkit"}


COMPLETED = {
    "tensh r": ["run"],
    "tensh doc torch.fft.irf": ["torch.fft.irfft", "torch.fft.irfft2", "torch.fft.irfftn"],
    "tensh api linalg.lu_": ["linalg.lu_factor", "linalg.lu_factor_ex", "linalg.lu_solve"],
}


@pytest.mark.parametrize("words", COMPLETED)
def test_completion_imports_no_numpy(words):
    code = "import sys; from tensh.cli.app import main\ntry: main([])\nfinally: print(*sys.modules, file=sys.stderr)"
    asked = {"_TENSH_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    done = subprocess.run(
        [sys.executable, "-c", code], env=plain_environment() | asked, capture_output=True, encoding="utf-8", timeout=60
    )
    assert done.stdout.split() == COMPLETED[words]
    assert not set(done.stderr.split()) & {"numpy", "rich.console", "prompt_toolkit"}


def started(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "tensh", *arguments], env=plain_environment(), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, encoding="utf-8", **options,
    )  # fmt: skip


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
@pytest.mark.parametrize("busy", ["import time; time.sleep(10)", "while True: x = 0"])
def test_control_c_ends_cleanly(busy):
    # between blocks there is no line to name
    process = started("-c", f"if True:\n  print('ready', flush=True)\n  {busy}")
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output) == (130, "")
    assert errors.startswith("-c:") and errors.endswith(": interrupted\n") and errors.count("\n") == 1


BEGINNINGS = {  # how a process begins, and the module during whose import ^C arrives
    "module": ("import runpy; runpy.run_module('tensh', run_name='__main__')", "tensh.cli.start"),
    "module, later": ("import runpy; runpy.run_module('tensh', run_name='__main__')", "tensh.cli.app"),
    "script": ("from tensh.cli.start import main; import antigravity; main()", "antigravity"),
    "script, later": ("from tensh.cli.start import main; main()", "tensh.cli.app"),
}
INTERRUPTING = """
import _signal, sys
_signal.signal(_signal.SIGINT, _signal.{handler})
class Finder:
    def find_spec(name, path, target=None):
        if name == {module!r}:
            print("loading", flush=True)
            _signal.raise_signal(_signal.SIGINT)
            if name == "antigravity":
                raise SystemExit(3)
sys.meta_path.insert(0, Finder)
sys.argv[1:] = ["--version"]
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
@pytest.mark.parametrize("how", BEGINNINGS)
@pytest.mark.parametrize("handler", ["default_int_handler", "SIG_IGN"])
def test_control_c_while_modules_are_loaded_is_silent(how, handler):
    code, module = BEGINNINGS[how]
    program = INTERRUPTING.format(handler=handler, module=module) + code
    done = subprocess.run([sys.executable, "-c", program], env=plain_environment(), capture_output=True, text=True)
    assert done.stdout.startswith("loading\n") and done.stderr == ""
    if handler == "SIG_IGN":  # a program in the background goes on
        assert done.returncode == (3 if module == "antigravity" else 0)
    else:
        assert done.returncode == -signal.SIGINT  # a shell says 130


COMMAND = "sys.argv[1:] = ['-c', {!r}]; import runpy; runpy.run_module('tensh', run_name='__main__')"
LIBRARIES = {  # what loads a part of a library, and the part during whose import ^C arrives
    "numpy, in plain Python": ("import tensh; tensh.ones(1)", "numpy._core._exceptions"),
    "numpy": (COMMAND.format("import time; time.sleep(10)"), "numpy._core._exceptions"),
    "numpy.random": (COMMAND.format("torch.rand(1); import time; time.sleep(10)"), "numpy.random._pickle"),
    "ml_dtypes": (COMMAND.format("torch.ones(1).bfloat16(); import time; time.sleep(10)"), "ml_dtypes._finfo"),
}


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
@pytest.mark.parametrize("code, module", LIBRARIES.values(), ids=LIBRARIES)
def test_control_c_leaves_no_library_half_imported(code, module):
    program = INTERRUPTING.format(handler="default_int_handler", module=module)
    program += f"import atexit; atexit.register(lambda: print({module!r} in sys.modules))\n{code}"
    done = subprocess.run([sys.executable, "-c", program], env=plain_environment(), capture_output=True, text=True)
    assert done.stdout.split("\n")[0] == "loading" and done.stdout.split("\n")[-2] == "True", done.stderr
    assert "\nImportError" not in done.stderr
    assert done.returncode in (130, -signal.SIGINT)


MACHINERY = """
def at_work(calls):
    raise_signal(2)
    calls.append("whole")

def waiting(calls):
    raise_signal(2)
    while True:
        sleep(0.001)
"""


@pytest.mark.thorough
@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
@pytest.mark.parametrize("handle", [signals.interrupt, Interrupts(print).handle], ids=["a program", "the prompt"])
@pytest.mark.parametrize("name, expected", {"at_work": ["whole"], "waiting": []}.items())
def test_control_c_waits_for_the_machinery_of_imports(monkeypatch, name, expected, handle):
    """Its locks would stay locked; but a module that waits for long can be interrupted."""
    if hasattr(handle, "__self__"):
        monkeypatch.setattr(handle.__self__, "is_running", True)
    functions, calls = {"raise_signal": signal.raise_signal, "sleep": time.sleep}, []
    exec(compile(MACHINERY, "<frozen importlib._bootstrap>", "exec"), functions)
    before = signal.signal(signal.SIGINT, handle)
    try:
        with pytest.raises(KeyboardInterrupt):
            functions[name](calls)
            time.sleep(10)
    finally:
        signal.signal(signal.SIGINT, before)
    assert calls == expected


@pytest.mark.parametrize("text", ["for i in range(100000): print(i)", "list(range(100000))\n" * 9])
def test_a_broken_pipe_is_silent(text):
    process = started("-", stdin=subprocess.PIPE)
    process.stdin.write(text)
    process.stdin.close()
    process.stdout.read(1)
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(60) == 141


def test_a_broken_pipe_of_somebody_else_is_a_failure(tensh_command):
    done = tensh_command("-c", "import os\nr, w = os.pipe(); os.close(r)\nos.write(w, b'x')")
    assert done.returncode == 1 and "BrokenPipeError" in done.stderr


def test_results_and_remarks_have_streams_of_their_own(tensh_command):
    done = tensh_command("-c", "import sys\nprint('p')\n2\nprint('e', file=sys.stderr)\n1 / 0")
    assert (done.returncode, done.stdout) == (1, "p\n2\n")
    assert done.stderr.startswith("e\n-c:5: ZeroDivisionError")


def test_streams_in_one_file_keep_their_order(tmp_path):
    with open(tmp_path / "both", "w+") as file:
        code = "print(1)\nimport warnings; warnings.warn('w')\n3\n1 / 0"
        subprocess.run([sys.executable, "-m", "tensh", "-c", code], env=plain_environment(), stdout=file, stderr=file)
        file.seek(0)
        lines = file.read().splitlines()
    assert lines[0] == "1" and "UserWarning" in lines[1] and lines[3] == "3" and "ZeroDivisionError" in lines[4]


def test_a_script_may_be_a_program(tmp_path):
    (tmp_path / "program").write_text("#!/usr/bin/env -S tensh run\n1 + 1\n")
    done = subprocess.run(
        [sys.executable, "-m", "tensh", "run", "program"], cwd=tmp_path, env=plain_environment(), capture_output=True
    )
    assert (done.returncode, done.stdout.split()) == (0, [b"2"])


@pytest.mark.thorough
def test_what_a_stream_cannot_show_is_no_failure(tensh_command):
    done = tensh_command("-c", "print('损失')\n'损失'\nnowhere # 损失", PYTHONIOENCODING="ascii")
    assert done.stdout == "\\u635f\\u5931\n'\\u635f\\u5931'\n"
    assert done.returncode == 1 and "NameError" in done.stderr


def test_threads_of_a_script_may_end_after_it(tensh_command):
    code = "import threading, time\ndef work():\n    time.sleep(0.3)\n    import torch.nn\n    print('done')\n"
    done = tensh_command("-c", code + "threading.Thread(target=work).start()")
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
