"""The failure that would follow in the same statement after a fix: its remainder is evaluated on shapes only."""

import ast

from tensh.engine.core.tensor import Tensor
from tensh.explain.source.pieces import SYMBOLS, names_in
from tensh.explain.trials.shadow import Shadow
from tensh.explain.trials.trusted import Unknown
from tensh.support.language import _


def afterwards(call, fit):
    """Describe what would fail next; None if nothing would, or if only running the user's code could tell."""
    path = call.place.path()
    if len(path) < 3:
        return None
    failed, used = ast.unparse(path[-1]), names_in(ast.unparse(path[0])) | names_in(fit.text)
    shadow = Shadow({}, {name: value for name, value in call.names.items() if name in used})
    try:
        result = shadow.value(fit.text)
        if not isinstance(result, Tensor):
            return None
        shadow.stand_ins.put(result, result)
        shadow.known[failed] = result
        for node in reversed(path[1:-1]):
            if not isinstance(node, ast.expr):
                return None
            try:
                shadow.evaluate(node)
            except Unknown:
                return None
            except Exception:
                return write_sentence(node, failed, fit, shadow)
    except Exception:  # the code of the program, on stand-ins
        return None
    return None


def write_sentence(node, failed, fit, shadow):
    shapes = shadow.shapes(ast.Expr(node))
    symbol = f" {SYMBOLS[type(node.op)]} " if isinstance(node, ast.BinOp) and type(node.op) in SYMBOLS else ", "
    code = ast.unparse(node).replace(failed, f"({fit.text})" if symbol != ", " else fit.text, 1)
    return _("{code} would fail too: {names}").format(code=code, names=symbol.join(map(str, shapes)))
