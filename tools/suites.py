"""Run the test suites of other people's libraries on PyTorch and on tensh, and compare them test by test.

    python tools/suites.py CACHE [LIBRARY ...] [--python PYTHON] [--pytorch PYTHON] [--failures] [--pytest OPTIONS]

PYTHON is an interpreter with tensh (not an editable install, whose folder ``tests`` would hide those of libraries),
pytest and the libraries, and with PyTorch unless ``--pytorch`` names another interpreter with PyTorch, pytest and the
same libraries. Sources of the installed versions (or of those that SUITES names) are fetched into the folder CACHE,
which also keeps the reports of PyTorch's runs. Only tests that pass on PyTorch are counted. With ``--failures`` those
that fail on tensh are listed with the first line of their message; OPTIONS are passed on to pytest. Nothing of the
libraries is kept in the project.

Tests of ignite use fixtures of pytest-xdist. pip asks cargo about the source of safetensors: where that has no
registry, unpack the source into CACHE by hand.
"""

import argparse
import contextlib
import os
import shlex
import signal
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as xml
from collections import Counter
from pathlib import Path
from typing import NamedTuple

LIMIT = 3600  # seconds for one run of a suite
ENDED = (0, 1)  # pytest's exit codes of a run of all tests: whether all passed or some did not


class Suite(NamedTuple):
    """The tests of a library: its project, their folders or files, and options.

    The tests are in the project's source, or in the package if it is ``installed`` with its tests. The source is that of
    the installed version, or of another ``version`` that has tests; the source's own package is then tested. The tests run
    in a ``folder`` of the source.
    """

    project: str
    paths: str
    options: str = ""
    environment: dict = {}
    installed: bool = False
    version: str = ""
    folder: str = ""


class Unknown(Exception):
    """The reason why a suite cannot be compared."""


DOCTESTS = "--doctest-modules -o doctest_optionflags='NORMALIZE_WHITESPACE ELLIPSIS'"

SUITES = {
    "einops": Suite(
        "einops",
        "einops/tests",
        "--ignore=einops/tests/test_notebooks.py -k 'not compile'",
        {"EINOPS_TEST_BACKENDS": "numpy,torch"},
    ),
    "opt_einsum": Suite("opt_einsum", "opt_einsum/tests", installed=True),
    "entmax": Suite("entmax", "entmax", installed=True),
    "array-api-compat": Suite("array-api-compat", "tests", "--ignore=tests/test_dask.py --ignore=tests/test_jax.py"),
    "torch-optimizer": Suite("torch-optimizer", "tests"),
    "captum": Suite("captum", "tests", version="0.2.0"),  # later sources have no tests
    "torchmetrics": Suite(
        "torchmetrics",
        "torchmetrics/functional/regression torchmetrics/functional/classification torchmetrics/regression "
        "torchmetrics/classification torchmetrics/aggregation.py torchmetrics/collections.py torchmetrics/wrappers",
        DOCTESTS,
        installed=True,
    ),
    "linear_operator": Suite("linear_operator", "test"),
    "gpytorch": Suite("gpytorch", "test", "--ignore=test/examples"),
    "gpytorch-examples": Suite("gpytorch", "test/examples"),
    "ignite-engine": Suite("pytorch-ignite", "tests/ignite/engine"),
    "ignite-metrics": Suite("pytorch-ignite", "tests/ignite/metrics"),
    "ignite-handlers": Suite("pytorch-ignite", "tests/ignite/handlers"),
    "safetensors": Suite(
        "safetensors",
        "tests",
        " ".join(f"--ignore=tests/test_{name}_comparison.py" for name in ("flax", "mlx", "paddle", "tf")),
        folder="bindings/python",
    ),
    "skorch": Suite("skorch", "skorch/tests", "-o addopts= --ignore=skorch/tests/llm --ignore=skorch/tests/test_hf.py"),
}


def source(suite, cache, python):
    """Return the folder of the tests of a suite: its project's source, fetched once, or the installed package."""
    ask = f"import importlib.metadata as m; d = m.distribution({suite.project!r}); print(d.version, d.locate_file(''))"
    version, place = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True).stdout.split(
        maxsplit=1
    )
    if suite.installed:
        return Path(place.strip())
    version = suite.version or version
    stem = f"{suite.project}-{version}".replace("-", "_")
    for _ in range(2):
        if found := [path for path in cache.iterdir() if path.is_dir() and path.name.replace("-", "_") == stem]:
            return found[0]
        command = f"-m pip download -q --no-deps --no-binary {suite.project} {suite.project}=={version} -d".split()
        subprocess.run([python, *command, str(cache)], check=False)
        for archive in cache.glob("*.tar.gz"):
            with tarfile.open(archive) as file:
                file.extractall(cache, filter="data")
            archive.unlink()
    raise Unknown(f"the source of {suite.project} {version} cannot be fetched")


def run(suite, folder, python, report, on_tensh):
    """Return test -> (outcome, first line of its message); the report of a complete run is kept."""
    if not report.exists():
        unfinished = report.with_suffix(".unfinished.xml")
        options = "-q --tb=short --continue-on-collection-errors -p no:cacheprovider -p no:randomly".split()
        command = [python, "-m", "pytest", *suite.paths.split(), *shlex.split(suite.options), *options]
        code = status(
            [*command, f"--junitxml={unfinished}", *["--tensh"] * on_tensh],
            folder,
            suite.environment | {"PYTHONPATH": str(folder), "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"},
            report.with_suffix(".txt"),
        )
        if code not in ENDED:
            raise Unknown(f"the tests did not come to their end ({code}), see {report.with_suffix('.txt')}")
        unfinished.replace(report)
    return dict(cases(report))


def status(command, folder, variables, output):
    """Return the exit code of a command that writes to a file, or why it was stopped; its child processes end with it."""
    with open(output, "w", encoding="utf-8") as file:
        process = subprocess.Popen(
            command, cwd=folder, env=os.environ | variables, stdout=file, stderr=file, start_new_session=True
        )
        try:
            return process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            return f"{LIMIT} seconds were not enough"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def cases(report):
    """Yield (name, (outcome, first line of its message)) of the tests of a report."""
    for case in xml.parse(report).iter("testcase"):
        ended = [part for part in case if part.tag in ("failure", "error", "skipped")]
        text = (ended[0].get("message") or "").strip().splitlines() if ended else []
        yield (
            f"{case.get('classname')}::{case.get('name')}",
            (ended[0].tag if ended else "passed", text[0] if text else ""),
        )


def compare(name, cache, python, pytorch, failures, options):
    """Print how many of the tests that pass on PyTorch pass on tensh."""
    suite = SUITES[name]
    suite = suite._replace(options=f"{suite.options} {options}")
    folder = source(suite, cache, python) / suite.folder
    expected = run(suite, folder, pytorch, cache / f"{name}-pytorch.xml", False)
    (cache / f"{name}-tensh.xml").unlink(missing_ok=True)
    found = run(suite, folder, python, cache / f"{name}-tensh.xml", True)
    passing = [test for test, (ended, _) in expected.items() if ended == "passed"]
    lost = {
        test: found.get(test, ("missing", "not among the tests on tensh"))[1]
        for test in passing
        if found.get(test, ("",))[0] != "passed"
    }
    share = f"{1 - len(lost) / len(passing):7.1%}" if passing else "no evidence: no test passes on PyTorch"
    print(f"{name:18} {len(passing) - len(lost):6} of {len(passing):6}  {share}", flush=True)
    if failures:
        for test, message in lost.items():
            print(f"    {test}: {message[:160]}")
        for message, count in Counter(message[:100] for message in lost.values()).most_common(30):
            print(f"  {count:5} {message}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("cache", type=Path)
    parser.add_argument("libraries", nargs="*", choices=[*SUITES, []])
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--pytorch", help="an interpreter with PyTorch (default: the same)")
    parser.add_argument("--failures", action="store_true")
    parser.add_argument("--pytest", default="", metavar="OPTIONS")
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    for name in options.libraries or SUITES:
        try:
            compare(
                name,
                options.cache.resolve(),
                options.python,
                options.pytorch or options.python,
                options.failures,
                options.pytest,
            )
        except Unknown as reason:
            print(f"{name:18} no evidence: {reason}", flush=True)


if __name__ == "__main__":
    main()
