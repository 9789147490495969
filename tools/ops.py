"""Print the table of operators as Markdown:  python tools/ops.py [REGEX]

For every operator whose name matches: its description, its public names, its kernel on NumPy arrays, the name of its node
in the graph, and the gradient of each tensor input, in the names of other operators; ``g`` is the gradient that
arrives. An operator without a derivative shows a dash. For an operator that is not public, the functions that call it are
named.
"""

import argparse
import ast
import contextlib
import re
import sys
from collections import defaultdict
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from tensh.cli.session.help import names  # noqa: E402
from tensh.cli.session.help.derivation import operators_in  # noqa: E402
from tensh.engine.codegen.operator import Inplace, Op  # noqa: E402
from tensh.engine.codegen.vocabulary import OPS  # noqa: E402

HEADER = "| operator | what it is | where | kernel | node | derivative |"
MOST = 3  # functions named of those that call an operator


def format_code(text):
    """Format code for a table cell in Markdown."""
    return f"`{text.replace('|', chr(92) + '|')}`"


def file_of(op):
    return Path(op.place[0])


def format_kernel(op):
    """Format a kernel: a NumPy function by its name, any other by the line where it is defined."""
    if isinstance(op.kernel, np.ufunc):
        return format_code(f"np.{op.kernel.__name__}")
    return f"line {op.place[1]}"


def format_derivative(op):
    parts = [f"{name} = {text}" for name, text in op.let.items()]
    parts += [f"{name}: {text}" for name, text in op.derivatives.items()]
    return "<br>".join(map(format_code, parts)) or "–"


class Places:
    """The public names of each operator, and the functions that call it."""

    def __init__(self):
        self.own, self.parts = defaultdict(list), defaultdict(list)
        texts = [text for op in OPS.values() for text in (*op.derivatives.values(), *op.let.values())]
        self.words = {word for text in texts for word in re.findall(r"\w+", text)}
        for name in names.list_names():
            if isinstance(name.entry, Op | Inplace):
                op = name.entry if isinstance(name.entry, Op) else name.entry.op
                self.own[op.name].append(name.path.removeprefix("torch."))
            elif name.kind in ("function", "method") and name.space != "torch.Tensor":
                for op in operators_in(name.entry):
                    self.parts[op.name].append(name.path.removeprefix("torch."))

    def of(self, op):
        """Return the cell of an operator."""
        if op.name in self.own:
            return ", ".join([*map(format_code, self.own[op.name]), *(["`out=`"] if op.out else [])])
        parts = self.parts[op.name]
        more = f" and {len(parts) - MOST} more" if len(parts) > MOST else ""
        if parts:
            return f"a part of {', '.join(map(format_code, parts[:MOST]))}{more}"
        return "a word of derivatives" if op.name in self.words else "inside of others"


def about(path):
    """Return the description of a file of declarations."""
    return (
        (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n\n")[0].replace("\n", " ")
    )


def table(ops):
    """Yield the lines of the document: a section for each file of declarations, a row for each operator."""
    places = Places()
    for path, group in groupby(sorted(ops, key=lambda op: op.place), file_of):
        yield f"\n## {path.relative_to(ROOT).as_posix()}\n"
        yield f"{about(path)}\n"
        yield HEADER
        yield "| --- " * HEADER.count(" | ") + "| --- |"
        for op in group:
            doc = (op.doc.strip().splitlines() or [""])[0].replace("|", r"\|").replace("``", "`")
            node = format_code(op.node) if op.derivatives else "–"
            yield f"| {format_code(op.name)} | {doc} | {places.of(op)} | {format_kernel(op)} | {node} | {format_derivative(op)} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pattern", nargs="?", default="", metavar="REGEX", help="operators whose name matches")
    arguments = parser.parse_args()
    chosen = [op for name, op in OPS.items() if re.search(arguments.pattern, name)]
    differentiable = sum(bool(op.derivatives) for op in chosen)
    with contextlib.suppress(BrokenPipeError):
        print(f"# The {len(chosen)} operators, {differentiable} of them differentiable")
        print(*table(chosen), sep="\n")


if __name__ == "__main__":
    sys.exit(main())
