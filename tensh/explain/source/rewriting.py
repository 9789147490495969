"""Rewriting the source of a call."""

import ast

from tensh.explain.source.pieces import piece


def set_keyword(segment, name, value):
    """Return a call with a keyword argument added or changed; None if it is not a call."""
    call = call_in(segment)
    if call is None:
        return None
    for keyword in call.keywords:
        if keyword.arg == name:
            _, (start, end) = piece(segment, keyword.value)
            return segment[:start] + value + segment[end:]
    end = segment.rindex(")")
    begin = segment[:end].rstrip()
    comma = "" if begin.endswith(("(", ",")) else ", "
    return f"{begin}{comma}{name}={value}{segment[end:]}"


def rename_called(segment, name):
    """Return a call of another function or method with the same arguments; None if it is not a call."""
    call = call_in(segment)
    if call is None or not isinstance(call.func, ast.Attribute | ast.Name):
        return None
    own = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id
    _, (_, end) = piece(segment, call.func)
    return segment[: end - len(own)] + name + segment[end:]


def replace_positional(segment, *values):
    """Return a call with other positional arguments; None if it is not a call."""
    call = call_in(segment)
    if call is None:
        return None
    _, (_, end) = piece(segment, call.func)
    return f"{segment[:end]}({', '.join(map(str, values))})"


def elements(text):
    """Return (text, span) of each element of a literal list or tuple; None if it is not one."""
    try:
        tree = ast.parse(f"({text}\n)", mode="eval").body
    except (SyntaxError, ValueError):
        return None
    if not isinstance(tree, ast.List | ast.Tuple) or any(isinstance(each, ast.Starred) for each in tree.elts):
        return None
    return [piece(text, each) for each in tree.elts]


def indices(text):
    """Return (text, span) of each index within square brackets."""
    tree = ast.parse(f"_[{text}\n]", mode="eval").body.slice
    nodes = tree.elts if isinstance(tree, ast.Tuple) and not text.startswith("(") else [tree]
    return [piece(text, each, before="_[") for each in nodes]


def replace_spans(text, changes):
    """Replace spans of a text: {span: new}."""
    for (start, end), new in sorted(changes.items(), reverse=True):
        text = text[:start] + new + text[end:]
    return text


def call_in(segment):
    try:
        tree = ast.parse(f"({segment}\n)", mode="eval").body
    except (SyntaxError, ValueError):
        return None
    return tree if isinstance(tree, ast.Call) else None
