"""A failure as plain data: the user's frames, and the operands of the failing code."""

import ast
import functools
import linecache
import os
import re
import sys
from itertools import islice
from types import FrameType
from typing import NamedTuple

import tensh
from tensh.cli.session.sources.source import Source
from tensh.show.reading.describe import dtype, is_array, module
from tensh.show.reading.reprs import safe_str, write_safely
from tensh.support.columns import in_characters
from tensh.support.escaping import visible_line
from tensh.support.language import _, deferred
from tensh.support.naming import is_of_torch

OURS = os.path.dirname(os.path.abspath(tensh.__file__)) + os.sep

SESSION = "tensh.cli.session."  # prefix of the modules whose exceptions are refusals by commands
ENGINE = "tensh.engine.core.tensor"  # without this module there are no tensors
UNPARSED = (SyntaxError, ValueError, RecursionError, MemoryError)  # raised by the parser for code that it cannot read
MOST_LINES = 2**20  # empty lines before the code of a file that does not exist
MOST_CAUSES = 3  # exceptions shown of a chain


class Place(NamedTuple):
    """A piece of the user's code: lines counted from 1, columns from 0 in characters."""

    source: Source
    function: str | None
    line: int
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None

    @property
    def text(self):
        """The first line of the place."""
        return self.source.lines[self.line - 1] if 0 < self.line <= len(self.source.lines) else ""

    @property
    def segment(self):
        """The code of the place if it is part of one line, else None."""
        return None if self.column is None or self.end_line != self.line else self.text[self.column : self.end_column]


class NamedArray(NamedTuple):
    """An array's name in the code, shape and dtype."""

    name: str
    shape: tuple[int, ...]
    dtype: str

    @property
    def text(self):
        return f"[{', '.join(map(str, self.shape))}] {self.dtype}"


class Failure(NamedTuple):
    """An exception, and the places from where it was raised outwards.

    `operands` are the arrays named in the failing code, `local` the other arrays among the function's local names.
    """

    error: BaseException
    places: list[Place]
    operands: list[NamedArray]
    inside: str | None
    suggestion: str | None
    cause: "Failure | None"
    reason: str | None
    explanation: object = None
    local: tuple[NamedArray, ...] = ()

    @property
    def chain(self):
        """Yield the failure, and the ones that led to it."""
        found = self
        while found:
            yield found
            found = found.cause

    @property
    def kind(self):
        """The name of the exception as Python shows it; "" for an error of a command."""
        kind = type(self.error)
        name = module(kind)
        if name.startswith(SESSION):
            return ""
        return kind.__qualname__ if name in ("", "builtins", "__main__") else f"{name}.{kind.__qualname__}"

    @property
    def message(self):
        if isinstance(self.error, SyntaxError) and isinstance(self.error.msg, str):
            return self.error.msg
        message = write_safely(str, self.error, "message")  # the exception is user code, which may itself fail
        return message if self.kind else visible_line(message)

    @property
    def notes(self):
        notes = getattr(self.error, "__notes__", ())
        return [safe_str(note) for note in notes] if type(notes) is list else []


class UnshownError(Exception):
    """Stand in for an exception whose own methods fail."""


def remember(error):
    """Store an exception where Python's prompt stores the last one, for `pdb.pm()`."""
    sys.last_exc = sys.last_value = error
    sys.last_type, sys.last_traceback = type(error), error.__traceback__


def explain(error, sources):
    """Return the Failure of an exception from code in `sources` (file name -> Source)."""
    try:
        found = _explain(error, sources)
        for each in found.chain:  # query now what will be shown later
            each.kind, each.message, each.notes  # noqa: B018
        return found
    except Exception as fault:
        words = _("an exception was raised that cannot be shown: showing it raises {name}").format(
            name=type(fault).__name__
        )
        traceback = vars(BaseException)["__traceback__"].__get__(error)
        return _explain(UnshownError(words).with_traceback(traceback), sources)


def _explain(error, sources, after=()):
    """Return the Failure of an exception; `after` are the exceptions it led to."""
    from tensh.cli.session.failures.suggest import suggestion  # for failures only

    steps = [*steps_to(error)]
    own = users_steps(steps, sources)
    innermost = own[-1][0] if own else None
    passed_on = own and steps[-1] is not own[-1]  # to library code
    places = [_place(*step, sources) for step in reversed(own)]
    operands = _attempt(_operands, innermost, places[0]) or [] if own else []
    inside = _library(steps[-1][0]) if passed_on else None
    names_are_the_users = not passed_on or isinstance(error, TypeError | AttributeError)
    frame = innermost if names_are_the_users else None
    meant = _attempt(suggestion, error, frame, places[0].segment if own else None)
    if isinstance(error, SyntaxError):
        syntax = _attempt(_syntax_place, error, sources)
        if syntax:
            places, operands, inside, innermost = [syntax, *places], [], None, None
    why = _reason(error, own, places, meant, sources)
    if why and (why.fits and isinstance(error, NameError | TypeError | AttributeError) or why.operation == "name"):
        meant = None
    named = {each.text for each in why.operands} if why else {each.name for each in operands}
    local = _attempt(_local, innermost, named, places[0]) or () if innermost else ()
    return Failure(error, places, operands, inside, meant, *_cause(error, sources, (*after, error)), why, local)


def _reason(error, own, places, meant, sources):
    """Return the Explanation of an exception: its line is a command, or is repaired, or its operands tell; else None."""
    if places and isinstance(error, SyntaxError | NameError | TypeError):
        found = _attempt(_words, error, places[0], meant)
        if found is not None:
            return found
    if isinstance(error, SyntaxError):
        return _attempt(_repair, places[0]) if places else None
    return _explanation(error, own, places, sources) if own else None


def _attempt(function, *arguments):
    """Call a function, and return None if it fails: the user's exceptions and values may behave arbitrarily."""
    try:
        return function(*arguments)
    except Exception:
        return None


def users_steps(steps, sources):
    """Select the steps of a traceback in the user's code, outermost first."""
    return [step for step in steps if is_users(step[0].f_code.co_filename, sources)]


def place_of_step(step, sources):
    """Return the place of a step of `users_steps`."""
    return _place(*step, sources)


def place_of(frame, sources):
    """Return the place of a running frame."""
    return _place(frame, frame.f_lasti, frame.f_lineno, sources)


def users_frame():
    """Return the innermost frame of the user's code."""
    from tensh.engine.errors.warnings import is_tensh_file

    frame = sys._getframe(1)
    while frame.f_back is not None and is_tensh_file(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def _explanation(error, own, places, sources):
    """Explain a failure; None if there is no explanation, the engine is not in use, or explaining failed."""
    if ENGINE not in sys.modules:
        return None
    from tensh.cli.session.failures.earlier import count_from_source, put_behind_earlier
    from tensh.explain import Place as Piece
    from tensh.explain import explain as explained

    traceback = error.__traceback__
    while traceback.tb_frame is not own[-1][0] or traceback.tb_lasti != own[-1][1]:
        traceback = traceback.tb_next
    try:
        at = places[0]
        known = at.column is not None
        if not known:
            return explained(error, traceback, Piece("", 1, 0, 1, 0))
        text, before = put_behind_earlier(at.source, sources)
        piece = Piece(text, at.line + before, at.column, at.end_line + before, at.end_column)
        found = explained(error, traceback, piece)
        return count_from_source(found, before) if found else None
    except Exception:  # the message must be shown even if explaining fails
        return None


def _words(error, place, meant):
    """Explain a line that is a command without its sign."""
    from tensh.cli.session.failures.words import explain_words

    return explain_words(error, place, meant is not None)


def _repair(place):
    """Find the change that repairs a syntax error."""
    from tensh.explain.search.syntax import repair
    from tensh.support.command_lines import command_on

    lines = ("" if command_on(line) else line for line in place.source.text.split("\n"))
    return repair("\n".join(lines), place.line)


def _cause(error, sources, after):
    """Return (Failure, how it led to the error) of the preceding exception, if the user's code was involved."""
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is None or len(after) > MOST_CAUSES or any(before is each for each in after):
        return None, None
    cause = _explain(before, sources, after)
    if not cause.places:
        return None, None
    return cause, deferred("caused by") if error.__cause__ is not None else deferred("while handling")


def steps_to(error):
    """Yield (frame, instruction, line) for each entry of an exception's traceback, outermost first."""
    traceback = error.__traceback__
    while traceback is not None:
        line = traceback.tb_lineno or _line_before(traceback.tb_frame.f_code, traceback.tb_lasti)
        yield traceback.tb_frame, traceback.tb_lasti, line
        traceback = traceback.tb_next


def _line_before(code, instruction):
    """Return the line of the last instruction that has one: ^C may arrive at a jump inserted by the compiler."""
    before = ((start, line) for start, _, line in code.co_lines() if line and start <= instruction)
    return max(before, default=(0, code.co_firstlineno))[1]  # there is none if ^C came as the code began


def is_users(filename, sources):
    """Return True if a file is the user's: run by the session, or not installed."""
    if filename in sources:
        return True
    return not (filename.startswith(("<", OURS)) or os.path.realpath(filename).startswith(_libraries()))


@functools.cache
def _libraries():
    """Return the folders of installed code: Python's own and those of packages."""
    installed = [os.path.dirname(os.__file__), *(path for path in sys.path if path.endswith("-packages"))]
    return tuple(os.path.realpath(path) + os.sep for path in installed)


def _library(frame):
    """Return the name of the function that raised if it belongs to a library other than the engine."""
    name = str(frame.f_globals.get("__name__", ""))
    if is_of_torch(name) or frame.f_code.co_filename.startswith("<"):
        return None
    return f"{name}.{frame.f_code.co_qualname}"


def _place(frame: FrameType, instruction, line, sources):
    return place_of_code(frame.f_code, instruction, line, sources)


def place_of_code(code, instruction, line, sources):
    """Return the place of an instruction of a code object; only the line if columns are unknown."""
    source = source_of(code.co_filename, sources)
    function = None if code.co_name == "<module>" else code.co_qualname
    # Columns are unknown under -X no_debug_ranges.
    first, last, column, end_column = next(islice(code.co_positions(), instruction // 2, None), (None,) * 4)
    if None in (first, last, column, end_column) or last > len(source.lines):
        return Place(source, function, line)
    if last > first:
        from tensh.explain.source.place import header

        first, column, last, end_column = header(source.text, first, column, last, end_column)
    return _place_of_bytes(source, function, first, column, last, end_column)


def place_of_node(source, node, function=None):
    """Return the place of a node of a source's tree."""
    return _place_of_bytes(source, function, node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)


def _place_of_bytes(source, function, first, column, last, end_column):
    """Return a place from columns in bytes, as Python counts them."""
    column, end_column = (in_characters(source.lines[n - 1], c) for n, c in ((first, column), (last, end_column)))
    return Place(source, function, first, column, last, end_column)


def source_of(filename, sources):
    """Return the source of a file: one that the session runs, or another user file."""
    return sources.get(filename) or Source(
        "".join(linecache.getlines(filename)).rstrip("\n"), filename, _short(filename)
    )


def _syntax_place(error, sources):
    """Return the place at which the parser stopped; line 0 if it gives only the source."""
    if error.lineno is None:
        return Place(sources[error.filename], None, 0) if error.filename in sources else None
    source = source_of(error.filename or "<string>", sources)
    if not source.text and error.text:
        before = "\n" * min(error.lineno - 1, MOST_LINES)  # the exception may claim any line number
        source = Source(before + error.text.rstrip("\n"), source.filename, source.label)
    line = min(error.lineno, len(source.lines))
    if line < error.lineno or not error.offset:
        return Place(source, None, line)
    column, end_line, end_column = error.offset - 1, error.end_lineno or line, (error.end_offset or 0) - 1
    if end_line == line:
        end_column = max(end_column, column + 1)
    return Place(source, None, line, column, end_line, end_column)


def _short(filename):
    """Return a file name relative to the current folder if that is shorter."""
    try:
        relative = os.path.relpath(filename)
    except (ValueError, OSError):  # another drive, or the folder was deleted
        return filename
    return min(filename, relative, key=len)


def _operands(frame, place):
    """Return the arrays named in the failing code, in its order."""
    try:
        tree = ast.parse((place.segment or "").strip(), mode="eval")
    except UNPARSED:
        return []
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            value = frame.f_locals.get(node.id, frame.f_globals.get(node.id))
            if is_array(value):
                found[node.id] = node.col_offset, describe_operand(node.id, value)
    return [operand for _, operand in sorted(found.values())]


def _local(frame, named, place):
    """Return the other arrays among a function's local names, those on the line first."""
    if frame.f_code.co_name == "<module>":
        return ()
    found = [describe_operand(*each) for each in frame.f_locals.items() if is_array(each[1]) and each[0] not in named]
    on_the_line = re.findall(r"\w+", place.text)
    return tuple(sorted(found, key=lambda each: each.name not in on_the_line))


def describe_operand(name, array):
    return NamedArray(name, tuple(map(int, array.shape)), dtype(array))
