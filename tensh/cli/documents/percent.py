"""Scripts with cells: `# %%` begins one, prose stands in comments, and `#> ` is the output of the code above.

A line of code that would be read as one of these marks is written after `#: `.
"""

import re

from tensh.cli.documents import facts
from tensh.cli.documents.model import Cell, Document, expressions
from tensh.cli.session.sources.source import SET_UP, SHELL, Source
from tensh.support.command_lines import ASKING, command_on
from tensh.support.language import _
from tensh.support.openness import Openness

MARK = re.compile(r"# ?%%(?:[ \t]+(?P<head>.*)|[ \t]*)\Z")
RESULT = "#>"
ASIDE = "#: "
SPECIAL = re.compile(r"(?:#: )*(?:# ?%%(?:[ \t]|\Z)|#>|# tensh: )")
MAGIC = re.compile(rf"(?:#: )*(?:[ \t]*[!%]|{ASKING})")  # a shell or Jupyter command, or a question
FOREIGN = {".py": MAGIC, ".tsh": re.compile(rf"{SHELL.pattern}|{SET_UP.pattern}|%%")}  # a `%name` line of a script
HEADER = "# tensh: "
ECHO = {".tsh": "each", ".py": "last"}


def read(text, extension):
    """Parse a script as a document. A .py file without cells shows only what it prints."""
    lines = text.removesuffix("\n").split("\n")
    about = {}
    if lines[0].startswith(HEADER):
        about = facts.loads(lines.pop(0).removeprefix(HEADER), _("its first line: "))
    cells, head, body, any_mark = [], None, [], False
    literal = literal_lines(lines)
    for number, line in enumerate([*lines, None]):
        mark = MARK.match(line) if line is not None and number not in literal else None
        line = Literal(line) if number in literal else line
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


class Literal(str):
    """A line within a triple-quoted string, which is code whatever it looks like."""


def literal_lines(lines):
    """Return the numbers of the lines that begin within a triple-quoted string; none if the text is not code."""
    text = "\n".join(lines)
    if not ('"""' in text or "'''" in text) or not any(map(_may_mean_something, lines)):
        return frozenset()
    try:
        for _ in Source(text, "<document>").parts():
            pass
    except (SyntaxError, ValueError):
        return frozenset()
    found, openness = set(), Openness()
    for number, line in enumerate(lines):
        if openness.quote:
            found.add(number)
        if openness or not command_on(line):
            openness.take(line)
    return found


def as_comment(line):
    """Escape a comment that looks like one of tensh's marks: prefix it with `#: `."""
    return ASIDE + line if SPECIAL.match(line) or line.startswith(RESULT) else line


def _may_mean_something(line):
    return bool(SPECIAL.match(line) or MARK.match(line) or line.startswith((RESULT, ASIDE)))


def usual_echo(extension, has_marks):
    """Return which expressions a script shows by default: none in a .py file without cells."""
    return ECHO[extension] if has_marks or extension == ".tsh" else None


def _has_mark(cell):
    return cell.kind != "code" or cell.form == "marked"


def _cells(head, lines):
    """Yield the cells between two marks: several if there is output between the lines."""
    form = "marked" if head is not None else ""
    if head is None and not any(line.strip() for line in lines):
        return
    found = facts.make_cell(head or "", lines, form=form)
    if found.kind != "code":
        yield found._replace(text="\n".join(map(_prose, lines)))
        return
    code, results = [], []
    for line in [*lines, ""]:
        if line.startswith(RESULT) and not isinstance(line, Literal):
            results.append(line.removeprefix(RESULT).removeprefix(" "))
            continue
        if results:
            yield facts.make_cell(head or "", code, results, form)
            head, code, results, form = None, [], [], ""
        code.append(_unescape_line(line))
    code.pop()
    if form == "marked" or any(line.strip() for line in code):
        yield facts.make_cell(head or "", code, (), form)


def _prose(line):
    """Uncomment a line of text."""
    line = line.removeprefix(ASIDE) if MARK.match(line.removeprefix(ASIDE)) else line
    return line.removeprefix("#").removeprefix(" ")


def _comment(line):
    """Comment a line of text so that it is never read as a mark."""
    comment = f"# {line}" if line else "#"
    return ASIDE + comment if MARK.match(comment) else comment


def _unescape_line(line):
    """Undo the escaping of a line of a cell."""
    rest = line.removeprefix(ASIDE)
    if isinstance(line, Literal):
        return line
    return rest if rest != line and (SPECIAL.match(rest) or MAGIC.match(rest)) else line


def write(document, extension):
    """Format a document as a script. Triple-quoted strings stay as they are if they read back unchanged."""
    if any(literal_lines(cell.text.split("\n")) for cell in document.cells if cell.kind == "code"):
        text = _write(document, extension, is_literal=True)
        if [_facts(cell) for cell in read(text, extension).cells] == [_facts(cell) for cell in document.cells]:
            return text
    return _write(document, extension)


def _facts(cell):
    return cell.kind, cell.text, cell.outputs, cell.metadata, cell.count


def _write(document, extension, is_literal=False):
    about = {"metadata": document.metadata} if document.metadata else {}
    if needs_echo(document, usual_echo(extension, any(map(_has_mark, document.cells)))):
        about["echo"] = document.echo
    lines = [HEADER + facts.dumps(about)] if about else []
    for number, cell in enumerate(document.cells):
        is_after_prose = number > 0 and document.cells[number - 1].kind != "code"
        if _has_mark(cell) or is_after_prose:
            lines += [""] * bool(lines and number) + [f"# %% {facts.head(cell)}".rstrip()]
        lines += _lines(cell, extension, is_literal)
    return "".join(line + "\n" for line in lines)


def needs_echo(document, usual):
    """Return True if a cell would show something else with the default echo."""
    if document.echo == usual:
        return False
    if None in (document.echo, usual):
        return True
    return any(any(expressions(cell.text)[:-1]) for cell in document.cells if cell.kind == "code")


def _lines(cell: Cell, extension, is_literal=False):
    lines = cell.text.split("\n")
    if cell.kind != "code":
        return [*map(_comment, lines)] if cell.text else []
    foreign = None if expressions(cell.text) else FOREIGN[extension]
    literal = literal_lines(lines) if is_literal else ()
    lines = [
        ASIDE + line if number not in literal and _means_something(line, foreign) else line
        for number, line in enumerate(lines)
    ]
    return [*lines, *(f"{RESULT} {line}" if line else RESULT for line in facts.output_lines(cell))]


def _means_something(line, foreign):
    """Return True if a line of code would be read as something else."""
    if SPECIAL.match(line) or (line.startswith(ASIDE) and _unescape_line(line) != line):
        return True
    return foreign is not None and bool(foreign.match(line))
