"""The call that ends a graph as a statement: ``return g(f(x) + 1)`` becomes ``stack0 = f(x); return g(stack0 + 1)``.

What Python evaluates before the call becomes statements before it, so that both the graph before and the one after it are
as long as PyTorch's.
"""

import ast

from tensh.compiler.syntax.statements import computes, copy_node, locate

STACK = "stack"
"""The beginning of the names of values between two statements, which are on Python's stack in PyTorch."""
ORDER = {
    ast.BinOp: ("left", "right"), ast.UnaryOp: ("operand",), ast.Call: ("func", "args", "keywords"), ast.keyword: ("value",),
    ast.Attribute: ("value",), ast.Subscript: ("value", "slice"), ast.Compare: ("left", "comparators"), ast.Tuple: ("elts",),
    ast.List: ("elts",), ast.Starred: ("value",), ast.Return: ("value",), ast.Expr: ("value",), ast.Assign: ("value",),
    ast.AugAssign: ("value",), ast.AnnAssign: ("value",), ast.If: ("test",), ast.For: ("iter",), ast.Assert: ("test",),
    ast.BoolOp: ("values",), ast.IfExp: ("test",),
}  # fmt: skip
"""Kind of node -> the fields that are evaluated in this order, before all others."""
FIRST_ONLY = (ast.BoolOp, ast.Compare)
"""Kinds of which only the first values are certain to be evaluated."""


def is_stack_name(name):
    """Return True for the name of a value between two statements."""
    return name.startswith(STACK) and name[len(STACK) :].isdigit()


class Hoister:
    """Takes what ends a graph out of a statement, so that a separate statement, ``alone``, has it.

    ``position`` (line, column, last line, last column) is that of a call or, with ``decides``, of a condition. ``local``
    are the local variables. Values between two statements are named by their place on Python's stack.
    """

    def __init__(self, position, decides, local):
        self.position, self.decides, self.local = position, decides, local
        self.statements, self.alone = [], None

    def hoist(self, statement):
        """Return statements in place of one; only that one if nothing can be taken out."""
        if self.decides:
            if not isinstance(statement, ast.If) or position_of(statement.test) != self.position:
                return [statement]
            self.alone = copy_node(statement)
            self.alone.test = self.assign(statement.test, 0)
            return [*self.statements, self.alone]
        if isinstance(statement, (ast.Expr, ast.Return, ast.Assign)) and self.is_wanted(statement.value):
            self.alone = copy_node(statement)
            self.alone.value = self.take_out_operands(statement.value, 0)
            return [*self.statements, self.alone]
        made = self.visit(statement, 0)
        return [statement] if made is None else [*self.statements, made]

    def is_wanted(self, node):
        """Return True for the call, or the condition."""
        return isinstance(node, ast.expr if self.decides else ast.Call) and position_of(node) == self.position

    def contains(self, node):
        """Return True if a node is what is sought, or has it inside."""
        return any(self.is_wanted(each) for each in ast.walk(node))

    def visit(self, node, slot):
        """Return a node with a name in place of the call; None if the call is not certain to be evaluated in it.

        Values before it are on the stack from ``slot`` on.
        """
        if self.is_wanted(node):
            call = self.take_out_operands(node, slot + 1)
            name = self.assign(call, slot)
            self.alone = self.statements[-1]
            return name
        before = []
        for field, place, part in list_operands(node):
            if self.contains(part):
                made = copy_node(node)
                for number, each in enumerate(before):
                    self.keep(made, *each, slot + number)
                inner = self.visit(part, slot + len(before))
                return None if inner is None else put(made, field, place, inner)
            before.append((field, place))
        return None

    def keep(self, node, field, place, slot):
        """Take out an operand that is evaluated before the call, unless it is the same afterwards."""
        part = getattr(node, field) if place is None else getattr(node, field)[place]
        if isinstance(part, (ast.keyword, ast.Attribute, ast.Starred)):
            made = copy_node(part)
            self.keep(made, "value", None, slot)
            put(node, field, place, made)
        elif (
            computes([part]) or isinstance(part, ast.Subscript) or isinstance(part, ast.Name) and part.id in self.local
        ):
            put(node, field, place, self.assign(part, slot))

    def take_out_operands(self, call, slot):
        """Return a call whose operands are names and constants."""
        made = copy_node(call)
        for number, (field, place, part) in enumerate(list_operands(call)):
            if not isinstance(part, ast.Name):
                self.keep(made, field, place, slot + number)
        return made

    def assign(self, value, slot):
        """Add a statement that assigns a value; return the name."""
        while (name := f"{STACK}{slot}") in self.local:
            slot += 1
        self.local = {*self.local, name}
        self.statements.append(locate(ast.Assign([ast.Name(name, ast.Store())], value), value))
        return ast.copy_location(ast.Name(name, ast.Load()), value)


def list_operands(node):
    """Return (field, place in its list or None, node) of what is certain to be evaluated in a node, in order."""
    found = []
    for field in ORDER.get(type(node), ()):
        value = getattr(node, field)
        parts = list(enumerate(value)) if isinstance(value, list) else [(None, value)]
        found += [(field, place, part) for place, part in parts if part is not None]
    return found[:1] if isinstance(node, FIRST_ONLY) and len(found) > 2 - isinstance(node, ast.BoolOp) else found


def position_of(node):
    """Return (line, column, last line, last column) of a node."""
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def put(node, field, place, value):
    """Set a field of a node, or an item of its list; return the node."""
    if place is None:
        setattr(node, field, value)
    else:
        items = list(getattr(node, field))
        items[place] = value
        setattr(node, field, items)
    return node


def hoist_within(tree, hoister):
    """Replace the statement of a tree with the call by several; return the tree."""
    for field in ("body", "orelse", "finalbody"):
        block = getattr(tree, field, None)
        if not isinstance(block, list):
            continue
        for number, each in enumerate(block):
            if hoister.contains(each):
                inside = any(
                    hoister.contains(part) for name in ("body", "orelse", "finalbody", "handlers", "cases")
                    for part in getattr(each, name, ())
                )  # fmt: skip
                made = copy_node(tree)
                found = [hoist_within(each, hoister)] if inside else hoister.hoist(each)
                setattr(made, field, [*block[:number], *found, *block[number + 1 :]])
                return made
    return tree
