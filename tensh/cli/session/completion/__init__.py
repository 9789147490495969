"""Completion: what can come next at the cursor, found without running anything.

Names, attributes, keywords and values of arguments, keys, files, commands. Details are dropped once the time is up, so
that the menu is never late.
"""

import builtins
import keyword
from time import perf_counter
from typing import NamedTuple

from tensh.escaping import visible_line
from tensh.language import _
from tensh.show.reprs import safe_repr

TIME = 0.03  # seconds, so that the menu is there within 50 ms
MOST = 1000  # candidates


class Candidate(NamedTuple):
    """A replacement for the letters before the cursor: its text, its kind, and more about it."""

    text: str
    kind: str = ""
    detail: str = ""


class Completion(NamedTuple):
    """The number of letters before the cursor to replace, and the replacements."""

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
    """Complete behind a command: a setting, a file; or its options, and expressions."""
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
    """A Completion of (text, kind, detail) triples."""
    return Completion(length, [Candidate(*each) for each, _ in zip(found, range(MOST), strict=False)])


def complete_attribute(place, namespace, deadline):
    """The attributes of the expression before the point; where only some will do, such as dtypes, these."""
    from tensh.cli.session.completion import arguments, context
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
    return answer(len(place.word), describe_names(fitting, lambda name: members.describe_member(base, name), deadline))


def complete_name(place, namespace, deadline):
    """Arguments of the call that the cursor is in, then names: those of the session, of Python, keywords."""
    from tensh.cli.session.completion import arguments, context
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
        found += describe_names(own, lambda name: members.describe_value(namespace[name]), deadline)
    if word:
        others = {
            *list_matching(vars(builtins), word),
            *(k for k in keyword.kwlist if k.startswith(word)),
        } - namespace.keys()
        found += [(name, _("keyword") if keyword.iskeyword(name) else _("built in"), "") for name in sorted(others)]
    return answer(len(word), dict.fromkeys(found))


def matches(text, word):
    """True if a word can be the beginning of a value: `f` of `float64`, although that is written torch.float64."""
    return text.startswith(word) or text.rpartition(".")[2].startswith(word)


def complete_string(place, namespace):
    """Keys of the dict that is indexed; words that an argument takes; files."""
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
    """A text as it stands between quotes."""
    return visible_line(text.replace("\\", "\\\\"))


def list_matching(names, word):
    """The names that begin with a word: functions before classes, in alphabetical order, private names only after an underscore.

    A file can give a value attributes of any name: those that nobody can type are left out.
    """
    found = (name for name in names if type(name) is str and name.startswith(word) and name.isidentifier())
    return sorted((name for name in found if word or not name.startswith("_")), key=rank)


def rank(name):
    """The key by which names are sorted: those that begin with a capital are classes or constants, and come later."""
    return name.startswith("_"), name[0].isupper(), name


def describe_names(names, describe, deadline):
    """(name, kind, detail) of names; without details from the moment that the time is over."""
    for name in names[:MOST]:
        yield name, *(describe(name) if perf_counter() < deadline else ("", ""))
