"""What was done as a file that can be read, run or shown: `%export`.

A `.tsh` script has the lines as they were typed, a `.py` file prints what they showed, a notebook and a Markdown file
have the results beside the code. In code, results stand behind it as comments that begin with `#>`.
"""

import ast
import contextlib
from itertools import chain, pairwise, zip_longest

from tensh.cli.session.magics.arguments import as_python

RESULT = "#> "  # what a line of code showed
ASIDE = frozenset("help ? ?? history undo edit export save load set".split())  # commands that did nothing to remember
IMPORTS = {
    "math": "import math",
    "np": "import numpy as np",
    "torch": "import torch",
    "nn": "from torch import nn",
    "F": "import torch.nn.functional as F",
    "tensh": "import tensh",
}


def export_journal(journal, extension, magics):
    """The text of a file of a kind: ".tsh", ".py", ".md" or ".ipynb"; KeyError for another."""
    entries = journal.done(without=ASIDE)
    return KINDS[extension](entries, magics)


def source(journal):
    """The code alone, as a script."""
    return "".join(entry.text + "\n" for entry in journal.done(without=ASIDE))


def script(entries, magics):
    """A .tsh file."""
    return "".join(entry.text + "\n" + results(entry) for entry in entries)


def python(entries, magics):
    """A .py file: imports, and `print` around what a prompt shows by itself."""
    codes = [[*comments(entry), *in_python(entry, magics, "print({})")] for entry in entries]
    imports = "".join(line + "\n" for line in needed_imports(codes))
    body = "".join("\n".join(code) + "\n" + results(entry) for code, entry in zip(codes, entries, strict=True))
    return imports + "\n" * bool(imports) + body


def needed_imports(codes):
    """The imports that code needs which nobody has written into it: those of the names that a prompt has by itself."""
    used, made = set(), set()
    for code in codes:
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            for node in ast.walk(ast.parse("\n".join(code))):
                if isinstance(node, ast.Name):
                    (used if isinstance(node.ctx, ast.Load) else made).add(node.id)
                elif isinstance(node, ast.alias):
                    made.add(node.asname or node.name.partition(".")[0])
    return [line for name, line in IMPORTS.items() if name in used - made]


def comments(entry):
    """The comments before the code of an entry, as comments."""
    return [f"# {line}".rstrip() for line in entry.comment.split("\n")] if entry.comment else []


def in_python(entry, magics, shown):
    """The lines of an entry as Python: a command as the call that it stands for; what is shown as in `shown`."""
    if entry.command:
        sugar = getattr(magics.get(entry.command.name), "sugar", None)
        call = sugar and sugar.format(entry.command.argument if sugar == "{}" else as_python(entry.command.argument))
        return [shown.format(call) if call and _has_value(entry) else call or f"# {entry.command.text}"]
    before, after = (part.encode() for part in shown.split("{}"))
    added = {}  # line -> (column, what goes there) from left to right: no expression lies in another
    for first, column, last, end in expressions(entry):
        added.setdefault(first, []).append((column, before))
        added.setdefault(last, []).append((end, after))
    return [with_added(line.encode(), added.get(number, ())).decode() for number, line in enumerate(entry.code)]


def with_added(line, added):
    """A line with pieces put in at columns."""
    begins = [0, *(column for column, _ in added)]
    pieces = [line[begin:end] for begin, end in pairwise([*begins, len(line)])]
    return b"".join(chain.from_iterable(zip_longest(pieces, (piece for _, piece in added), fillvalue=b"")))


def expressions(entry):
    """The places in the code of an entry of the expressions whose values were shown, in order."""
    places = (output.place for output in entry.outputs if output.place)
    return sorted((first - entry.begin, column, last - entry.begin, end) for first, column, last, end in places)


def _has_value(entry):
    return any(output.is_value for output in entry.outputs)


def results(entry):
    """What an entry showed, as comments."""
    lines = [line for output in entry.outputs for line in output.text.rstrip("\n").split("\n")]
    return "".join((RESULT + line).rstrip() + "\n" for line in lines)


def markdown(entries, magics):
    """A .md file: comments as text, and between them a session as at a prompt."""
    parts, session = [], ""
    for entry in entries:
        if entry.comment and session:
            parts.append(f"```pycon\n{session}```\n")
            session = ""
        if entry.comment:
            parts.append(entry.comment + "\n")
        session += at_a_prompt(entry)
    return "\n".join([*parts, f"```pycon\n{session}```\n"] if session else parts)


def at_a_prompt(entry):
    """The lines of an entry with prompts before them, and what they showed."""
    first, *more = entry.code
    text = f">>> {first}\n" + "".join(f"... {line}".rstrip() + "\n" for line in more)
    return text + "".join(output.text.rstrip("\n") + "\n" for output in entry.outputs)


def notebook(entries, magics):
    """An .ipynb file: comments as text, and a cell of code ends with what it shows."""
    from tensh.cli.documents import notebooks
    from tensh.cli.documents.model import Cell, Document

    cells, codes = [], []
    for group in group_entries(entries):
        if group[0].comment:
            cells.append(Cell("prose", group[0].comment))
        codes.append([line for entry in group for line in in_python(entry, magics, "{}")])
        cells.append(Cell("code", "\n".join(codes[-1]), tuple(map(in_document, group[-1].outputs))))
    imports = needed_imports(codes)
    if imports:
        cells.insert(0, Cell("code", "\n".join(imports)))
    return notebooks.write(Document(cells, "last"))


def in_document(output):
    """A value or a printed text as an output of a document."""
    from tensh.cli.documents.model import Output

    return Output("value" if output.is_value else "printed", output.text)


def group_entries(entries):
    """The entries of each cell: up to one that shows something, or to the next that has a comment before it."""
    groups = []
    for entry in entries:
        if not groups or groups[-1][-1].outputs or entry.comment:
            groups.append([])
        groups[-1].append(entry)
    return groups


KINDS = {".tsh": script, ".py": python, ".md": markdown, ".ipynb": notebook}
