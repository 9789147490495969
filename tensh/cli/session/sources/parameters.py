"""`--set NAME=VALUE`: replace the value of a plain assignment in the script, whose default determines the type."""

import ast
from itertools import islice

from tensh.support.language import _
from tensh.support.patterns import pattern
from tensh.support.spelling import close

WORDS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
MOST = 10  # parameters listed when one is unknown
LONGEST = 60  # characters shown of a value
UNREAD = (ValueError, TypeError, SyntaxError, RecursionError, MemoryError)  # raised for a text that is not a literal
MARK = pattern(rb"\s*#\s*param(?!\S)")  # after an assignment


class SettingError(ValueError):
    """Raised for a setting that does not fit the script."""


def apply(settings, sources):
    """Replace the assigned defaults in the sources by `settings` (texts NAME=VALUE)."""
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
    """Return name -> (source, node, value) for plain assignments: the one marked `# param`, else the first."""
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
    """Convert a text to the type of the default."""
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
    """Format a value, shortened if it is long."""
    try:
        return shorten(repr(value))
    except ValueError:  # Python refuses to write numbers with thousands of digits
        return _("a number with so many digits")


def shorten(text):
    """Shorten a long text."""
    return text if len(text) <= LONGEST else text[:LONGEST] + "..."


def _literal(value, text, place):
    """Return the syntax tree of a value, at the location of another tree."""
    simple = isinstance(value, bool | int | float | complex | str) or value is None
    tree = ast.Constant(value) if simple else ast.parse(text.lstrip(" \t"), mode="eval").body
    for node in ast.walk(tree):
        ast.copy_location(node, place)
    return tree


def _statements(source):
    try:
        return [part for part in source.parts() if isinstance(part, ast.Assign | ast.AnnAssign)]
    except (SyntaxError, ValueError):
        return []  # running it reports the error


def _read_assignment(node):
    """Return (name, value) for an assignment of a literal to one name, else (None, None)."""
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
