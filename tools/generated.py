"""The command line of tools that write files: write them, or with ``--check`` compare them and report what is out of date."""

import argparse
import difflib
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # so that a tool finds tensh where it is not installed
MOST = 20  # lines of a difference


def update_files(document, make_files):
    """Parse the command line, with ``document`` as its help, and write the (path, text) pairs of ``make_files()``.

    With ``--check`` nothing is written; return 1 if a file would change.
    """
    parser = argparse.ArgumentParser(description=document, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a file is out of date")
    check, status = parser.parse_args().check, 0
    for path, new in make_files():
        if not check:
            path.write_text(new, encoding="utf-8")
            continue
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        if old != new:
            status = 1
            print(f"{path.relative_to(ROOT)} is out of date: python tools/{Path(sys.argv[0]).name}")
            difference = difflib.unified_diff(old.split("\n"), new.split("\n"), "stored", "current", lineterm="", n=0)
            print("\n".join([*difference][:MOST]))
    return status
