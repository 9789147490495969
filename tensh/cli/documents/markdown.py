"""Markdown: text, blocks of code followed by a block of output, and sessions as at a prompt.

Cells that a block cannot express, or that would be read as something else, stand between the comments `<!-- cell ...
-->` and `<!-- /cell -->`.
"""

import re
from typing import NamedTuple

from tensh.cli.documents import facts
from tensh.cli.documents.model import Cell, Document, Output, guess_outputs
from tensh.cli.documents.percent import needs_echo
from tensh.support.language import _

ECHO = "last"
CODE = frozenset("python py python3 tsh ipython pycon console doctest".split())
SESSIONS = frozenset("python py python3 pycon console doctest".split())
PROMPT_ONLY = frozenset("pycon console doctest".split())  # languages whose blocks are code only if they hold a prompt
OUTPUT = frozenset(["", "text", "txt", "output", "plain", "plaintext"])
FENCE = re.compile(r"(?P<sign>`{3,}+|~{3,}+)(?P<info>[^`]*)\Z")
HEAD = re.compile(r"<!-- cell(?: (?P<head>.*?))? -->[ \t]*\Z")
END = "<!-- /cell -->"
ENDS = re.compile(r"<!-- (/+)cell -->")
HEADER = re.compile(r"<!-- tensh: (?P<json>\{.*\}) -->[ \t]*\Z")
TRACEBACK = "Traceback (most recent call last):"


class Block(NamedTuple):
    """A fenced block: its info string, its lines, the number of the next line, and whether it is closed."""

    info: str
    lines: list[str]
    after: int
    ends: bool

    @property
    def language(self):
        return (re.split(r"[ ,{}.]+", self.info.strip("{ .").lower()) or [""])[0]

    @property
    def is_session(self):
        first = next((line for line in self.lines if line.strip()), "")
        return self.language in SESSIONS and (first + " ").startswith(">>> ")

    @property
    def is_code(self):
        return self.ends and self.language in CODE and (self.is_session or self.language not in PROMPT_ONLY)


# ── reading ──────────────────────────────────────────────────────────────────


def read(text):
    """Parse a Markdown text as a document."""
    lines = text.split("\n")
    header = HEADER.match(lines[0])
    about = facts.loads(header["json"], _("its first line: ")) if header else {}
    metadata = about.get("metadata")
    cells = [*Reader(lines, int(bool(header))).cells()]
    return Document(cells, about.get("echo", ECHO), metadata if isinstance(metadata, dict) else {})


class Reader:
    """Reads lines once, from a given line on."""

    def __init__(self, lines, place=0):
        self.lines = lines
        self.place = place
        self.prose = []

    def cells(self):
        while self.place < len(self.lines):
            head = HEAD.match(self.lines[self.place])
            block = block_at(self.lines, self.place)
            if head:
                yield from self.flush_prose()
                yield from self.read_cell(head["head"] or "")
            elif block and block.is_code:
                yield from self.flush_prose()
                yield from self.code("", block)
            else:
                after = block.after if block else self.place + 1
                self.prose += self.lines[self.place : after]
                self.place = after
        yield from self.flush_prose()

    def flush_prose(self):
        """Yield the prose gathered so far as a cell, without surrounding blank lines."""
        text, self.prose = "\n".join(_strip_blank(self.prose)), []
        if text:
            yield Cell("prose", text)

    def read_cell(self, head):
        """Read the cell that a comment describes."""
        cell = facts.make_cell(head, [])
        self.place += 1
        block = block_at(self.lines, self.place)
        if cell.kind == "code" and block:
            yield from self.code(head, block)
        elif cell.kind != "code":
            end = next(
                (n for n in range(self.place, len(self.lines)) if self.lines[n].rstrip() == END), len(self.lines)
            )
            text = "\n".join(ENDS.sub(_shorter, line) for line in self.lines[self.place : end])
            self.place = end + 1
            yield cell._replace(text=text, form="between")

    def code(self, head, block):
        """Read the cells of a block of code, and the block of output after it."""
        self.place = block.after
        if block.is_session:
            yield from session(block)
            return
        ahead = self.place
        while ahead < len(self.lines) and not self.lines[ahead].strip():
            ahead += 1
        output = block_at(self.lines, ahead)
        if output and output.ends and output.language in OUTPUT:
            self.place = output.after
        else:
            output = None
        yield facts.make_cell(
            head, block.lines, output.lines if output else (), f"{block.info}\n{output.info if output else 'text'}"
        )


def block_at(lines, place):
    """Return the fenced block that begins on a line, if any. An unclosed block extends to the end of the text."""
    fence = FENCE.match(lines[place]) if place < len(lines) else None
    if not fence:
        return None
    end = re.compile(re.escape(fence["sign"]) + re.escape(fence["sign"][0]) + r"*[ \t]*\Z")
    last = next((number for number in range(place + 1, len(lines)) if end.match(lines[number])), len(lines))
    return Block(fence["info"].strip(" \t"), lines[place + 1 : last], last + 1, last < len(lines))


def _strip_blank(lines):
    """Strip blank lines from both ends."""
    return _drop_end(_drop_end(lines)[::-1])[::-1]


def _drop_end(lines):
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return lines[:end]


def _shorter(match):
    return match[0].replace("//", "/", 1)


def session(block):
    """Yield a cell for each prompt of a session."""
    code, shown = [], []
    for line in [*block.lines, ">>> "]:
        if (line + " ").startswith(">>> "):
            if code:
                yield _example(code, _drop_end(shown), block.info)
            code, shown = [line[4:]], []
        elif (line + " ").startswith("... ") and not shown:
            code.append(line[4:])
        else:
            shown.append(line)


def _example(code, shown, info):
    text = "\n".join(code)
    outputs = guess_outputs(text, shown)
    if shown and shown[0].startswith(TRACEBACK):
        within = next((n for n in range(1, len(shown)) if shown[n][:1].strip()), len(shown))
        outputs = (Output("error", "\n".join(shown[within:]), {"traceback": shown[:within]}),)
    return Cell("code", text, outputs, form=f">>> {info}")


# ── writing ──────────────────────────────────────────────────────────────────


def write(document):
    """Format a document as Markdown."""
    about = {"metadata": document.metadata} if document.metadata else {}
    if needs_echo(document, ECHO):
        about["echo"] = document.echo
    parts = [[f"<!-- tensh: {facts.dumps(about)} -->"]] if about else []
    previous, sessions = None, {}  # position of a block -> its examples
    for cell in map(as_block, document.cells):
        if cell.form.startswith(">>> ") and previous and previous.form == cell.form:
            sessions[len(parts) - 1].append(write_at_prompt(cell))
        elif cell.form.startswith(">>> "):
            sessions[len(parts)] = [write_at_prompt(cell)]
            parts.append([cell.form])
        elif cell.kind == "code":
            parts.append([_code(cell)])
        else:
            parts.append([_prose(cell, previous)])
        previous = cell
    for number, examples in sessions.items():
        parts[number] = session_block(*parts[number], examples)
    return "\n\n".join(map("".join, parts)) + "\n" * bool(parts)


def session_block(form, examples):
    """Return the parts of a block that is a session."""
    fence = "`" * longest_fence("".join(examples).split("\n"))
    return [f"{fence}{form[4:]}\n", *examples, fence]


def as_block(cell):
    """Format a cell; a cell of a session becomes a block of code if its output would be read as more code."""
    lines = facts.output_lines(cell)
    is_session = cell.form.startswith(">>> ")
    if is_session and (any(line.startswith(">>> ") for line in lines) or (lines and lines[0].startswith("... "))):
        return cell._replace(form="")
    return cell


def _prose(cell, previous):
    """Format prose: as it is if it reads back as prose, else between comments."""
    head = facts.head(cell)
    begin = block_at(cell.text.split("\n"), 0)
    is_alone = previous is None or (previous.kind == "code" and not (begin and begin.language in OUTPUT))
    if head == "[markdown]" and is_alone and not HEADER.match(cell.text.partition("\n")[0]):
        with_more = read(f"{cell.text}\n\n{put_in_fences(['1'], 'python')}").cells
        if [each.text for each in with_more] == [cell.text, "1"] and with_more[0].kind == "prose":
            return cell.text
    text = "\n".join(ENDS.sub(r"<!-- /\1cell -->", line) for line in cell.text.split("\n"))
    return f"<!-- cell {head} -->\n{text}\n{END}"


def _code(cell):
    """Format a block of code and one of output."""
    head = facts.head(cell)
    lines = facts.output_lines(cell)
    info, _, kind = cell.form.partition("\n") if "\n" in cell.form else ("python", "", "text")
    first = next((line for line in cell.text.split("\n") if line.strip()), "")
    if (first + " ").startswith(">>> "):  # text that is not code and must not be read as a session
        info = "tsh"
    parts = [f"<!-- cell {head} -->\n"] if head else []
    parts.append(put_in_fences(cell.text.split("\n"), info))
    parts += ["\n\n" + put_in_fences(lines, kind)] if lines else []
    return "".join(parts)


def put_in_fences(lines, info):
    """Fence lines with a fence longer than any within."""
    fence = "`" * longest_fence(lines)
    return "\n".join([fence + info, *lines, fence])


def longest_fence(lines):
    """Return the length of a fence that no line closes."""
    return max([3, *(len(run) + 1 for line in lines for run in re.findall(r"`+", line))])


def write_at_prompt(cell):
    """Return the lines of a cell with prompts, and its output."""
    first, *more = cell.text.split("\n")
    lines = [f">>> {first}".rstrip(), *(f"... {line}".rstrip() for line in more)]
    for output in cell.outputs:
        lines += [*output.more.get("traceback", (TRACEBACK, "    ..."))] if output.kind == "error" else []
        whole = output._replace(text=output.text.removesuffix("\n") + "\n" * (output.kind in ("printed", "warned")))
        lines += whole.lines if facts.is_in_lines(whole) else []  # an example does not tell how its output ends
    return "".join(line + "\n" for line in lines)
