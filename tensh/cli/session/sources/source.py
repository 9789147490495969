"""Code split into units that run one after another.

The language is Python and, if `commands` is true, three more kinds of lines: `%name rest`, `!command`, and `name?` or
`?name`. They are recognised only where a statement can begin, so that `%` within an expression or a string keeps its
meaning.
"""

import __future__

import ast
import contextlib
import functools
import re
from types import CodeType
from typing import NamedTuple

from tensh.cli.session.awaiting import ALLOWED
from tensh.cli.session.sources.elements import parse_elements
from tensh.support.command_lines import find_commands
from tensh.support.escaping import visible_line
from tensh.support.language import _, deferred
from tensh.support.patterns import pattern

# Lines of a notebook for the shell or for IPython.
SHELL = pattern(r"[ \t]*!")
SET_UP = pattern(r"[ \t]*%(?:matplotlib|config|load_ext|reload_ext|autoreload|pip|conda|cd|pylab|env)\b")
PIECE = 5_000  # lines parsed at a time
BEGINNING = pattern(r"(?!(?:else|elif|except|finally)\b)[^\s#)\]}]")  # matches a line that can begin a statement
MOST_CODE = 4 * 2**20  # characters; the parser takes up to a thousand times as many bytes
TOO_DEEP = deferred("too many nested expressions")
NOT_IN_CODE = pattern("[\0\ud800-\udfff]")
SEMICOLON = pattern(rb"\s*;")
PLACEHOLDER = "pass"  # replaces a command for the parser


class Statement(NamedTuple):
    """A top-level Python statement, ready to run; `shown` tells whether its value is a result."""

    source: "Source"
    first: int
    last: int
    code: CodeType
    shown: bool
    columns: tuple[int, int]  # begin and end in bytes

    @property
    def text(self):
        """The text of the statement, joined to one line."""
        return " ".join(line.strip() for line in self.written)

    @property
    def is_quiet(self):
        """True if a `;` follows the statement."""
        return SEMICOLON.match(self.source.encoded[self.last - 1], self.columns[1]) is not None

    @property
    def written(self):
        """The lines of the statement, without other code on them."""
        lines = self.source.encoded[self.first - 1 : self.last]
        if len(lines) == 1:  # take one slice: a line may hold as many statements as a file has lines
            return [lines[0][slice(*self.columns)].decode()]
        lines[-1] = lines[-1][: self.columns[1]]
        lines[0] = lines[0][self.columns[0] :]
        return [line.decode() for line in lines]


class Command(NamedTuple):
    """A command: `%name argument`; the name is `!` for `!argument`, and `?` for `argument?` and `?argument`."""

    source: "Source"
    first: int
    last: int
    name: str
    argument: str

    @property
    def text(self):
        """The text of the line."""
        return self.source.lines[self.first - 1].strip()

    def parse(self, mode="exec"):
        """Parse the argument; a SyntaxError is located in the source."""
        try:
            return ast.parse(self.argument, self.source.filename, mode)
        except SyntaxError as error:
            with contextlib.suppress(SyntaxError):
                return parse_elements(self.argument, self.source.filename, mode)
            line = self.source.lines[self.first - 1]
            before = line.index(self.argument, 1)
            if error.lineno == 1:
                error.lineno = error.end_lineno = self.first
                # 0 is the end of an expression that is not complete
                error.text, error.offset = line, (error.offset or len(self.argument) + 1) + before
                error.end_offset = error.end_offset and error.end_offset + before
            raise


Unit = Statement | Command


class Source:
    """Code with its origin and how to interpret it.

    `filename` appears in tracebacks, `label` is for the reader. `echo` tells which bare expressions are results:
    "each", "last" (the last of the source, as in a notebook) or None. `commands` allows lines that are not Python.
    `replaced` maps (line, column) to syntax trees that replace the written ones. `has_failed` is True after a run that
    raised.
    """

    has_failed = False

    def __init__(self, text, filename, label=None, echo="each", commands=True):
        self.text = text
        self.filename = filename
        self.label = visible_line(label or filename)
        self.echo = echo
        self.commands = commands
        self.replaced = {}

    @functools.cached_property
    def lines(self):
        return self.text.split("\n")

    @functools.cached_property
    def encoded(self):
        """Return the lines in UTF-8, in which Python counts columns."""
        return [line.encode() for line in self.lines]

    def place(self, line):
        """Describe the location of a line to the reader, or the whole source without a line."""
        return f"{self.label}:{line}" if line else self.label

    def parts(self):
        """Yield the syntax trees of the statements, and the commands between them; raise SyntaxError for invalid code."""
        commands = {each.first: each for each in self.command_lines}
        lines = self.lines
        if commands:  # the parser reads the text once, with a placeholder for the commands
            lines = lines.copy()
            for number in commands:
                lines[number - 1] = PLACEHOLDER if number - 1 not in commands else ""
        for node in parse_pieces(lines, self.filename):
            number = node.lineno
            if number not in commands:
                yield self.replaced.get((number, node.col_offset), node)
            while number in commands:
                yield commands[number]
                number += 1

    @functools.cached_property
    def command_lines(self):
        """Return the commands among the lines; nothing is compiled."""
        if not self.commands:
            return []
        found = find_commands(self.lines)
        return [Command(self, number, number, match["name"], match["argument"]) for number, match in found]

    def units(self, flags=0):
        """Compile the parts; `flags` are those of earlier `from __future__` imports."""
        units = []
        flags &= ~ALLOWED if not self.commands else -1  # no top-level await in .py files
        parts = self.parts()
        part = next(parts, None)
        while part is not None:
            following = next(parts, None)
            unit = part
            if not isinstance(part, Command):
                unit = self.compile_statement(part, flags, following is None, not units)
                flags |= future(unit.code)
            units.append(unit)
            part = following
        return units

    def compile_statement(self, node, flags=0, is_last=True, is_first=False):
        """Compile a statement to a unit. An expression is compiled to return its value, whether or not it is shown."""
        is_expression = isinstance(node, ast.Expr)
        shown = (
            is_expression
            and (self.echo == "each" or (self.echo == "last" and is_last))
            and not is_quiet(node, self.encoded)
        )
        as_value = is_expression and (shown or not is_first)  # an initial string that is not shown is the docstring
        tree, mode = (ast.Expression(node.value), "eval") if as_value else (ast.Module([node], []), "exec")
        try:
            code = compile(tree, self.filename, mode, flags, dont_inherit=True)
        except (RecursionError, MemoryError):
            raise drop_line(_(TOO_DEEP), self.filename) from None
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
        return Statement(self, first, node.end_lineno, code, shown, (node.col_offset, node.end_col_offset))


def is_quiet(node, encoded):
    """Return True if a `;` follows a statement on its line; `encoded` are the lines in UTF-8."""
    return SEMICOLON.match(encoded[node.end_lineno - 1], node.end_col_offset) is not None


def parse_statements(text, filename):
    """Parse a text as statements; raise SyntaxError for invalid code, or code nested too deeply."""
    refuse(text, filename)
    try:
        return ast.parse(text, filename).body
    except (RecursionError, MemoryError):
        raise drop_line(_(TOO_DEEP), filename) from None


def parse_pieces(lines, filename):
    """Yield the statements of many lines, parsed in pieces: a syntax tree takes a hundred times the memory of its text.

    A piece ends before a line that begins a statement, if it is complete until there. Otherwise, as within a long
    string, the piece grows; if it reaches the end without success, the whole text is parsed for the error.
    """
    text = "\n".join(lines)
    if not text.strip():  # an empty line of a session
        return
    refuse(text, filename)
    if len(lines) <= PIECE or "\r" in text:
        yield from parse_statements(text, filename)
        return
    begin, size = 0, PIECE
    while begin < len(lines):
        end = next((n for n in range(begin + size, len(lines)) if BEGINNING.match(lines[n])), len(lines))
        try:
            found = ast.parse("\n" * begin + "\n".join([*lines[begin:end], ""]), filename).body
        except (SyntaxError, RecursionError, MemoryError):
            if end == len(lines):
                parse_statements(text, filename)
                raise
            size *= 2
            continue
        yield from found
        begin, size = end, PIECE


def refuse(text, filename):
    """Raise SyntaxError for text that is too long or contains invalid characters."""
    if len(text) > MOST_CODE:
        raise drop_line(_("more than the limit of {most_code} MiB of code").format(most_code=MOST_CODE >> 20), filename)
    found = NOT_IN_CODE.search(text)
    if found:
        begin, line = text.rfind("\n", 0, found.start()) + 1, text.count("\n", 0, found.start()) + 1
        column = found.start() - begin + 1
        what = _("the character U+{number:04X}, which is not allowed in code").format(number=ord(found[0]))
        raise SyntaxError(what, (filename, line, column, None, line, column + 1))


def drop_line(message, filename):
    """Return a SyntaxError without a location."""
    return SyntaxError(message, (filename, None, None, None))


def future(code):
    """Return the compiler flag of `from __future__ import annotations` if code was compiled with it."""
    return code.co_flags & __future__.annotations.compiler_flag


def drop_indent(text):
    """Remove the indentation of the first line from all lines, for code pasted out of a block."""
    lines = text.split("\n")
    indent = re.match(r"[ \t]*", next((line for line in lines if line.strip()), ""))[0]
    return "\n".join(line.removeprefix(indent) for line in lines)
