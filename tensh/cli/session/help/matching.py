"""Help on the names that match a pattern: `torch.*norm?`, `w*?`."""

from fnmatch import fnmatchcase

from tensh.cli.session.help import names
from tensh.cli.session.help.unknown import Unknown
from tensh.cli.session.help.view import Listing
from tensh.cli.session.static import known, members
from tensh.support.language import _


def list_matching(pattern, namespace):
    """Yield the page of the names that match a pattern, one per line with kind and description.

    `*` stands for any characters. A pattern without a dot is matched with the names of the session, and if there are
    none with those of torch.
    """
    space, point, word = pattern.rpartition(".")
    if point:
        found = match_members(space, word, namespace)
    else:
        found = {name: members.describe_value(namespace[name]) for name in match_names(namespace, word)}
        found = found or match_members("torch", word, namespace)
    if not found:
        raise Unknown(_("{pattern}?: no name matches").format(pattern=pattern))
    yield (
        "view",
        Listing((name, "  ".join(filter(None, (facts[0] and _(facts[0]), facts[1])))) for name, facts in found.items()),
    )


def match_members(source, word, namespace):
    """Return {path: (kind, detail)} for the matching members of a value, without running code."""
    found = known.find_known(source, namespace)
    if found is None:
        public = names.find_name(source) if source != "torch" else None
        value = names.holder("torch") if source == "torch" else public and public.value
        found = value and known.Known(value, type(value))
    if not found:
        raise Unknown(_("{name}?: the name {space!r} is not defined").format(name=f"{source}.{word}", space=source))
    matching = match_names(members.names(found), word)
    described = members.describe_members(found, matching)
    return {f"{source}.{name}": facts for name, facts in zip(matching, described, strict=True)}


def match_names(known_names, word):
    """Return the names that match a pattern, sorted; private names only if the pattern begins with an underscore."""
    return sorted(
        name
        for name in known_names
        if type(name) is str and fnmatchcase(name, word) and (word.startswith("_") or not name.startswith("_"))
    )
