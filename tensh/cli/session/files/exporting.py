"""The session as a file to read, run or show: `%export`.

A `.tsh` script contains the lines as typed, a `.py` file prints what they showed, a notebook and a Markdown file
contain code with its results. In code, results follow as comments that begin with `#>`.
"""

import ast
import contextlib
import re
from itertools import chain, pairwise, zip_longest

from tensh.cli.session.magics.writing import as_python, parse_arguments
from tensh.cli.session.sources.notebook import python as python_of_cell
from tensh.cli.session.sources.source import Command, Source
from tensh.support.openness import Openness

RESULT = "#> "  # marks the output of a line
# commands without an effect to reproduce
ASIDE = frozenset("help ? ?? history undo edit export save load set debug up down".split())
IMPORTS = {
    "math": "import math",
    "np": "import numpy as np",
    "torch": "import torch",
    "nn": "from torch import nn",
    "F": "import torch.nn.functional as F",
    "tensh": "import tensh",
    "runpy": "import runpy",  # for %run
    "os": "import os",  # for %cd
}
IMPORTED = re.compile(rf"\b(?:{'|'.join(IMPORTS)})\b")


def export_journal(journal, extension, magics):
    """Return the text of a ".tsh", ".py", ".md" or ".ipynb" file; raise KeyError for another kind."""
    entries = journal.list_done(without=ASIDE)
    return KINDS[extension](entries, magics)


def source(journal):
    """Return only the code, as a script."""
    return "".join(entry.text + "\n" for entry in journal.list_done(without=ASIDE) if not entry.failed)


def script(entries, magics):
    """Return the text of a .tsh file."""
    return "".join("\n".join([*remarks(entry), *code_of(entry)]) + "\n" + results(entry) for entry in entries)


def code_of(entry):
    """Return the lines of an entry. One that failed after changing something is wrapped in `try`."""
    if not entry.failed:
        return entry.code
    openness, lines = Openness(), ["try:"]
    for line in entry.code:
        lines.append(line if openness.quote or not line.strip() else "    " + line)
        openness.take(line)
    return [*lines, "except Exception:", "    pass"]


def remarks(entry):
    """Return the comment lines before the code of an entry, escaped where a script would read them as marks."""
    from tensh.cli.documents.percent import as_comment

    lines = entry.source.lines[entry.first - 1 : entry.begin - 1]
    return [as_comment(line) for line in lines[next((n for n, line in enumerate(lines) if line.strip()), len(lines)) :]]


def python(entries, magics):
    """Return the text of a .py file: imports, and `print` around values that a prompt shows by itself."""
    codes = [[*remarks(entry), *write_python(entry, magics, "print({})")] for entry in entries]
    imports = "".join(line + "\n" for line in find_missing_imports(codes))
    body = "".join("\n".join(code) + "\n" + results(entry) for code, entry in zip(codes, entries, strict=True))
    return imports + "\n" * bool(imports) + body


def find_missing_imports(codes):
    """Return the missing imports of pieces of code, for the names that a prompt predefines."""
    used, made = set(), set()
    for code in codes:
        if not any(map(IMPORTED.search, code)):  # most code: takes a tenth of the time
            continue
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            for node in chain.from_iterable(map(ast.walk, syntax_trees(code))):
                if isinstance(node, ast.Name):
                    (used if isinstance(node.ctx, ast.Load) else made).add(node.id)
                elif isinstance(node, ast.alias):
                    made.add(node.asname or node.name.partition(".")[0])
    return [line for name, line in IMPORTS.items() if name in used - made]


def syntax_trees(code):
    """Yield the syntax trees of lines of code, and of command arguments that are Python."""
    text, _ = python_of_cell("\n".join(code))
    for part in Source(text, "<cell>").parts():
        if isinstance(part, Command):
            part = parse_arguments(as_python(part.argument))
        if part is not None:
            yield part


def write_python(entry, magics, shown):
    """Return the lines of an entry as Python: a command as its call, and shown expressions wrapped in `shown`."""
    if entry.command:
        call = entry.command.name in magics and magics[entry.command.name].python(entry.command.argument)
        if call and not _has_value(entry) and not call.endswith(entry.command.argument):
            return [f"{call};"]  # the `;` suppresses the value in files of every kind
        return [shown.format(call) if call and _has_value(entry) else call or f"# {entry.command.text}"]
    if entry.failed:
        return code_of(entry)
    added = {}  # line -> (column, text to insert) from left to right: the expressions do not nest
    for (first, column, last, end), is_printed in expressions(entry):
        wrap = shown if is_printed or shown == "{}" else shown.replace("{}", "repr({})")
        before, after = (part.encode() for part in wrap.split("{}"))
        added.setdefault(first, []).append((column, before))
        added.setdefault(last, []).append((end, after))
    return [insert_pieces(line.encode(), added.get(number, ())).decode() for number, line in enumerate(entry.code)]


def insert_pieces(line, added):
    """Insert pieces into a line at their columns."""
    begins = [0, *(column for column, _ in added)]
    pieces = [line[begin:end] for begin, end in pairwise([*begins, len(line)])]
    return b"".join(chain.from_iterable(zip_longest(pieces, (piece for _, piece in added), fillvalue=b"")))


def expressions(entry):
    """Return the positions of expressions whose values were shown, and whether `print` shows them the same way."""
    found = [(output.place, output.is_printed) for output in entry.outputs if output.place]
    return sorted(
        ((first - entry.begin, column, last - entry.begin, end), is_printed)
        for (first, column, last, end), is_printed in found
    )


def _has_value(entry):
    return any(output.is_value for output in entry.outputs)


def results(entry):
    """Return the output of an entry as comments."""
    lines = [line for output in outputs_of(entry) for line in output.text.rstrip("\n").split("\n")]
    return "".join((RESULT + line).rstrip() + "\n" for line in lines)


def outputs_of(entry):
    """Return the outputs of an entry when it runs again; values within `try` are not shown."""
    return [output for output in entry.outputs if not (entry.failed and output.is_value)]


def markdown(entries, magics):
    """Return the text of a .md file: comments become text, and the code between them a session as at a prompt."""
    from tensh.cli.documents import markdown as writer
    from tensh.cli.documents.model import Cell, Document, Output

    cells = []
    for entry in entries:
        cells += [Cell("prose", entry.comment)] * bool(entry.comment)
        outputs = [Output("value" if each.is_value else "printed", each.text) for each in outputs_of(entry)]
        cells.append(Cell("code", "\n".join(code_of(entry)), tuple(outputs), form=">>> pycon"))
    return writer.write(Document(cells, "last"))


def notebook(entries, magics):
    """Return the text of an .ipynb file: comments become text, and a cell of code ends with its output."""
    from tensh.cli.documents import notebooks
    from tensh.cli.documents.model import Cell, Document

    cells, codes = [], []
    for group in group_entries(entries):
        if group[0].comment:
            cells.append(Cell("prose", group[0].comment))
        codes.append([line for entry in group for line in write_python(entry, magics, "{}")])
        cells.append(Cell("code", "\n".join(codes[-1]), tuple(map(write_document_output, outputs_of(group[-1])))))
    imports = find_missing_imports(codes)
    if imports:
        cells.insert(0, Cell("code", "\n".join(imports)))
    return notebooks.write(Document(cells, "last"))


def write_document_output(output):
    """Convert an output of the journal to one of a document."""
    from tensh.cli.documents.model import Output

    return Output("value", output.laid_out) if output.is_value else Output("printed", output.text)


def group_entries(entries):
    """Group entries into cells: a cell ends with an output, or before a comment."""
    groups = []
    for entry in entries:
        if not groups or outputs_of(groups[-1][-1]) or entry.comment:
            groups.append([])
        groups[-1].append(entry)
    return groups


KINDS = {".tsh": script, ".py": python, ".md": markdown, ".ipynb": notebook}
