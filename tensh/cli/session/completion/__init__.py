"""Completion: what can come next at the cursor, found without running any code.

Completes names, attributes, keywords and values of arguments, keys, files and commands. After a deadline details are
omitted, so that the menu always appears in time.
"""

import builtins
import keyword
from time import perf_counter
from typing import NamedTuple

from tensh.show.reading.reprs import safe_repr
from tensh.support.escaping import visible_line
from tensh.support.language import deferred

TIME = 0.03  # seconds, so that the menu appears within 50 ms
MOST = 1000  # candidates


class Candidate(NamedTuple):
    """A replacement for the text before the cursor: the new text, its kind, and details."""

    text: str
    kind: str = ""
    detail: str = ""


class Completion(NamedTuple):
    """The number of characters before the cursor to replace, and the candidates."""

    length: int
    candidates: list[Candidate]


def complete(text, namespace, time=TIME):
    """Complete the end of a text."""
    from tensh.cli.session.completion import elsewhere

    deadline = perf_counter() + time
    if match := elsewhere.COMMAND.match(text):
        return answer(len(match[0]), elsewhere.commands(match[1]))
    if match := elsewhere.WITH_ARGUMENT.match(text):
        return complete_command(match[1], match[2], namespace, deadline)
    return complete_code(text, namespace, deadline)


def complete_command(name, argument, namespace, deadline):
    """Complete the argument of a command: settings or files, else its options and expressions."""
    from tensh.cli.session.completion import elsewhere

    found = elsewhere.command_arguments(name, argument)
    if found is not None:
        return answer(*found)
    word = argument.rpartition(" ")[2]
    own, code = [*elsewhere.options(name, word)], complete_code(argument, namespace, deadline)
    if not own or code.length != len(word):
        return answer(len(word), own) if own else code
    return answer(len(word), [*own, *code.candidates])


def complete_code(text, namespace, deadline):
    """Complete Python."""
    from tensh.cli.session.completion import context, importing

    line = text.rpartition("\n")[2]
    place = context.place(text)
    if place.comment:
        return Completion(0, [])
    if place.string is not None:
        code = context.code_in_string(place)
        return complete_string(place, namespace) if code is None else complete_code(code, namespace, deadline)
    if (match := importing.FROM.match(line)) and len(place.brackets) <= 1:
        return answer(len(match[2]), importing.importable(match[1], match[2]))
    if (match := importing.IMPORT.match(line)) and not place.brackets:
        return answer(len(match[1].rpartition(".")[2]), importing.modules(match[1]))
    if place.is_attribute:
        return complete_attribute(place, namespace, deadline)
    return complete_name(place, namespace, deadline)


def answer(length, found):
    """Return a Completion for (text, kind, detail) triples."""
    return Completion(length, [Candidate(*each) for each, _ in zip(found, range(MOST), strict=False)])


def complete_attribute(place, namespace, deadline):
    """Complete an attribute; if the argument only takes certain ones, such as dtypes, only those."""
    from tensh.cli.session.completion import arguments, context
    from tensh.cli.session.completion.matching import list_matching
    from tensh.cli.session.static import known, members

    call = context.call(place)
    if call is not None and call.value == f"{place.owner}.{place.word}":
        fitting = [each for each in arguments.values(call, namespace) if each[0].startswith(call.value)]
        if fitting:
            return answer(len(place.word), [(text.rpartition(".")[2], *more) for text, *more in fitting])
    base = place.owner and known.find_known(place.owner, namespace)
    if base is None:
        return Completion(0, [])
    fitting = list_matching(members.names(base), place.word)
    if place.word and not fitting:
        return answer(len(place.word), members.counterparts(base, place.word))
    return answer(len(place.word), describe_names(fitting, members.describe_members(base, fitting), deadline))


def complete_name(place, namespace, deadline):
    """Complete a name: arguments of the enclosing call, then names of the session, built-ins and keywords."""
    from tensh.cli.session.completion import arguments, context
    from tensh.cli.session.completion.matching import list_matching
    from tensh.cli.session.static import members

    word, found = place.word, []
    call = context.call(place)
    if call is not None and call.value == f"-{word}":
        dims = [each for each in arguments.values(call, namespace) if each[0].startswith(call.value)]
        return answer(len(call.value), dims)
    if call is not None and call.value == word:
        found += [each for each in arguments.values(call, namespace) if matches(each[0], word)]
        if not call.keyword:
            found += [each for each in arguments.keywords(call, namespace) if each[0].startswith(word)]
    source = context.find_indexed_source(place)
    if source is not None and place.text[place.brackets[-1] + 1 :] == word:
        found += [(safe_repr(key), *members.describe_value(value)) for key, value in arguments.keys(source, namespace)]
    if word or not found:
        own = list_matching(namespace, word)
        found += describe_names(own, (members.describe_value(namespace[name]) for name in own), deadline)
    if word:
        others = {
            *list_matching(vars(builtins), word),
            *(k for k in keyword.kwlist if k.startswith(word)),
        } - namespace.keys()
        found += [
            (name, deferred("keyword") if keyword.iskeyword(name) else deferred("built in"), "")
            for name in sorted(others)
        ]
    return answer(len(word), dict.fromkeys(found))


def matches(text, word):
    """Return True if a value can be completed from a word: torch.float64 also from `f`."""
    return text.startswith(word) or text.rpartition(".")[2].startswith(word)


def complete_string(place, namespace):
    """Complete in a string: keys of the indexed dict, words that the argument takes, files."""
    from tensh.cli.session.completion import arguments, context, elsewhere
    from tensh.cli.session.static import members

    begun = place.text[place.string :]
    outside = context.place(place.text[: place.string].rstrip("'\""))
    source = context.find_indexed_source(outside)
    if source is not None:
        keys = [(literal(k), v) for k, v in arguments.keys(source, namespace) if isinstance(k, str)]
        keys = [(key, value) for key, value in keys if key.startswith(begun)]
        return answer(len(begun), [(key, *members.describe_value(value)) for key, value in keys])
    call = context.call(outside)
    words = arguments.values(call, namespace) if call is not None and call.value == "" else ()
    found = [(text[1:-1], kind, detail) for text, kind, detail in words if text.startswith(f'"{begun}')]
    return answer(len(begun), found or elsewhere.files(begun))


def literal(text):
    """Escape a text for use between quotes."""
    return visible_line(text.replace("\\", "\\\\"))


def describe_names(names, described, deadline):
    """Yield (name, kind, detail) for names; ``described`` yields the (kind, detail) of each, read until the deadline."""
    for name in names[:MOST]:
        yield name, *(next(described) if perf_counter() < deadline else ("", ""))
