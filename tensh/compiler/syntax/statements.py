"""Python statements as syntax trees: the names that they read and certainly bind, and helpers that build trees."""

import ast

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


# ── names ────────────────────────────────────────────────────────────────────
def names_of(nodes, context):
    """Return the names that are read (``ast.Load``) or bound (``ast.Store``) in trees; ``x += 1`` does both.

    The variables of a comprehension are its own, and not among them.
    """
    found = {}
    for each in nodes:
        if isinstance(each, COMPREHENSIONS):
            first = each.generators[0].iter  # the one part that is outside of the comprehension's scope
            own = names_of([part.target for part in each.generators], ast.Store)
            inside = names_of(ast.iter_child_nodes(each), context)
            found |= names_of([first], context) | {name: None for name in inside if name not in own}
            continue
        if isinstance(each, ast.Name) and isinstance(each.ctx, context):
            found[each.id] = None
        elif isinstance(each, ast.AugAssign) and isinstance(each.target, ast.Name):
            found[each.target.id] = None
        elif context is ast.Store and isinstance(each, (ast.FunctionDef, ast.ClassDef)):
            found[each.name] = None
        elif context is ast.Store and isinstance(each, ast.alias):
            found[(each.asname or each.name).partition(".")[0]] = None
        elif context is ast.Store and isinstance(each, ast.ExceptHandler) and each.name:
            found[each.name] = None
        found |= names_of(ast.iter_child_nodes(each), context)
    return found


def bound_by(statements):
    """Return the names that statements certainly bind; None if they never complete."""
    found = set()
    for each in statements:
        if isinstance(each, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
            return None
        if isinstance(each, (ast.Assign, ast.AugAssign, ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)):
            found |= set(names_of([each] if not isinstance(each, SCOPES) else [], ast.Store))
            found |= {each.name} if isinstance(each, SCOPES) else set()
        elif isinstance(each, ast.AnnAssign) and each.value is not None:
            found |= set(names_of([each.target], ast.Store))
        elif isinstance(each, ast.If):
            ways = [way for way in (bound_by(each.body), bound_by(each.orelse)) if way is not None]
            if not ways:
                return None
            found |= set.intersection(*ways)
        elif isinstance(each, ast.With):
            inside = bound_by(each.body)
            found |= set(names_of([item.optional_vars for item in each.items if item.optional_vars], ast.Store))
            found |= inside or set()
        elif isinstance(each, ast.Try):
            found |= bound_by(each.finalbody) or set()
    return found


def leaves(statements, kinds, into_loops=True):
    """Return True if there is a statement of these kinds outside of inner functions, and optionally loops."""
    for each in statements:
        if isinstance(each, kinds):
            return True
        if isinstance(each, SCOPES) or not into_loops and isinstance(each, (ast.For, ast.While)):
            continue
        if leaves(list(ast.iter_child_nodes(each)), kinds, into_loops):
            return True
    return False


def computes(statements):
    """Return True if statements compute something that may belong to a graph."""
    return any(isinstance(each, (ast.Call, ast.BinOp)) for node in statements for each in ast.walk(node))


# ── trees ────────────────────────────────────────────────────────────────────
def parameters(names):
    return ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])


def is_text(statement):
    """Return True for a docstring, or another statement without effect."""
    return (
        isinstance(statement, ast.Pass) or isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def pack(names, context):
    return ast.Tuple([ast.Name(name, context()) for name in names], context())


def pair(returned, value):
    return ast.Tuple([ast.Constant(returned), value], ast.Load())


def at(name, place):
    return ast.Subscript(ast.Name(name, ast.Load()), ast.Constant(place), ast.Load())


def locate(node, place):
    """Give a node the line numbers of another where it has none."""
    for each in ast.walk(node):
        if "lineno" in each._attributes and not hasattr(each, "lineno"):
            ast.copy_location(each, place)
    return node


def indent(node, columns):
    """Shift a tree to the right, as its source was before it was dedented."""
    for each in ast.walk(node):
        if hasattr(each, "col_offset"):
            each.col_offset += columns
            each.end_col_offset += columns


def is_within(place, first, last):
    """Return True if a place (line, column) is in the text from one statement to another; a column may be unknown."""
    line, column = place
    if not first.lineno <= line <= last.end_lineno:
        return False
    if column is None:
        return True
    return (first.lineno, first.col_offset) <= place < (last.end_lineno, last.end_col_offset)


def copy_tree(node):
    """Return a copy of a tree that may be changed."""
    if isinstance(node, list):
        return [copy_tree(each) for each in node]
    if not isinstance(node, ast.AST):
        return node
    made = type(node)(**{name: copy_tree(getattr(node, name, None)) for name in node._fields})
    return ast.copy_location(made, node)


class MarkReturns(ast.NodeTransformer):
    """Replaces ``return x`` by ``return True, x``."""

    def visit(self, node):
        if isinstance(node, SCOPES):
            return node
        if isinstance(node, ast.Return):
            return locate(ast.Return(pair(True, node.value or ast.Constant(None))), node)
        return self.generic_visit(node)


def copy_node(node):
    return ast.copy_location(type(node)(**{name: getattr(node, name, None) for name in node._fields}), node)
