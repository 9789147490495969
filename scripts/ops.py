"""Print the table of operators as Markdown:  python scripts/ops.py [REGEX]

For every operator whose name matches: its kernel on NumPy arrays, and the gradient that each tensor input receives, in the
names of other operators; ``g`` is the gradient that arrives. Operators without a derivative show a dash.
"""

import argparse
import re
import sys
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

import tensh.engine  # noqa: E402, F401  (fills the table)
from tensh.engine.vocabulary import OPS  # noqa: E402


def code(text):
    """Markdown for code in a table cell."""
    return f"`{text.replace('|', chr(92) + '|')}`"


def declared_in(op):
    return Path(op.place[0])


def kernel(op):
    """A NumPy function by its name, any other kernel by the line where it is written."""
    if isinstance(op.kernel, np.ufunc):
        return code(f"np.{op.kernel.__name__}")
    return f"line {op.place[1]}"


def derivative(op):
    parts = [f"{name} = {text}" for name, text in op.let.items()]
    parts += [f"{name}: {text}" for name, text in op.derivatives.items()]
    return "<br>".join(map(code, parts)) or "–"


def table(ops):
    """The lines of the document: a section for each file of declarations, a row for each operator."""
    for path, group in groupby(sorted(ops, key=lambda op: op.place), declared_in):
        yield f"\n## {path.relative_to(ROOT)}\n"
        yield "| operator | what it is | kernel | derivative |"
        yield "| --- | --- | --- | --- |"
        for op in group:
            doc = (op.doc.strip().splitlines() or [""])[0].replace("|", r"\|")
            yield f"| {code(op.name)} | {doc} | {kernel(op)} | {derivative(op)} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pattern", nargs="?", default="", metavar="REGEX", help="operators whose name matches")
    arguments = parser.parse_args()
    chosen = [op for name, op in OPS.items() if re.search(arguments.pattern, name)]
    print(f"# The {len(chosen)} operators")
    print(*table(chosen), sep="\n")


if __name__ == "__main__":
    sys.exit(main())
