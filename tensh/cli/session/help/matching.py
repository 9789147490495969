"""The names that a pattern matches: `torch.*norm?`, `w*?`."""

from fnmatch import fnmatchcase

from tensh.cli.session.help import names
from tensh.cli.session.help.unknown import Unknown
from tensh.cli.session.help.view import Listing
from tensh.cli.session.static import known, members
from tensh.language import _


def list_matching(pattern, namespace):
    """The names that match a pattern, a line each with its kind and what it is, as the (kind, text) pairs of a page.

    `*` stands for any letters. A pattern without a point is matched with the names of the session, and with those of torch
    where none of them fits.
    """
    space, point, word = pattern.rpartition(".")
    if point:
        found = match_members(space, word, namespace)
    else:
        found = {name: members.describe_value(namespace[name]) for name in match_names(namespace, word)}
        found = found or match_members("torch", word, namespace)
    if not found:
        raise Unknown(_("{pattern}?: no name is like this").format(pattern=pattern))
    yield "view", Listing((name, "  ".join(filter(None, facts))) for name, facts in found.items())


def match_members(source, word, namespace):
    """{path: (kind, detail)} of the members of a value that match; nothing of it runs."""
    found = known.find_known(source, namespace)
    if found is None:
        public = names.find_name(source) if source != "torch" else None
        value = names.holder("torch") if source == "torch" else public and public.value
        found = value and known.Known(value, type(value))
    if not found:
        raise Unknown(_("{name}?: the name {space!r} is not defined").format(name=f"{source}.{word}", space=source))
    return {
        f"{source}.{name}": members.describe_member(found, name) for name in match_names(members.names(found), word)
    }


def match_names(known_names, word):
    """The names that match a pattern, in alphabetical order; those with an underscore in front only if it has one."""
    return sorted(
        name
        for name in known_names
        if type(name) is str and fnmatchcase(name, word) and (word.startswith("_") or not name.startswith("_"))
    )
