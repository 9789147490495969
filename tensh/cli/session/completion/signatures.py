"""The signature of the call being typed, and the parameter at the cursor.

No code runs: a function that would have to be computed first is unknown.
"""

from typing import NamedTuple

from tensh.cli.session.completion import arguments, context

LONGEST = 4000  # characters searched before the cursor: the longest take 2 ms


class Signature(NamedTuple):
    """A function as written in the call, its parameters, and the index of the one at the cursor, if any."""

    function: str
    parameters: list[str]
    current: int | None


def find_call(text):
    """Return the call around the end of a text, also from within an index or a list in it; None outside of calls."""
    if len(text) > LONGEST:
        return None
    place = context.place(text)
    if place.comment or place.string is not None:
        place = context.place(text[: place.string] if place.string is not None else "")
    brackets = place.brackets
    while brackets:
        place = place._replace(brackets=brackets)
        found = context.call(place)
        if found:
            return found
        brackets = brackets[:-1]
    return None


def find_signature(text, namespace):
    """Return the Signature of the call around the end of a text; None outside of calls, or if the function is unknown."""
    call = find_call(text)
    known = arguments.parameters(call, namespace) if call else {}
    if not known:
        return None
    names = [*known]
    if call.keyword:
        current = names.index(call.keyword) if call.keyword in names else find_kind(known, "VAR_KEYWORD")
    else:
        positional = [name for name, p in known.items() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        number = len(call.positional)
        current = names.index(positional[number]) if number < len(positional) else find_kind(known, "VAR_POSITIONAL")
    return Signature(call.function, write_parameters(known), current)


def find_kind(parameters, kind):
    """Return the index of the parameter of a kind; None if there is none."""
    return next((number for number, p in enumerate(parameters.values()) if p.kind.name == kind), None)


def write_parameters(parameters):
    """Format parameters as in a definition, one text each."""
    found, is_open = [], True
    for p in parameters.values():
        text = arguments.default(p)
        text = f"{p.name}={text}" if text or p.default is None else p.name
        if p.kind is p.KEYWORD_ONLY and is_open:
            is_open, text = False, f"*, {text}"
        elif p.kind is p.VAR_POSITIONAL:
            is_open, text = False, f"*{p.name}"
        elif p.kind is p.VAR_KEYWORD:
            text = f"**{p.name}"
        found.append(text)
    return found
