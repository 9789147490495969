"""Exceptions of threads and destructors, and messages without an end: shown as other failures are, clean and short."""

import json
import os
import subprocess
import sys

import pytest

from tensh.show.drawing.text import LONGEST_MESSAGE
from tests.support.command_line import SGR, assert_clean, tensh
from tests.support.project import plain_environment

pytestmark = pytest.mark.thorough

BAD = "\x1b]0;title\x07\u202e"
RAISING = {  # where -> code that raises there, and the words for the place
    "thread": (f"import threading\nt = threading.Thread(target=lambda: int({BAD!r}), name={BAD!r}); t.start(); t.join()",
               "in thread \\x1b]0;title"),
    "bare thread": ("import _thread, time\ndef f():\n    try: int('\\x1b]')\n    finally: done.append(1)\ndone = []\n"
                    "_thread.start_new_thread(f, ()); z = [time.sleep(0.01) for _ in range(500) if not done]; time.sleep(0.05)",
                    "ignored in f"),
    "destructor": (f"class A:\n    def __del__(self): int({BAD!r})\na = A(); del a", "ignored in A.__del__"),
    "generator": (f"def g():\n    try: yield 1\n    finally: int({BAD!r})\na = g(); z = next(a); del a", "ignored in "),
    "weak reference": (f"import weakref\nclass A: pass\na = A()\nw = weakref.ref(a, lambda _: int({BAD!r})); del a",
                       "ignored in <lambda>"),
    "engine": ("import threading\nt = threading.Thread(target=lambda: torch.ones(2, 3) @ torch.ones(2)); t.start(); t.join()",
               "in thread Thread"),
}  # fmt: skip


@pytest.mark.parametrize("where", RAISING)
def test_what_cannot_be_raised_is_shown(where, tmp_path):
    code, words = RAISING[where]
    (tmp_path / "a.tsh").write_text(f"import torch\n{code}\nprint('goes on')\n")
    for options in ((), ("--color", "always"), ("--traceback", "full")):
        shown = tensh("run", tmp_path / "a.tsh", *options)
        assert_clean(shown)
        assert words in shown and "Error" in shown and "goes on" in shown
        if "full" not in options:
            assert "Traceback" not in shown and "tensh/engine" not in shown and "threading.py" not in shown
    records = [json.loads(line) for line in tensh("run", tmp_path / "a.tsh", "--json").splitlines()]
    found = next(each for each in records if each["kind"] == "unraised")
    assert found["line"] and found["type"].endswith("Error") and found["within"].startswith(words)
    assert records[-1]["kind"] == "end" and records[-1]["status"] == "ok"


def test_the_hooks_are_put_back():
    import threading

    before = threading.excepthook, sys.unraisablehook
    tensh("-c", "1")
    assert (threading.excepthook, sys.unraisablehook) == before


def run(code, *options):
    return subprocess.run(
        [sys.executable, "-m", "tensh", "-c", code, *options], env=plain_environment(), capture_output=True,
        encoding="utf-8", timeout=120,
    )  # fmt: skip


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_what_fails_after_the_end_is_shown_as_well(options):
    done = run("import atexit\ndef f(): int('\\x1b]')\nz = atexit.register(f)", *options)
    assert done.returncode == 0 and "ignored in f" in done.stderr and "Traceback" not in done.stderr
    assert_clean(done.stderr)


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
@pytest.mark.parametrize("options, status", [((), 130), (("--timeout", "0.2"), 124)])
def test_a_stop_in_a_destructor_comes_again(options, status):
    stop = "os.kill(os.getpid(), signal.SIGINT)" if not options else "z = [0 for _ in range(10**9)]"
    code = f"import os, signal\nclass A:\n    def __del__(self):\n        {stop}\na = A(); del a\nwhile True: pass"
    done = run(code, *options)
    assert done.returncode == status
    assert "Exception ignored" not in done.stderr and "ignored in" not in done.stderr


LONG = {
    "message": "raise ValueError('x' * 10**5)",
    "lines": "raise ValueError('x\\n' * 10**5)",
    "key": "{}['x' * 10**5]",
    "note": "error = ValueError()\nerror.add_note('x' * 10**5)\nraise error",
    "cause": "try: raise ValueError('x' * 10**5)\nexcept ValueError as e: raise KeyError from e",
    "name": "raise type('x' * 10**5, (Exception,), {})",
    "warning": "import warnings\nwarnings.warn('x' * 10**5)",
    "exit": "import sys\nsys.exit('x' * 10**5)",
    "attribute": "getattr(torch, 'x' * 10**5)",
    "syntax": f"x = = '{'x' * 10**5}'",
    "line": f"1 / 0  # {'x' * 10**5}",
    "literal": f"'{'x' * 10**5}'.nothing",
    "operand": f"torch.ones(2) + torch.ones(len('{'x' * 10**5}') // 10**5 * 3)",
    "call": f"def f(x): return 1 / 0\nf('{'x' * 10**5}')",
    "thread": "import threading\ndef f(): raise ValueError('x' * 10**5)\nt = threading.Thread(target=f); t.start(); t.join()",
}


@pytest.mark.parametrize("options", [(), ("--traceback", "full"), ("--json",), ("--color", "always")])
@pytest.mark.parametrize("what", LONG)
def test_a_message_does_not_flood_a_window(what, options, tmp_path):
    (tmp_path / "a.tsh").write_text(LONG[what])
    shown = tensh("run", tmp_path / "a.tsh", *options)
    assert 0 < len(SGR.sub("", shown)) < 5 * LONGEST_MESSAGE


def test_the_middle_of_a_message_is_left_out():
    shown = tensh("-c", "raise ValueError('a' + 'x' * 20_000 + 'z')")
    assert shown.startswith("-c:1: ValueError: axx") and "xxz\n" in shown
    assert f" ... {20_002 - LONGEST_MESSAGE:,} characters omitted ... " in shown
    record = tensh("-c", "raise ValueError('a' + 'x' * 20_000 + 'z')", "--json=full").splitlines()[0]
    assert json.loads(record)["message"] == "a" + "x" * 20_000 + "z"


FAILING = """
    import asyncio
    async def fail(): raise ValueError(BAD)
    async def main():
        task = asyncio.create_task(fail())
        await asyncio.sleep(0)
        del task
    asyncio.run(main())
"""
LOGGED = {
    "message": "import logging; logging.getLogger('x').warning(BAD)",
    "root": "import logging; logging.error(BAD)",
    "exception": "import logging\ntry: int(BAD)\nexcept ValueError: logging.getLogger().exception('it failed')",
    "task": "if True:" + FAILING,
    "future": (
        "import concurrent.futures\nf = concurrent.futures.Future(); f.add_done_callback(lambda f: int(BAD)); f.set_result(1)"
    ),
    "unloggable": (
        "import logging\nclass Shown:\n    def __str__(self): raise ValueError(BAD)\nlogging.getLogger('x').warning('%s', Shown())"
    ),
    "printed": "import traceback\ntry: raise ValueError(BAD)\nexcept ValueError: traceback.print_exc()",
    "process": (
        "import multiprocessing as m\ndef f(): raise ValueError(BAD)\n"
        "p = m.get_context('fork').Process(target=f); p.start(); p.join()"
    ),
    "end": "import atexit, logging; z = atexit.register(lambda: logging.getLogger('x').warning(BAD))",
}


@pytest.mark.parametrize("command", ["run", "-c"])
@pytest.mark.parametrize("name", LOGGED)
def test_what_python_logs_by_itself_is_clean(name, command, tmp_path):
    code = f"BAD = {BAD!r}\n{LOGGED[name]}\n"
    (tmp_path / "a.tsh").write_text(code)
    arguments = ["-c", code] if command == "-c" else [command, tmp_path / "a.tsh"]
    done = subprocess.run(
        [sys.executable, "-m", "tensh", *map(str, arguments)], env=plain_environment(), capture_output=True,
        encoding="utf-8", timeout=120,
    )  # fmt: skip
    assert "\\x1b]0;title\\x07\\u202e" in done.stderr
    assert_clean(done.stderr)


@pytest.mark.parametrize("begin", ["import logging", "pass"])
def test_a_program_that_sets_up_logging_writes_what_it_says(begin):
    code = f"{begin}\nimport logging, sys\nlogging.basicConfig(format='%(message)s', stream=sys.stderr)\nlogging.error('\\x1b[1mbold')"
    assert run(code).stderr == "\x1b[1mbold\n"


def test_a_traceback_in_a_file_is_what_the_program_says():
    code = "import io, traceback\nf = io.StringIO()\ntry: raise ValueError('\x1b[1m')\nexcept ValueError: traceback.print_exc(file=f)\nprint(f.getvalue()[-5:])"
    assert run(code).stdout == "\x1b[1m\n\n"


def test_the_handler_of_last_resort_is_put_back():
    import logging

    tensh("-c", "import logging; logging.getLogger('x').warning('a')")
    assert logging.lastResort.formatter is None
