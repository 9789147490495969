"""Pieces of the source of a call: its operands as the user wrote them, and the names in it."""

import ast
import re

from tensh.support.columns import in_characters

MODULES = ("torch", "tensh", "nn", "F", "np", "math")  # usual names of the modules of functions
SYMBOLS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.MatMult: "@", ast.Pow: "**", ast.FloorDiv: "//", ast.Mod: "%",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
}  # fmt: skip
COMPARED = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
CONTAINED = {ast.In: "in", ast.NotIn: "not in"}
OPERATORS = {*SYMBOLS.values(), *COMPARED.values()}


def takes_more(text):
    """Return True if a suffix can follow an expression without parentheses: it is a name, a call, an index or in brackets."""
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return False
    return isinstance(tree, ast.Name | ast.Attribute | ast.Call | ast.Subscript) or text[:1] in "[{"


def names_in(code):
    """Return the names in a piece of code."""
    try:
        tree = ast.parse(code.strip())
    except (SyntaxError, ValueError):
        return set()
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def caller(segment):
    """Return the qualifier of the function being called, with its dot; "" if it has none."""
    try:
        tree = ast.parse(segment, mode="eval").body
    except (SyntaxError, ValueError):
        return None
    name = ast.unparse(tree.func).removesuffix(".forward") if isinstance(tree, ast.Call) else ""
    return f"{name}." if re.fullmatch(r"[\w.]+", name) else None


def pieces(segment, is_layer=False, modules=MODULES):
    """Return (((text, span) of each positional operand, name -> (text, span)), symbol) for a piece of source.

    The owner of a method is an operand; with ``is_layer`` that of ``self.out(x)`` is not.
    """
    try:
        tree = ast.parse(f"({segment}\n)", mode="eval").body
    except (SyntaxError, ValueError):
        return find_augmented(segment)
    match tree:
        case ast.BinOp():
            nodes, symbol = [tree.left, tree.right], SYMBOLS.get(type(tree.op))
        case ast.Compare(ops=[op]):
            nodes, symbol = [tree.left, *tree.comparators], (COMPARED | CONTAINED).get(type(op))
        case ast.UnaryOp(op=op):
            nodes, symbol = [tree.operand], "not" if isinstance(op, ast.Not) else None
        case ast.Subscript():
            nodes, symbol = [tree.value, tree.slice], "[]"
        case ast.Call(func=ast.Attribute()) if not (is_layer or is_module(tree.func.value, modules)):
            nodes, symbol = [tree.func.value, *tree.args], tree.func.attr
        case ast.Call():
            nodes, symbol = list(tree.args), ast.unparse(tree.func).rpartition(".")[2]
        case _:
            nodes, symbol = [], None
    named = {k.arg: piece(segment, k.value) for k in getattr(tree, "keywords", ()) if k.arg}
    return ([piece(segment, node) for node in nodes if not isinstance(node, ast.Starred)], named), symbol


def find_augmented(segment):
    """Read the statement ``a += b`` as a call."""
    try:
        (tree,) = ast.parse(segment).body
    except (SyntaxError, ValueError):
        return ([], {}), None
    if not isinstance(tree, ast.AugAssign):
        return ([], {}), None
    texts = [piece(segment, node, before="") for node in (tree.target, tree.value)]
    return (texts, {}), SYMBOLS.get(type(tree.op), "") + "="


def piece(segment, node, before="("):
    """Return (text, span) of a node; ``before`` is the text before the segment when it was parsed."""
    lines = (before + segment).split("\n")

    def place(line, column):
        whole = sum(len(each) + 1 for each in lines[: line - 1]) + in_characters(lines[line - 1], column)
        return whole - len(before)

    start, end = place(node.lineno, node.col_offset), place(node.end_lineno, node.end_col_offset)
    return segment[start:end], (start, end)


def is_module(tree, modules):
    while isinstance(tree, ast.Attribute):
        tree = tree.value
    return isinstance(tree, ast.Name) and tree.id in modules
