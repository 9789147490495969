"""Fixtures and settings that all tests share.

A test that compares with PyTorch takes the fixture ``oracle``, or says ``oracle = pytest.importorskip("torch")`` at the
top of its module. Either way it is skipped if PyTorch is absent (once, not once for each of its cases) and otherwise carries
the mark ``oracle``, so that ``pytest -m oracle`` runs exactly these.

A test that tries many inputs for one property (mutated files, random programs, growth with length, hostile values), or
starts a process for each of many, or reads every file of the project, carries the mark ``thorough``. A run of the whole suite
leaves these out unless ``-m`` says otherwise; a run of named files does not. Of a test with many cases, a run of the whole suite
takes twenty, evenly spread; the others carry the mark, too.
"""

import gc
import importlib.util
import os
import re
import signal
import subprocess
import sys
from collections import Counter, defaultdict

import pytest

from tests.support.project import ROOT, SHARED, plain_environment


@pytest.fixture(scope="session")
def oracle():
    """PyTorch itself."""
    torch = pytest.importorskip("torch")
    keep_to_one_thread(torch)
    return torch


def keep_to_one_thread(torch):
    """Let PyTorch compute in one thread: several threads spin while they wait, and take cores from the other workers."""
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def shared():
    """The folder of reference material, if there is one."""
    if not SHARED.is_dir():
        pytest.skip(f"no folder {SHARED.name} beside the project")
    return SHARED


@pytest.fixture(scope="session")
def tensh_command():
    """Run ``tensh ARGUMENTS`` in a separate process, as in a pipe: plain text, no settings of the user."""

    def run(*arguments, stdin="", cwd=ROOT, **environment):
        return subprocess.run(
            [sys.executable, "-m", "tensh", *map(str, arguments)],
            input=stdin, cwd=cwd, env=plain_environment() | environment, capture_output=True, encoding="utf-8",
            timeout=120,
        )  # fmt: skip

    return run


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown():
    """Undo the lasting effects of a test; a hook takes half a millisecond less per test than a fixture."""
    forget_overrides()
    restore_gradients()


def forget_overrides():
    """Forget overriding arguments, which public functions look for once a test has made some."""
    points = sys.modules.get("tensh.engine.dispatch.override.points")
    if points is not None and points.armed.lasting:
        points.armed.lasting = False
        if not points.armed.modes:
            points.disarm()


def restore_gradients():
    """Fail a test that leaves gradients off, and switch them on for the next."""
    modes = sys.modules.get("tensh.engine.autograd.modes")
    if modes is not None and not modes.is_grad_enabled():
        modes.set_grad_enabled(True)
        pytest.fail("the test leaves gradients off")


MISSING = re.compile(r"could not import '(\w+)'")
NAMES = {"torch": "PyTorch"}
PYTORCH = importlib.util.find_spec("torch") is not None


def pytest_configure(config):
    """Handle signals and keep bytecode, before anything else."""
    heed_signals()
    keep_bytecode(config)


def heed_signals():
    """Reset the signals that `nohup` and shells make background programs ignore, since child processes inherit that."""
    usual = {"SIGINT": signal.default_int_handler, "SIGTERM": signal.SIG_DFL, "SIGHUP": signal.SIG_DFL}
    for number, handler in ((getattr(signal, name, None), handler) for name, handler in usual.items()):
        if number and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


def keep_bytecode(config):
    """Keep bytecode in pytest's cache if it must not be written beside the sources.

    Tests start a thousand processes; each would compile all its imports, which is half of its time.
    """
    cache = getattr(config, "cache", None)
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", None) and cache and "PYTHONPYCACHEPREFIX" not in os.environ:
        os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(cache.mkdir("bytecode"))
        sys.dont_write_bytecode = False


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give each worker neighbouring tests, which share files and fixtures; idle workers take tests from the others."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log) if config.getvalue("dist") == "load" else None


def needs_pytorch(item, fixtures):
    """Return True if a test compares with PyTorch, according to its fixture or mark."""
    return "oracle" in fixtures or item.get_closest_marker("oracle") is not None


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc):
    """Skip a test that needs an absent PyTorch once, not once for each of its cases."""
    if not PYTORCH and needs_pytorch(metafunc.definition, metafunc.fixturenames):
        marks = metafunc.definition.own_markers
        marks[:] = [mark for mark in marks if mark.name != "parametrize"]


def pytest_collection_finish():
    """Exclude tens of thousands of tests from garbage collection, since each `gc.collect` would traverse them."""
    if torch := imported_pytorch():
        keep_to_one_thread(torch)
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(config, items):
    mark_comparisons(items)
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        mark_surplus_cases(items)
        if not config.option.markexpr:
            leave_out_thorough(config, items)


def mark_comparisons(items):
    """Mark the tests that compare with PyTorch; skip them if it is absent."""
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


CASES = 20
"""The number of cases of one test in a run of the whole suite, which takes two thirds of the time that all cases take."""


def mark_surplus_cases(items):
    """Mark all but ``CASES`` cases of each test as thorough, except for comparisons, which have a run of their own."""
    tests = defaultdict(list)
    for item in items:
        if item.get_closest_marker("oracle") is None:
            tests[item.nodeid.partition("[")[0]].append(item)
    for cases in tests.values():
        for number, item in enumerate(cases):
            if number and number * CASES // len(cases) == (number - 1) * CASES // len(cases):
                item.add_marker("thorough")


def leave_out_thorough(config, items):
    """Deselect the thorough tests, two thirds of the time of the whole suite."""
    kept, thorough = [], []
    for item in items:
        (thorough if item.get_closest_marker("thorough") else kept).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=thorough)


@pytest.hookimpl(tryfirst=True)
def pytest_warning_recorded(warning_message):
    """Report a warning class of torch as UserWarning, because the process that collects warnings imports the classes."""
    if not PYTORCH and warning_message.category.__module__.partition(".")[0] == "torch":
        warning_message.message = UserWarning(str(warning_message.message))
        warning_message.category = UserWarning


def reason_to_skip(report):
    """Why a test was skipped, with the same text for all tests with the same reason."""
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
