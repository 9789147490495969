"""Scripts with cells: `# %%` begins one, prose stands in comments, and `#> ` is what the code before it showed.

A line of code that would mean something else in such a file stands behind `#: `.
"""

import re

from tensh.cli.documents import facts
from tensh.cli.documents.model import Cell, Document, expressions
from tensh.cli.session.source import SET_UP, SHELL

MARK = re.compile(r"# ?%%(?:[ \t]+(?P<head>.*)|[ \t]*)\Z")
RESULT = "#>"
ASIDE = "#: "
SPECIAL = re.compile(r"(?:#: )*(?:# ?%%(?:[ \t]|\Z)|#>|# tensh: )")
MAGIC = re.compile(r"(?:#: )*[ \t]*[!%]")  # a line for a shell or for Jupyter
FOREIGN = {".py": MAGIC, ".tsh": re.compile(rf"{SHELL.pattern}|{SET_UP.pattern}|%%")}  # a script has `%name` of its own
HEADER = "# tensh: "
ECHO = {".tsh": "each", ".py": "last"}


def read(text, extension):
    """The document in a script. A .py file without cells shows only what it prints."""
    lines = text.removesuffix("\n").split("\n")
    about = {}
    if lines[0].startswith(HEADER):
        about = facts.loads(lines.pop(0).removeprefix(HEADER), "its first line: ")
    cells, head, body, any_mark = [], None, [], False
    for line in [*lines, None]:
        mark = MARK.match(line) if line is not None else None
        if line is None or mark:
            if body and body[-1] == "" and mark:
                body.pop()
            cells += _cells(head, body)
            head, body, any_mark = mark and (mark["head"] or ""), [], any_mark or bool(mark)
        else:
            body.append(line)
    metadata = about.get("metadata")
    return Document(
        cells, about.get("echo", usual_echo(extension, any_mark)), metadata if isinstance(metadata, dict) else {}
    )


def usual_echo(extension, has_marks):
    """Which expressions a script shows if it says nothing of it: Python is Python where there are no cells."""
    return ECHO[extension] if has_marks or extension == ".tsh" else None


def _has_mark(cell):
    return cell.kind != "code" or cell.form == "marked"


def _cells(head, lines):
    """The cells of what stands between two marks: one, or more if there are results between its lines."""
    form = "marked" if head is not None else ""
    if head is None and not any(line.strip() for line in lines):
        return
    found = facts.cell(head or "", lines, form=form)
    if found.kind != "code":
        yield found._replace(text="\n".join(line.removeprefix("#").removeprefix(" ") for line in lines))
        return
    code, results = [], []
    for line in [*lines, ""]:
        if line.startswith(RESULT):
            results.append(line.removeprefix(RESULT).removeprefix(" "))
            continue
        if results:
            yield facts.cell(head or "", code, results, form)
            head, code, results, form = None, [], [], ""
        code.append(_inside(line))
    code.pop()
    if form == "marked" or any(line.strip() for line in code):
        yield facts.cell(head or "", code, (), form)


def _inside(line):
    """A line of a cell, out of the comment that kept it from meaning something."""
    rest = line.removeprefix(ASIDE)
    return rest if rest != line and (SPECIAL.match(rest) or MAGIC.match(rest)) else line


def write(document, extension):
    """A document as a script."""
    about = {"metadata": document.metadata} if document.metadata else {}
    if needs_echo(document, usual_echo(extension, any(map(_has_mark, document.cells)))):
        about["echo"] = document.echo
    lines = [HEADER + facts.dumps(about)] if about else []
    for number, cell in enumerate(document.cells):
        is_after_prose = number > 0 and document.cells[number - 1].kind != "code"
        if _has_mark(cell) or is_after_prose:
            lines += [""] * bool(lines and number) + [f"# %% {facts.head(cell)}".rstrip()]
        lines += _lines(cell, extension)
    return "".join(line + "\n" for line in lines)


def needs_echo(document, usual):
    """Whether a cell would show something else if bare expressions were shown as usual."""
    if document.echo == usual:
        return False
    if None in (document.echo, usual):
        return True
    return any(any(expressions(cell.text)[:-1]) for cell in document.cells if cell.kind == "code")


def _lines(cell: Cell, extension):
    lines = cell.text.split("\n")
    if cell.kind != "code":
        return [f"# {line}" if line else "#" for line in lines] if cell.text else []
    foreign = None if expressions(cell.text) else FOREIGN[extension]
    lines = [ASIDE + line if _means_something(line, foreign) else line for line in lines]
    return [*lines, *(f"{RESULT} {line}" if line else RESULT for line in facts.output_lines(cell))]


def _means_something(line, foreign):
    """Whether a line of code would be taken for something else."""
    if SPECIAL.match(line) or (line.startswith(ASIDE) and _inside(line) != line):
        return True
    return foreign is not None and bool(foreign.match(line))
