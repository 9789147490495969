"""A formula as it is printed: the user's names in the place of the letters, ``y²`` for ``y ** 2``, sums worked out."""

import ast
import re

from tensh.language import _

SIGNS = (
    (r" \*\* 2(?![\d.])", "²"),
    (r" \*\* 3(?![\d.])", "³"),
    (r"<=", "≤"),
    (r">=", "≥"),
    (r"!=", "≠"),
    (r"\bpi\b", "π"),
)


def print_formula(text, words):
    """A formula with the texts of its letters: ``print_formula("g * (1 - y**2)", {"y": "h"})`` is ``g * (1 - h²)``."""
    if text.startswith("'"):
        return sign(replace_letters(_(text[1:-1]), words))
    return sign(ast.unparse(simplify(put_names(ast.parse(text, mode="eval"), words))))


def print_condition(text, words):
    """A condition with the texts of its letters."""
    return sign(replace_letters(text, words))


def replace_letters(text, words):
    """A text with others in the place of its letters."""
    return re.sub(r"(?<![\w.'])[a-zA-Z_]\w*(?![\w'])", lambda found: words.get(found[0], found[0]), text)


def sign(text):
    """The signs of mathematics for those of Python."""
    for pattern, shown in SIGNS:
        text = re.sub(pattern, shown, text)
    return text


PLAIN = str.maketrans({"²": "**2", "³": "**3", "≤": "<=", "≥": ">=", "≠": "!=", "π": "pi"})


def spell_signs(text):
    """A printed formula in the characters of Python, for pages that have no others."""
    return text.translate(PLAIN)


def put_names(tree, words):
    """Put an expression in the place of every name that has one; a path such as ``net.0.weight`` counts as a name."""
    return Substitution({name: parse_name(text) for name, text in words.items()}).visit(tree)


def parse_name(text):
    """The tree of the user's text."""
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return ast.Name(text)


class Substitution(ast.NodeTransformer):
    """Puts trees in the place of names, but not of the functions that are called; matrix products in brackets into others."""

    def __init__(self, trees):
        self.trees = trees
        for tree in trees.values():
            tree.is_given = number(tree) is None

    def visit_Name(self, node):
        return self.trees.get(node.id, node)

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, ast.Mult | ast.Div):
            node.left, node.right = map(self._add_brackets, (node.left, node.right))
        return node

    def _add_brackets(self, node):
        is_given = any(node is tree for tree in self.trees.values())
        is_product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)
        return ast.Name(f"({ast.unparse(node)})") if is_given and is_product else node

    def visit_Call(self, node):
        node.args = [self.visit(each) for each in node.args]
        node.keywords = [ast.keyword(each.arg, self.visit(each.value)) for each in node.keywords]
        if isinstance(node.func, ast.Attribute):
            node.func = ast.Attribute(self.visit(node.func.value), node.func.attr)
        return node


def simplify(tree):
    """Leave out factors of 1, and work out sums and differences of numbers."""
    return Simplifier().visit(tree)


class Simplifier(ast.NodeTransformer):
    """Works out what is plain arithmetic: ``1 * x`` is ``x``, ``x ** 1`` is ``x``, ``3 - 1`` is ``2``; not in the user's texts."""

    def visit(self, node):
        return node if getattr(node, "is_given", False) else super().visit(node)

    def visit_BinOp(self, node):
        self.generic_visit(node)
        left, right = number(node.left), number(node.right)
        match node.op:
            case ast.Mult() if left == 1:
                return node.right
            case ast.Mult() if left == -1:
                return ast.UnaryOp(ast.USub(), node.right)
            case ast.Mult() | ast.Div() | ast.Pow() if right == 1:
                return node.left
            case ast.Sub() if left is not None and right is not None:
                return ast.Constant(left - right)
            case ast.Add() if left is not None and right is not None:
                return ast.Constant(left + right)
        return node

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        value = number(node.operand)
        if (
            isinstance(node.op, ast.USub)
            and isinstance(node.operand, ast.UnaryOp)
            and isinstance(node.operand.op, ast.USub)
        ):
            return node.operand.operand
        if isinstance(node.op, ast.USub) and value is not None and value != 1:
            return ast.Constant(-value) if value < 0 else node
        return node


def number(node):
    """The number that a tree is; None of anything else."""
    match node:
        case ast.Constant(int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as value)):
            return -value
    return None


def names_in(text):
    """The names in a formula, functions included; none of a sentence."""
    if text.startswith("'"):
        return set()
    return {node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)}
