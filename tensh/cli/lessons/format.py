"""Reading lessons: a document (Markdown, `.tsh`, a notebook) whose code asks questions in comments `#?`.

    x.sum(0)                #? shape
    y = x * 2               #? dtype y
    loss.backward()         #? grad w | What does w.grad hold?
    x + torch.ones(3)       #? fails size, match
    x.____(0)               #? complete sum
    #! a hint, for whoever has answered wrongly

The kind of a question is followed by its subject, and after `|` by the question in words. Reading a file runs none of
its code.
"""

import ast
import hashlib
import io
import os
import re
import tokenize
from bisect import bisect_right
from collections import defaultdict

from tensh.cli.documents import files
from tensh.cli.files import reading
from tensh.cli.lessons.model import BLANK, Code, Lesson, LessonError, Question, Text, fill_blank, split_expression
from tensh.cli.session.failures.failure import UNPARSED
from tensh.cli.session.sources.source import Source, parse_statements
from tensh.support.language import _
from tensh.support.spelling import close

KINDS = ("shape", "dtype", "value", "grad", "fails", "complete")
LONGEST = 80  # characters of a lesson quoted in a message
KIND = re.compile(r"\w*")
HEADING = re.compile(r"(#{1,6})\s+(.*)\n*")
PARAGRAPHS = re.compile(r"\n\s*\n")
PROMPT = re.compile(r"^(>>>|\.\.\.)( |$)")


def load(path, key=None):
    """Load the lesson in a file; raise UsageError if it cannot be read or is not a lesson."""
    document = files.load(path)
    text = reading.text(path)
    try:
        return Reader(document, text, path).read_lesson(key or reading.whole_name(path))
    except LessonError as error:
        error.refuse(path)


def asks(document):
    """Return True if the code of a document asks questions, which makes the document a lesson."""
    return any(cell.kind == "code" and "#?" in cell.text and any(marks(cell.text)) for cell in document.cells)


def marks(code):
    """Yield (line, column, text) of each question or hint in a piece of code."""
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type == tokenize.COMMENT and token.string.startswith(("#?", "#!")):
                yield *token.start, token.string
    except (tokenize.TokenError, SyntaxError):
        return


def drop_comments(text):
    """Remove `<!-- comments -->` from prose; an unclosed one is text."""
    kept, at = [], 0
    while (begin := text.find("<!--", at)) >= 0 and (end := text.find("-->", begin + 4)) >= 0:
        kept.append(text[at:begin])
        at = end + 3
    return "".join(kept) + text[at:]


class LessonSource(Source):
    """Source of a lesson's code, which is visible just above, so that messages need not locate it."""

    def place(self, line):
        return ""


class Reader:
    """Reads the cells of a document in order, once."""

    def __init__(self, document, text, path):
        self.document = document
        self.text = text
        self.lines = defaultdict(list)  # line of code -> the numbers of the lines that hold it
        for number, line in enumerate(text.split("\n"), 1):
            self.lines[PROMPT.sub("", line.strip()).strip()].append(number)
        self.path = path
        self.title = ""
        self.steps = []
        self.asked = 0
        self.place = 0  # the line of the file after which to look for the next code

    def read_lesson(self, key):
        """Read the whole document; raise LessonError if it is not a lesson."""
        for cell in self.document.cells:
            if cell.kind == "code":
                self.code(cell)
            elif cell.kind == "prose":
                self.prose(cell.text)
        if not self.asked:
            raise LessonError(_("it contains no question: write  #? shape  after an expression"))
        title = self.title or os.path.splitext(os.path.basename(self.path))[0]
        digest = hashlib.blake2b(self.text.encode(errors="replace"), digest_size=8).hexdigest()
        return Lesson(title, self.steps, self.path, key, digest)

    # ── prose ────────────────────────────────────────────────────────────────

    def prose(self, text):
        """Add each paragraph as a step; the first heading of level one is the title."""
        for paragraph in PARAGRAPHS.split(drop_comments(text).strip()):
            at = 0
            while heading := HEADING.match(paragraph, at):
                if len(heading[1]) == 1 and not self.title:
                    self.title = heading[2].strip()
                else:
                    self.steps.append(Text(heading[2].strip(), len(heading[1])))
                at = heading.end()
            if paragraph[at:].strip():
                self.steps.append(Text(paragraph[at:].strip("\n")))

    # ── code ─────────────────────────────────────────────────────────────────

    def code(self, cell):
        """Add the statements of a cell: each question separately, the statements between questions together."""
        code = cell.text.replace("\r\n", "\n").replace("\r", "\n")  # notebooks may use any line ending
        begin = self.first_line(code)
        try:
            body = parse_statements(code, self.path)
        except SyntaxError as error:
            raise LessonError(
                _("this is not Python: {msg}").format(msg=error.msg), begin + (error.lineno or 1) - 1
            ) from None
        found = [(line, column, text) for line, column, text in marks(code)]
        questions, hints = {}, {}
        for line, column, text in found:
            statement = self.statement_at(body, line, text, begin)
            if text.startswith("#!"):
                hints.setdefault(statement, []).append(text[2:].strip())
            elif statement in questions:
                raise LessonError(_("only one question per statement"), begin + line - 1)
            else:
                questions[statement] = line, column, text
        for number in hints:
            if number not in questions:
                raise LessonError(
                    _("a hint must follow a question, but this statement has none"), begin + body[number].end_lineno
                )
        self.divide(code.split("\n"), body, questions, hints, begin)

    def statement_at(self, body, line, text, begin):
        """Return the index of a comment's statement: a question is on its last line or below, a hint below."""
        if text.startswith("#?"):
            number = bisect_right(body, line, key=lambda node: node.lineno) - 1
            if number < 0 or line < body[number].end_lineno:
                raise LessonError(_("a question stands on the last line of a statement, or below it"), begin + line - 1)
        else:
            number = bisect_right(body, line, key=lambda node: node.end_lineno) - 1
            if number < 0:
                raise LessonError(_("a hint must follow a question"), begin + line - 1)
        return number

    def divide(self, lines, body, questions, hints, begin):
        """Add the steps of a cell, each with its position in the file."""
        waiting = []
        for number, node in enumerate(body):
            first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
            if number not in questions:
                waiting.append((first, node.end_lineno))
                continue
            self.flush(waiting, lines, begin)
            waiting = []
            line, column, text = questions[number]
            own = lines[first - 1 : node.end_lineno]
            if line == node.end_lineno:
                own[-1] = own[-1][:column].rstrip()
            self.question(node, "\n".join(own), text, tuple(hints.get(number, ())), begin + first - 1)
        self.flush(waiting, lines, begin)

    def flush(self, waiting, lines, begin):
        """Add the statements collected so far as one step."""
        if waiting:
            text = "\n".join(
                line for line in lines[waiting[0][0] - 1 : waiting[-1][1]] if not line.lstrip().startswith("#!")
            )
            self.steps.append(Code(self.source(text, begin + waiting[0][0] - 1)))

    def source(self, text, line):
        """Return a source that knows its line in the file."""
        return LessonSource(text, f"<{os.path.basename(self.path)} line {line}>")

    def question(self, node, code, text, hints, line):
        """Add a question."""
        asked, _bar, words = (part.strip() for part in text[2:].partition("|"))
        kind = KIND.match(asked)[0]
        about = asked[len(kind) :].strip()
        if kind not in KINDS:
            meant = close(kind, KINDS) if kind else ""
            instead = _("did you mean {meant}?").format(meant=meant) if meant else _("there are ") + ", ".join(KINDS)
            raise LessonError(
                _("{kind} is not a kind of question; {instead}").format(kind=kind[:LONGEST] or "#?", instead=instead),
                line,
            )
        self.asked += 1
        question = Question(self.asked, kind, self.source(code, line), line, words=words, hints=hints)
        if (BLANK in code) != (kind == "complete"):
            said = _("code with a blank {blank} needs a question  #? complete SOLUTION").format(blank=BLANK)
            raise LessonError(
                said if kind != "complete" else _("#? complete: the code has no blank {blank}").format(blank=BLANK),
                line,
            )
        if kind == "complete":
            question = self.blank(question, code, about, line)
        elif kind == "fails":
            question = question._replace(phrases=tuple(piece.strip() for piece in about.split(",") if piece.strip()))
        else:
            question = question._replace(about=self.subject(node, about, kind, line))
        self.steps.append(question)

    def blank(self, question, code, about, line):
        """Complete a question whose code has a blank."""
        if not about:
            raise LessonError(_("#? complete: write the contents of the blank after it"), line)
        found = split_expression(fill_blank(code, about))
        if found is None:
            raise LessonError(
                _("#? complete: with the blank filled in, the code must be one expression, or NAME = expression"), line
            )
        return question._replace(solution=about, target=found[0])

    def subject(self, node, about, kind, line):
        """Return the subject of a question: an expression evaluated after the statement, or "" for the statement's value."""
        if about:
            try:
                ast.parse(about, mode="eval")
            except UNPARSED:
                raise LessonError(
                    _("#? {kind}: {about!r} is not an expression; a question in words follows |").format(
                        kind=kind, about=about[:LONGEST]
                    ),
                    line,
                ) from None
            return about
        if isinstance(node, ast.Expr):
            return ""
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            return node.targets[0].id
        raise LessonError(
            _("#? {kind}: this statement has no value; write  #? {kind} EXPRESSION").format(kind=kind), line
        )

    def first_line(self, code):
        """Return the line of the file on which code begins: the next occurrence of its first line."""
        places = self.lines.get(code.partition("\n")[0].strip(), ())
        following = bisect_right(places, self.place)
        if following == len(places):
            return self.place + 1
        self.place = places[following]
        return self.place
