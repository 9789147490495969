"""A failure as text: the message first, the user's code with the failing piece marked, then how it got there."""

import traceback

from tensh.cli.render.code import quote

MOST_CALLERS = 4  # shown at each end of a long way


def short(failure):
    """(kind, text) pairs: the user's lines only."""
    yield from _head(failure)
    if failure.places:
        yield from quote(failure.places[0], failing=True)
    if failure.operands:
        yield "note", "        " + ", ".join(f"{name} is {text}" for name, text in failure.operands) + "\n"
    if failure.suggestion:
        yield "note", f"        did you mean {failure.suggestion}?\n"
    for note in failure.notes:
        yield "plain", "".join(f"  {line}\n" for line in note.split("\n"))
    if failure.inside:
        yield "note", f"  raised in {failure.inside}\n"
    yield from _callers(failure.places)
    if failure.cause:
        yield "note", f"  {failure.reason}\n"
        yield from short(failure.cause)


def full(failure):
    """(kind, text) pairs: Python's own traceback, with every frame."""
    for text in traceback.format_exception(failure.error):
        yield "plain", text


def stopped(failure, words):
    """(kind, text) pairs that say where the code was when it was stopped."""
    yield from _where(failure)
    yield "message", f"{words}\n"


def warned(place, kind, message):
    """(kind, text) pairs of a warning."""
    yield from _at(place)
    yield "warning", kind
    yield "plain", f": {message}\n"
    if place.text:
        yield from quote(place, failing=False, before=0)


def _where(failure):
    if failure.places:
        yield from _at(failure.places[0])


def _at(place):
    """Where it was, for a reader who does not see it before his eyes."""
    text = place.source.place(place.line)
    if text:
        yield "place", text
        yield "plain", ": "


def _head(failure):
    yield from _where(failure)
    if failure.kind:
        yield "error", failure.kind
        yield "plain", ": " if failure.message else ""
    yield "message", failure.message
    yield "plain", "\n"


def _callers(places):
    """The calls that led to the first place, from the inside out."""
    hidden = len(places) - 1 - 2 * MOST_CALLERS
    for index in range(1, len(places)):
        if hidden > 0 and MOST_CALLERS < index <= MOST_CALLERS + hidden:
            if index == MOST_CALLERS + 1:
                yield "note", f"  ... {hidden} more calls ...\n"
            continue
        place = places[index]
        where = place.source.place(place.line)
        yield "note", f"  in {places[index - 1].function or 'the file'}, called from" + " " * bool(where)
        yield "place", where
        yield "plain", "\n"
        yield from quote(place, failing=False, before=0)
