"""Code of a program as syntax trees."""

import ast

from tensh.explain.trials.trusted import Unknown


def parse_statement(code):
    """Parse code that is a single statement; raise Unknown for others."""
    try:
        (statement,) = ast.parse(code.strip()).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Unknown from None
    return statement


def canonical(text):
    """Normalise an expression by `ast.unparse`."""
    try:
        return ast.unparse(ast.parse(f"({text}\n)", mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text


def operands(node):
    """Return the operands of the outermost operation of a statement."""
    if isinstance(node, ast.With):
        (node,) = node.body
    node = node.value if isinstance(node, ast.Expr) else node
    match node:
        case ast.BinOp():
            return [node.left, node.right]
        case ast.AugAssign():
            return [node.target, node.value]
        case ast.Assign(targets=[ast.Subscript(value=owner)]):
            return [owner]
        case ast.Compare():
            return [node.left, *node.comparators]
        case ast.UnaryOp():
            return [node.operand]
        case ast.Subscript():
            return [node.value]
        case ast.Call(func=ast.Attribute()):
            own = (
                []
                if ast.unparse(node.func.value) in ("torch", "F", "nn.functional", "torch.nn.functional")
                else [node.func.value]
            )
            return [*own, *node.args]
        case ast.Call():
            return list(node.args)
    return []
