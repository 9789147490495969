"""The statement that certainly assigned a name before a place."""

import ast

from tensh.explain.source.place import FUNCTIONS, bindings, covers, iterate_scope

LOOPS = ast.For | ast.While | ast.AsyncFor
BLOCKS = ("body", "orelse", "finalbody", "handlers")
SIMPLE = ast.Assign | ast.AnnAssign | ast.AugAssign
SHOWN = 2  # lines shown before a place


def list_unseen(place, texts):
    """Yield (name, line) for each name whose assignment is certain and not shown beside the place."""
    for name in dict.fromkeys(texts):
        line = line_that_made(place, name) if name and name.isidentifier() else None
        if line and not place.line - SHOWN <= line <= place.line:
            yield name, line


def line_that_made(place, name):
    """Return the line of the statement that assigned a name at a place; None if that is ambiguous."""
    tree = place.tree()
    if tree is None or any(isinstance(node, ast.Global) and name in node.names for node in ast.walk(tree)):
        return None
    scope = place.scope()
    if isinstance(scope, FUNCTIONS) and not is_local(scope, name):
        found = bindings(tree, name)
        return found[0] if len(found) == 1 else None
    if isinstance(scope, ast.Lambda):
        return None
    return find_last_line(scope, place, name)


def is_local(function, name):
    arguments = function.args
    given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return any(each and each.arg == name for each in given) or bool(bindings(function, name))


def find_last_line(scope, place, name):
    """Return the line of the statement in a scope that certainly bound a name last before a place."""
    blocks = blocks_around(scope, place)
    for owner, block in reversed(blocks):
        here = find_number(block, place)
        for statement in reversed(block[:here]):
            if binds(statement, name):
                return last_in(statement, name)
        if owner is not scope and (binds(owner, name) or isinstance(owner, ast.Try)):
            return None  # an earlier iteration, a branch, or the loop itself may have bound it
    return None


def find_number(block, place):
    """Return the number of a block's statement around a place; of several on one line, the last to begin."""
    around = [number for number, statement in enumerate(block) if covers(statement, place)]
    begin = place.line, place.offset(place.line)
    begun = [number for number in around if (block[number].lineno, block[number].col_offset) <= begin]
    return begun[-1] if begun else around[0]


def last_in(statement, name):
    """Return the line of the simple statement within a statement that certainly bound a name last; None without one."""
    while isinstance(statement, ast.With | ast.AsyncWith):  # the body runs once
        inner = [each for each in statement.body if binds(each, name)]
        if not inner:
            return None
        statement = inner[-1]
    return statement.lineno if isinstance(statement, SIMPLE) else None


def blocks_around(scope, place):
    """Return (owner, statements) for each block around a place, outermost first."""
    found, owner = [], scope
    while owner is not None:
        inner = None
        for name in BLOCKS:
            block = getattr(owner, name, None)
            if not isinstance(block, list):
                continue
            inner = next((statement for statement in block if covers(statement, place)), None)
            if inner is not None:
                if not isinstance(inner, ast.ExceptHandler):
                    found.append((owner, block))
                break
        owner = inner
    return found


def binds(statement, name):
    """Return True if a statement, or one within it, binds a name."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return statement.name == name
    return bool(bindings(statement, name)) or any(
        isinstance(node, ast.alias) and (node.asname or node.name) == name for node in iterate_scope(statement)
    )
