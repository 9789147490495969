"""Record answers anew:  python -m tests.recorded FAMILY...   or   python -m tests.recorded FAMILY/NAME...

A family is a folder of tests/recorded, and NAME one of its files without an ending: ``operators``, ``sessions/edges``. The module
``record`` of a family has ``record(wanted)``, which yields (path, text) of each file whose name is wanted. Most answers come
from PyTorch 2.13, which must be installed; those of ``screens``, ``mistakes`` and ``graphs`` from tensh itself: read what has
changed. Without arguments the families are listed; with ``--check`` files are compared and not written.
"""

import argparse
import ast
import importlib
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
FAMILIES = sorted(path.parent.name for path in FOLDER.glob("*/record.py"))


def load_family(family):
    """The module that records a family."""
    return importlib.import_module(f"{__package__}.{family}.record")


def describe_family(family):
    """Describe in a line what a family records."""
    return ast.get_docstring(ast.parse((FOLDER / family / "record.py").read_text(encoding="utf-8"))).splitlines()[0]


def record_family(family, name, check):
    """Record a family, or its file of one name; whether a file differs from what it was."""
    found = differs = False
    for path, text in load_family(family).record(lambda each: name in ("", each)):
        found = True
        before = path.read_text(encoding="utf-8") if path.exists() else None
        if before == text:
            state = "as before"
        else:
            differs, state = True, "differs" if check else "recorded anew"
            if not check:
                path.write_text(text, encoding="utf-8")
        print(f"{path.relative_to(FOLDER)}: {state}", flush=True)
    if not found:
        sys.exit(f"{family} has no file named {name!r}")
    return differs


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tests.recorded", description=__doc__.partition(":")[0])
    parser.add_argument(
        "families", nargs="*", metavar="FAMILY[/NAME]", help="what to record; lists the families if none"
    )
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 if a file differs")
    options = parser.parse_args(arguments)
    if not options.families:
        print("\n".join(f"{family:16} {describe_family(family)}" for family in FAMILIES))
    asked = [each.partition("/")[::2] for each in options.families]
    if unknown := [family for family, _ in asked if family not in FAMILIES]:
        parser.error(f"no family {unknown[0]!r}; there are {', '.join(FAMILIES)}")
    try:
        differing = [record_family(family, name, options.check) for family, name in asked]
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        sys.exit("these answers come from PyTorch, which is not installed: pip install torch==2.13.0")
    return int(options.check and any(differing))


if __name__ == "__main__":
    sys.exit(main())
