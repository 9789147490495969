"""What was done as a file that can be read, run or shown: `%export`.

A `.tsh` script has the lines as they were typed, a `.py` file prints what they showed, a notebook and a Markdown file
have the results beside the code. In code, results stand behind it as comments that begin with `#>`.
"""

import json
import re

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
ABOUT = {
    "metadata": {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    },
    "nbformat": 4,
    "nbformat_minor": 5,
}


def written(journal, extension, magics):
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
    imports = "".join(line + "\n" for line in imported(codes))
    body = "".join("\n".join(code) + "\n" + results(entry) for code, entry in zip(codes, entries, strict=True))
    return imports + "\n" * bool(imports) + body


def imported(codes):
    """The imports that code needs which nobody has written into it: those of the names that a prompt has by itself."""
    text = "\n".join("\n".join(code) for code in codes)
    for name, line in IMPORTS.items():
        if re.search(rf"(?<![.\w]){name}\b", text) and not re.search(
            rf"^\s*(import|from) .*\b{name}$|^{name} =", text, re.M
        ):
            yield line


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
    lines = [line.encode() for line in entry.code]
    for first, column, last, end in reversed(expressions(entry)):  # from the end, so that no place moves
        lines[last] = lines[last][:end] + after + lines[last][end:]
        lines[first] = lines[first][:column] + before + lines[first][column:]
    return [line.decode() for line in lines]


def expressions(entry):
    """The places in the code of an entry of the expressions whose values were shown."""
    units = entry.source.units() if _has_value(entry) else ()
    return [
        (unit.first - entry.begin, unit.columns[0], unit.last - entry.begin, unit.columns[1])
        for unit in units
        if entry.begin <= unit.first <= entry.last and getattr(unit, "shown", False)
    ]


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
    cells, codes, outputs, whole = [], [], [], []

    def finish():
        if codes:
            cells.append(cell("\n".join(codes), outputs, len(cells) + 1))
            whole.append(list(codes))
            codes.clear()

    for entry in entries:
        if entry.comment:
            finish()
            cells.append(
                {
                    "cell_type": "markdown",
                    "id": f"cell-{len(cells) + 1}",
                    "metadata": {},
                    "source": lines_of(entry.comment),
                }
            )
        codes += in_python(entry, magics, "{}")
        outputs = entry.outputs
        if outputs:
            finish()
    outputs = []
    finish()
    imports = "\n".join(imported(whole))
    first = [cell(imports, [], 0)] if imports else []
    return json.dumps({"cells": first + cells} | ABOUT, indent=1, ensure_ascii=False) + "\n"


def lines_of(text):
    return text.splitlines(keepends=True)


def cell(code, outputs, number):
    """A code cell with what it has shown."""
    found = []
    for output in outputs:
        lines = lines_of(output.text)
        if output.is_value:
            found.append(
                {
                    "data": {"text/plain": lines},
                    "execution_count": number,
                    "metadata": {},
                    "output_type": "execute_result",
                }
            )
        else:
            found.append({"name": "stdout", "output_type": "stream", "text": lines})
    return {
        "cell_type": "code", "execution_count": number, "id": f"cell-{number}", "metadata": {}, "outputs": found,
        "source": lines_of(code),
    }  # fmt: skip


KINDS = {".tsh": script, ".py": python, ".md": markdown, ".ipynb": notebook}
