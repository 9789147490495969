"""What the tests share.

A test that compares with PyTorch takes the fixture ``oracle``, or says ``oracle = pytest.importorskip("torch")`` at the
top of its module. Either way it is skipped where PyTorch is absent (once, not once for each of its cases) and carries
the mark ``oracle`` where it is there, so that ``pytest -m oracle`` runs exactly these.

A test that tries many inputs for one property (mutated files, random programs, growth with length, hostile values), or
starts a process for each of many, carries the mark ``thorough``. A run of the whole suite leaves these out unless ``-m`` says otherwise; a run of named files does not.
"""

import gc
import importlib.util
import os
import re
import signal
import subprocess
import sys
from collections import Counter

import pytest

from tests.support.project import ROOT, SHARED, plain_environment


@pytest.fixture(scope="session")
def oracle():
    """PyTorch itself."""
    torch = pytest.importorskip("torch")
    keep_to_one_thread(torch)
    return torch


def keep_to_one_thread(torch):
    """Let PyTorch compute in one thread: several wait by spinning, and take the cores from the other workers of the run."""
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def shared():
    """The folder of reference material, where there is one."""
    if not SHARED.is_dir():
        pytest.skip(f"no folder {SHARED.name} beside the project")
    return SHARED


@pytest.fixture(scope="session")
def tensh_command():
    """Run ``tensh ARGUMENTS`` in a process of its own, as in a pipe: plain text, no settings of the user."""

    def run(*arguments, stdin="", cwd=ROOT, **environment):
        return subprocess.run(
            [sys.executable, "-m", "tensh", *map(str, arguments)],
            input=stdin, cwd=cwd, env=plain_environment() | environment, capture_output=True, encoding="utf-8",
            timeout=120,
        )  # fmt: skip

    return run


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown():
    """Begin the next test without what this one left behind: hooks, and not fixtures, save half a millisecond a test."""
    forget_overrides()
    restore_gradients()


def forget_overrides():
    """Public functions look for overriding arguments once a test has made some: the next test begins without."""
    points = sys.modules.get("tensh.engine.dispatch.override.points")
    if points is not None and points.armed.lasting:
        points.armed.lasting = False
        if not points.armed.modes:
            points.disarm()


def restore_gradients():
    """A test that leaves gradients off fails; the next ones begin with gradients on."""
    modes = sys.modules.get("tensh.engine.autograd.modes")
    if modes is not None and not modes.is_grad_enabled():
        modes.set_grad_enabled(True)
        pytest.fail("the test leaves gradients off")


MISSING = re.compile(r"could not import '(\w+)'")
NAMES = {"torch": "PyTorch"}
PYTORCH = importlib.util.find_spec("torch") is not None


def pytest_configure(config):
    """Before anything else: heed signals, keep bytecode."""
    heed_signals()
    keep_bytecode(config)


def heed_signals():
    """Heed what `nohup`, and a shell in the background, have a program ignore: processes that tests start inherit that."""
    usual = {"SIGINT": signal.default_int_handler, "SIGTERM": signal.SIG_DFL, "SIGHUP": signal.SIG_DFL}
    for number, handler in ((getattr(signal, name, None), handler) for name, handler in usual.items()):
        if number and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


def keep_bytecode(config):
    """Where bytecode is not to lie beside the sources, keep it in pytest's cache.

    Tests start a thousand processes; each would compile all that it imports, which is half of its time.
    """
    cache = getattr(config, "cache", None)
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", None) and cache and "PYTHONPYCACHEPREFIX" not in os.environ:
        os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(cache.mkdir("bytecode"))
        sys.dont_write_bytecode = False


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give each worker a run of neighbours, so that files and fixtures are read by one; who is done takes from the others."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log) if config.getvalue("dist") == "load" else None


def needs_pytorch(item, fixtures):
    """True if a test says that it compares with PyTorch, by its fixture or its mark."""
    return "oracle" in fixtures or item.get_closest_marker("oracle") is not None


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc):
    """Where PyTorch is absent, a test that needs it is left out once, not once for each of its cases."""
    if not PYTORCH and needs_pytorch(metafunc.definition, metafunc.fixturenames):
        marks = metafunc.definition.own_markers
        marks[:] = [mark for mark in marks if mark.name != "parametrize"]


def pytest_collection_finish():
    """Leave tens of thousands of tests out of garbage collection: each `gc.collect` would look at all of them again."""
    if torch := imported_pytorch():
        keep_to_one_thread(torch)
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(config, items):
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS and not config.option.markexpr:
        leave_out_thorough(config, items)
    torch = imported_pytorch()
    for item in items:
        if not PYTORCH and needs_pytorch(item, getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.skip(f"{NAMES['torch']} is not installed"))
        module = getattr(item, "module", None)
        if "oracle" in getattr(item, "fixturenames", ()) or (
            torch is not None and module is not None and any(value is torch for value in vars(module).values())
        ):
            item.add_marker("oracle")


def imported_pytorch():
    """PyTorch itself, if a module has imported it."""
    return sys.modules.get("torch") if "torch._C" in sys.modules else None


def leave_out_thorough(config, items):
    """Deselect what `pytest -m thorough` runs: half of the time of the whole suite."""
    kept, thorough = [], []
    for item in items:
        (thorough if item.get_closest_marker("thorough") else kept).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=thorough)


@pytest.hookimpl(tryfirst=True)
def pytest_warning_recorded(warning_message):
    """Tell of a warning of torch's as a UserWarning: the process that collects warnings imports their classes."""
    if not PYTORCH and warning_message.category.__module__.partition(".")[0] == "torch":
        warning_message.message = UserWarning(str(warning_message.message))
        warning_message.category = UserWarning


def reason_to_skip(report):
    """Why a test was skipped, in words that all tests skipped for the same reason share."""
    reason = (
        report.longrepr[2].removeprefix("Skipped: ") if isinstance(report.longrepr, tuple) else str(report.longrepr)
    )
    missing = MISSING.match(reason)
    return f"{NAMES.get(missing[1], missing[1])} is not installed" if missing else reason


def pytest_terminal_summary(terminalreporter):
    """List the reasons for which tests were skipped, a line each."""
    skipped = Counter(map(reason_to_skip, terminalreporter.getreports("skipped")))
    if skipped:
        terminalreporter.section("skipped")
    for reason, number in skipped.most_common():
        terminalreporter.line(f"{number:6,}  {reason}")
