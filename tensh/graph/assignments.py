"""Assignments to names: the simple ones at the top level of some sources, in order."""

import ast
from typing import NamedTuple

from tensh.support.command_lines import blank_commands


class Assignment(NamedTuple):
    """``name = value`` on a line of a source; ``order`` counts over all sources, ``within`` has its blocks."""

    name: str
    value: ast.expr
    text: str
    filename: str
    line: int
    order: int
    within: tuple[ast.stmt, ...]


def assignments(sources):
    """Return all assignments in sources (file name -> text), in order, including those within blocks and functions."""
    found = []
    for filename, text in sources.items():
        try:
            tree = ast.parse(blank_commands(text))
        except (SyntaxError, ValueError):
            continue
        _collect(tree.body, filename, (), found)
    return found


BLOCKS = ("body", "orelse", "finalbody")


def _collect(body, filename, within, found):
    for node in body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            _add(node.targets[0].id, node.value, node, filename, within, found)
        elif isinstance(node, ast.AnnAssign) and node.value is not None and isinstance(node.target, ast.Name):
            _add(node.target.id, node.value, node, filename, within, found)
        for block in BLOCKS:
            _collect(getattr(node, block, ()), filename, (*within, node), found)


def _add(name, value, node, filename, within, found):
    found.append(Assignment(name, value, ast.unparse(value), filename, node.lineno, len(found), within))


def find_last(found, name, before):
    """Return the last assignment to a name (before another one, in order); None if there is none."""
    fitting = [each for each in found if each.name == name and (before is None or each.order < before)]
    return fitting[-1] if fitting else None
