"""Run the tests on every installed Python, with the lowest declared versions of the dependencies and the newest.

    python tools/matrix.py [--python 3.12 ...] [--versions lowest newest] [-- ARGUMENTS OF PYTEST]

Each pair gets a separate environment in a temporary folder, in which pip installs the project from this folder.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = "3.11", "3.12", "3.13", "3.14"


def find_pythons():
    """{version: path} of the interpreters on the search path, and of those that pyenv keeps."""
    found = {}
    for version in PYTHONS:
        path = shutil.which(f"python{version}")
        kept = sorted(
            Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob(f"versions/{version}.*/bin/python")
        )
        for each in filter(None, [*kept, path]):
            asked = subprocess.run(
                [each, "-c", "import sys; print(*sys.version_info[:2], sep='.')"], capture_output=True
            )
            if asked.stdout.decode().strip() == version:
                found.setdefault(version, str(each))
    return found


def requirements(versions):
    """Return what pip installs besides the project."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    if versions == "newest":
        return declared
    return [re.sub(r">=([\w.]+)[^;]*", r"==\1.*", each) for each in declared]


def run(python, versions, arguments):
    """Return True if the tests pass."""
    with tempfile.TemporaryDirectory() as place:
        subprocess.run([python, "-m", "venv", place], check=True)
        inside = Path(place, "Scripts" if os.name == "nt" else "bin", "python")
        install = [inside, "-m", "pip", "install", "-q", "--only-binary", ":all:", "-e", ROOT, *requirements(versions)]
        if subprocess.run(install).returncode:
            return False
        return subprocess.run([inside, "-m", "pytest", "-q", *arguments], cwd=ROOT).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", nargs="+", choices=PYTHONS, default=PYTHONS)
    parser.add_argument("--versions", nargs="+", choices=("lowest", "newest"), default=("lowest", "newest"))
    parser.add_argument("arguments", nargs="*", help="for pytest")
    options = parser.parse_args()
    found, results = find_pythons(), {}
    for version in options.python:
        for versions in options.versions:
            if version in found:
                print(f"== Python {version}, {versions} versions", flush=True)
                results[version, versions] = run(found[version], versions, options.arguments)
    for version in options.python:
        if version not in found:
            print(f"Python {version} is not here")
    for (version, versions), passed in results.items():
        print(f"{'ok' if passed else 'FAILED':6} Python {version}, {versions} versions")
    return not (results and all(results.values()))


if __name__ == "__main__":
    sys.exit(main())
