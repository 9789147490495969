"""`--set NAME=VALUE`: another value for a plain assignment of the script, which is its default and gives its type."""

import ast
import re
from itertools import islice

from tensh.language import _
from tensh.spelling import close

WORDS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
MOST = 10  # parameters that are named where one is not known
LONGEST = 60  # characters of a value that are shown
UNREAD = (ValueError, TypeError, SyntaxError, RecursionError, MemoryError)  # of a text that is not a literal
MARK = re.compile(rb"\s*#\s*param(?!\S)")  # behind an assignment


class SettingError(ValueError):
    """A setting that does not fit the script."""


def apply(settings, sources):
    """Put the values of `settings` (texts NAME=VALUE) in the place of the defaults that the sources assign."""
    assignments = defaults(sources) if settings else {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals:
            raise SettingError(f"--set {shorten(setting)}: write NAME=VALUE")
        if name not in assignments:
            raise SettingError(describe_unknown(name, assignments))
        source, node, default = assignments[name]
        try:
            value = convert(text, default)
        except UNREAD:
            place = source.place(node.lineno)
            known = f"{name} is {_kind(default)} ({name} = {format_value(default)}, {place})"
            raise SettingError(f"--set {shorten(setting)}: {known}") from None
        node.value = _literal(value, text, node.value)
        source.replaced[node.lineno, node.col_offset] = node


def defaults(sources):
    """Name -> (source, node, value) of the plain assignments: of the one marked `# param`, else of the first."""
    found, marked = {}, set()
    for source in sources:
        for node in _statements(source):
            name, value = _read_assignment(node)
            if name is None or name in marked:
                continue
            if _is_marked(source, node):
                marked.add(name)
            elif name in found:
                continue
            found[name] = source, node, value
    return found


def convert(text, default):
    """A text as a value of the default's type."""
    kind = type(default)
    if kind is bool:
        if text.lower() not in WORDS:
            raise ValueError(text)
        return WORDS[text.lower()]
    if kind is int:
        return int(text, 0)
    if kind in (float, complex):
        return kind(text)
    if kind is str:
        return text
    if default is None:
        try:
            return ast.literal_eval(text)
        except UNREAD:
            return text
    value = ast.literal_eval(text)
    if type(value) is not kind:
        raise ValueError(text)
    return value


def format_value(value):
    """A value as it is written, or the beginning of it."""
    try:
        return shorten(repr(value))
    except ValueError:  # Python writes no number of more than some thousand digits
        return _("a number with so many digits")


def shorten(text):
    """A text, or its beginning if it is long."""
    return text if len(text) <= LONGEST else text[:LONGEST] + "..."


def _literal(value, text, place):
    """The syntax tree of the value of a text, at the place of another tree."""
    simple = isinstance(value, bool | int | float | complex | str) or value is None
    tree = ast.Constant(value) if simple else ast.parse(text.lstrip(" \t"), mode="eval").body
    for node in ast.walk(tree):
        ast.copy_location(node, place)
    return tree


def _statements(source):
    try:
        return [part for part in source.parts() if isinstance(part, ast.Assign | ast.AnnAssign)]
    except (SyntaxError, ValueError):
        return []  # running it will say so


def _read_assignment(node):
    """(name, value) of an assignment of a literal to one name, else (None, None)."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    if len(targets) == 1 and isinstance(targets[0], ast.Name) and node.value is not None:
        try:
            return targets[0].id, ast.literal_eval(node.value)
        except UNREAD:
            pass
    return None, None


def _is_marked(source, node):
    return MARK.match(source.encoded[node.end_lineno - 1], node.end_col_offset) is not None


def describe_unknown(name, assignments):
    meant = close(name, assignments)
    if meant:
        return _("--set {name}: the script has no such parameter; did you mean {meant}?").format(
            name=shorten(name), meant=meant
        )
    known = ", ".join(
        f"{each}={format_value(value)}" for each, (_first, _last, value) in islice(assignments.items(), MOST)
    )
    more = _(" and {number} more").format(number=len(assignments) - MOST) if len(assignments) > MOST else ""
    return _("--set {name}: the script has no such parameter; ").format(name=shorten(name)) + (
        _("it has {known}{more}").format(known=known, more=more) if known else _("it has none")
    )


def _kind(default):
    return _("None or any value") if default is None else _("of type {kind}").format(kind=type(default).__name__)
