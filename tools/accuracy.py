"""Compare the errors of tensh and PyTorch with exact references, and write docs/accuracy.md.

    python tools/accuracy.py [--section NAME] [--only REGEX] [--quick] [--detail] [--write]

An error is the distance from the exact result, in units in the last place (ulp) of the result's dtype; each section says
of which number. A row shows the largest error over all inputs of its cases. The cases are data, a
module of tests/support/accuracy for each section. PyTorch must be installed.

``--quick`` leaves the large inputs out, ``--detail`` shows a row for every input instead of the largest error of a
function, ``--write`` updates the document. The exit status is 1 if an error is more than twice
PyTorch's.
"""

import argparse
import importlib
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
DOCUMENT = ROOT / "docs" / "accuracy.md"
HEADER = "| function | dtype | largest error in ulp | PyTorch's | ratio |\n| --- | --- | ---: | ---: | ---: |\n"
LIMIT = 2  # the largest accepted ratio of errors
NOISE = 0.5  # ulp: smaller errors are mere rounding, whose ratio is of no interest

# Section -> the module of its cases, which has TITLE, TEXT and
# ``measure(modules, wanted, quick)``: yields (function, dtype, input, (error of each module)); ``wanted(function)`` chooses.
SECTIONS = {name: f"tests.support.accuracy.{name}" for name in ("reductions", "layers", "special")}


def ratio(ours, theirs):
    """Return the error as a multiple of PyTorch's, at most 1 if both are mere rounding."""
    return max(ours, NOISE) / max(theirs, NOISE)


def largest(rows):
    """Return (function, dtype) -> the largest error of each module, in the order of the rows."""
    found = {}
    for function, dtype, _, errors in rows:
        before = found.get((function, dtype), errors)
        found[function, dtype] = tuple(map(max, before, errors))
    return found


def format_error(error):
    return f"{error:.2g}" if error < 100 else f"{error:.0f}"


def format_row(function, dtype, errors):
    ours, theirs = errors
    return f"| `{function}` | {dtype} | {format_error(ours)} | {format_error(theirs)} | {ratio(ours, theirs):.2f} |"


def format_section(section, rows):
    lines = [format_row(*key, errors) for key, errors in rows.items()]
    return f"## {section.TITLE}\n\n{section.TEXT.strip()}\n\n{HEADER}" + "\n".join(lines) + "\n"


def write_section(title, text):
    """Replace the section with the same title, or append it."""
    document = DOCUMENT.read_text(encoding="utf-8")
    head, *parts = re.split(r"^## ", document, flags=re.MULTILINE)
    sections = {part.partition("\n")[0]: f"## {part.strip()}\n" for part in parts} | {title: text}
    DOCUMENT.write_text("\n".join([head.strip() + "\n", *sections.values()]), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--section", choices=SECTIONS, action="append", help="a section (default: all)")
    parser.add_argument("--only", default="", metavar="REGEX", help="functions whose name matches")
    parser.add_argument("--quick", action="store_true", help="leave the large inputs out")
    parser.add_argument("--detail", action="store_true", help="show a row for every input")
    parser.add_argument("--write", action="store_true", help="write docs/accuracy.md")
    arguments = parser.parse_args()
    modules = [importlib.import_module(name) for name in ("tensh", "torch")]
    over = False
    for name in arguments.section or SECTIONS:
        section = importlib.import_module(SECTIONS[name])
        rows = []
        for row in section.measure(modules, re.compile(arguments.only).search, arguments.quick):
            rows.append(row)
            if arguments.detail:
                function, dtype, given, errors = row
                print(format_row(f"{function}, {given}", dtype, errors), flush=True)
        found = largest(rows)
        text = format_section(section, found)
        if not arguments.detail:
            print(text)
        if arguments.write:
            write_section(section.TITLE, text)
        over |= any(ratio(*errors) > LIMIT for errors in found.values())
    return int(over)


if __name__ == "__main__":
    sys.exit(main())
