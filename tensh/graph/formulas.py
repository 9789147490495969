"""Derivatives in the user's own words: the operator table's text with the names of this graph put in."""

import ast

MODULES = ("torch", "tensh", "nn", "F", "np", "math")


def operand_texts(graph, node):
    """What the user wrote for each operand of a node: a name, an expression, or None where nobody knows."""
    written = _split_operands(node.label, len(node.edges)) if node.label else [None] * len(node.edges)
    return [
        text if edge.number is None else graph[edge.number].variable or graph[edge.number].label or text
        for edge, text in zip(node.edges, written, strict=True)
    ]


def _split_operands(label, count):
    """The operands in a piece of source, if it is an operation on as many."""
    try:
        tree = ast.parse(label, mode="eval").body
    except (SyntaxError, ValueError):
        return [None] * count
    match tree:
        case ast.BinOp():
            found = [tree.left, tree.right]
        case ast.UnaryOp():
            found = [tree.operand]
        case ast.Compare(ops=[_]):
            found = [tree.left, *tree.comparators]
        case ast.Call(func=ast.Attribute()) if not _is_module(tree.func.value):
            found = [tree.func.value, *tree.args]
        case ast.Call():
            found = list(tree.args)
        case ast.Subscript():
            found = [tree.value]
        case _:
            found = []
    texts = [ast.unparse(each) for each in found]
    return (texts + [None] * count)[:count] if len(texts) >= count else [None] * count


def _is_module(tree):
    """Whether an expression is the name of a module that functions come from: ``torch``, ``torch.nn.functional``, ``F``."""
    while isinstance(tree, ast.Attribute):
        tree = tree.value
    return isinstance(tree, ast.Name) and tree.id in MODULES


def words_of(graph, node):
    """What the user wrote for each parameter of a node's operation, and for ``out``, its result."""
    op = graph.order[node.number - 1].op
    inputs = list(getattr(op, "inputs", ()))
    words = dict(zip(inputs, _split_operands(node.label or "", len(inputs)), strict=True))
    words |= {e.parameter: text for e, text in zip(node.edges, operand_texts(graph, node), strict=True) if text}
    words["out"] = node.short if node.variable or node.label else None
    return {name: text for name, text in words.items() if text is not None and is_expression(text)}


def in_words(graph, node, edge):
    """The derivative along an edge in the user's names: ``g * (w + 1)``; None where the table does not say."""
    if edge.formula is None:
        return None
    words = words_of(graph, node)
    tree = ast.parse(edge.formula, mode="eval")
    is_real = node.dtype is None or not node.dtype.startswith("complex")
    return ast.unparse(Named(words, is_real).visit(tree))


class Named(ast.NodeTransformer):
    """Puts the user's expressions in the place of parameters, and leaves ``conj`` out where all is real."""

    def __init__(self, words, is_real):
        self.words, self.is_real = words, is_real

    def visit_Name(self, node):
        text = self.words.get(node.id)
        return ast.parse(text, mode="eval").body if text else node

    def visit_Call(self, node):
        if self.is_real and isinstance(node.func, ast.Name) and node.func.id == "conj":
            return self.visit(node.args[0])
        node.args = [self.visit(each) for each in node.args]
        return node


def is_expression(text):
    try:
        ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return False
    return True
