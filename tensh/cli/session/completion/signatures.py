"""The signature of the call that is being typed, and which of its parameters the argument at the cursor is for.

Nothing runs for it: of a function that would have to be computed first nothing is known.
"""

from typing import NamedTuple

from tensh.cli.session.completion import arguments, context

LONGEST = 4000  # characters before the cursor that are looked at: the longest take 2 ms


class Signature(NamedTuple):
    """A function as it is written in the call, its parameters, and the number of the one at the cursor, if there is one."""

    function: str
    parameters: list[str]
    current: int | None


def find_call(text):
    """The Call in which a text ends, within an index or a list of it, too; None where it ends outside of calls."""
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
    """The Signature of the call in which a text ends; None where there is none, or nothing is known of it."""
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
    """The number of the parameter of a kind; None if there is none."""
    return next((number for number, p in enumerate(parameters.values()) if p.kind.name == kind), None)


def write_parameters(parameters):
    """The parameters as they are written in a definition, one text for each."""
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
