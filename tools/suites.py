"""Run the test suites of other people's libraries on PyTorch and on tensh, and compare them test by test.

    python tools/suites.py CACHE [LIBRARY ...] [--python PYTHON] [--failures]

PYTHON is an interpreter with PyTorch, tensh (not editable: its tests would hide those), pytest and the libraries; sources are fetched into the folder CACHE, of the
versions that are installed. A library counts with the tests that pass on PyTorch. With ``--failures`` the tests that pass
there and not on tensh are listed with their last line. Nothing of the libraries is kept in the project.
"""

import argparse
import os
import shlex
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as xml
from collections import Counter
from pathlib import Path
from typing import NamedTuple

LIMIT = 3600  # seconds for one run of a suite


class Suite(NamedTuple):
    """The tests of a library: of which project, in which folders or files of its source, with which options."""

    project: str
    paths: str
    options: str = ""
    environment: dict = {}


SUITES = {
    "einops": Suite(
        "einops",
        "einops/tests",
        "--ignore=einops/tests/test_notebooks.py -k 'not compile'",
        {"EINOPS_TEST_BACKENDS": "numpy,torch"},
    ),
    "torch-optimizer": Suite("torch-optimizer", "tests"),
    "linear_operator": Suite("linear_operator", "test"),
    "gpytorch": Suite("gpytorch", "test", "--ignore=test/examples"),
    "gpytorch-examples": Suite("gpytorch", "test/examples"),
    "ignite-engine": Suite("pytorch-ignite", "tests/ignite/engine"),
    "ignite-metrics": Suite("pytorch-ignite", "tests/ignite/metrics"),
    "ignite-handlers": Suite("pytorch-ignite", "tests/ignite/handlers"),
    "skorch": Suite("skorch", "skorch/tests", "-o addopts= --ignore=skorch/tests/llm --ignore=skorch/tests/test_hf.py"),
    "captum": Suite("captum", "tests"),
}


def fetch(project, cache, python):
    """The folder of a project's source, of the installed version where there is one."""
    ask = f"import importlib.metadata as m; print(m.version({project!r}))"
    version = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True).stdout.strip()
    stem = project.replace("-", "_")
    for wanted in (f"{project}=={version}", project):
        if found := [
            path for path in cache.iterdir() if path.is_dir() and path.name.replace("-", "_").startswith(f"{stem}_")
        ]:
            return found[0]
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "-q",
            "--no-deps",
            "--no-build-isolation",
            "--no-binary",
            ":all:",
        ]
        subprocess.run([*command, wanted, "-d", str(cache)], check=False)
        for archive in cache.glob("*.tar.gz"):
            with tarfile.open(archive) as file:
                file.extractall(cache, filter="data")
            archive.unlink()
    raise SystemExit(f"the source of {project} cannot be fetched")


def run(suite, folder, python, report, on_tensh):
    """Test -> (how it ended, the last line of its message)."""
    if not report.exists():
        options = [
            *shlex.split(suite.options),
            "-q",
            "--tb=short",
            "--continue-on-collection-errors",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:randomly",
            f"--junitxml={report}",
        ]
        command = [python, "-m", "pytest", *suite.paths.split(), *options, *["--tensh"] * on_tensh]
        environment = (
            os.environ
            | suite.environment
            | {"PYTHONPATH": str(folder), "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
        )
        with open(report.with_suffix(".txt"), "w", encoding="utf-8") as output:
            subprocess.run(command, cwd=folder, env=environment, stdout=output, stderr=output, timeout=LIMIT)
    if not report.exists():
        raise SystemExit(f"the tests did not run, see {report.with_suffix('.txt')}")
    return dict(cases(report))


def cases(report):
    """(name, (how it ended, the last line of its message)) of the tests of a report."""
    for case in xml.parse(report).iter("testcase"):
        ended = [part for part in case if part.tag in ("failure", "error", "skipped")]
        text = (ended[0].get("message") or "").strip().splitlines() if ended else []
        yield (
            f"{case.get('classname')}::{case.get('name')}",
            (ended[0].tag if ended else "passed", text[0] if text else ""),
        )


def compare(name, cache, python, failures):
    """Print how many of the tests that pass on PyTorch pass on tensh."""
    suite = SUITES[name]
    folder = fetch(suite.project, cache, python)
    expected = run(suite, folder, python, cache / f"{name}-pytorch.xml", False)
    found = run(suite, folder, python, cache / f"{name}-tensh.xml", True)
    passing = [test for test, (ended, _) in expected.items() if ended == "passed"]
    lost = {test: found.get(test, ("missing", ""))[1] for test in passing if found.get(test, ("",))[0] != "passed"}
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
    parser.add_argument("--failures", action="store_true")
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    for name in options.libraries or SUITES:
        compare(name, options.cache.resolve(), options.python, options.failures)


if __name__ == "__main__":
    main()
