"""The printed form of a formula: the user's names instead of letters, ``y²`` for ``y ** 2``, simplified arithmetic."""

import ast
import re

from tensh.support.language import _

SIGNS = (
    (r" \*\* 2(?![\d.])", "²"),
    (r" \*\* 3(?![\d.])", "³"),
    (r"<=", "≤"),
    (r">=", "≥"),
    (r"!=", "≠"),
    (r"\bpi\b", "π"),
)


def print_formula(text, words):
    """Replace the letters of a formula: ``print_formula("g * (1 - y**2)", {"y": "h"})`` is ``g * (1 - h²)``."""
    if text.startswith("'"):
        return sign(replace_letters(_(text[1:-1]), words))
    return sign(ast.unparse(simplify(put_names(ast.parse(text, mode="eval"), words))))


def print_condition(text, words):
    """Return a condition with its letters replaced."""
    return sign(replace_letters(text, words))


def replace_letters(text, words):
    """Replace the letters in a text."""
    return re.sub(r"(?<![\w.'])[a-zA-Z_]\w*(?![\w'])", lambda found: words.get(found[0], found[0]), text)


def sign(text):
    """Replace Python's operators by mathematical signs."""
    for pattern, shown in SIGNS:
        text = re.sub(pattern, shown, text)
    return text


PLAIN = str.maketrans({"²": "**2", "³": "**3", "≤": "<=", "≥": ">=", "≠": "!=", "π": "pi"})


def spell_signs(text):
    """Return a printed formula in Python's characters, for pages that lack others."""
    return text.translate(PLAIN)


def put_names(tree, words):
    """Substitute an expression for every name that has one; a path such as ``net.0.weight`` counts as a name."""
    return Substitution({name: parse_name(text) for name, text in words.items()}).visit(tree)


def parse_name(text):
    """Parse the user's text."""
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return ast.Name(text)


class Substitution(ast.NodeTransformer):
    """Substitutes trees for names, but not for called functions; matrix products within others get brackets."""

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
    """Remove factors of 1, and evaluate sums and differences of numbers."""
    return Simplifier().visit(tree)


class Simplifier(ast.NodeTransformer):
    """Evaluates plain arithmetic, except in the user's texts: ``1 * x`` is ``x``, ``3 - 1`` is ``2``."""

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
    """Return the number that a tree represents; None for others."""
    match node:
        case ast.Constant(int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as value)):
            return -value
    return None


def names_in(text):
    """Return the names in a formula, including functions; none for a sentence."""
    if text.startswith("'"):
        return set()
    return {node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)}
