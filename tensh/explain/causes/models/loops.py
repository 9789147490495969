"""Loops over the layers of a model, which are of several kinds."""

import ast

from tensh.explain.model import Explanation, Fit
from tensh.explain.source.place import loop_around
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _

PARAMETERS = ("weight", "bias")


def explain_loop_over_layers(situation):
    """Explain `for layer in net: init(layer.weight)` where a layer has no weight."""
    error, path = situation.error, situation.place.path()
    node = path[-1] if path else None
    if not isinstance(error, AttributeError) or error.name not in PARAMETERS or not is_module(error.obj):
        return None
    loop = loop_around(situation.place.scope(), situation.place.line)
    if not isinstance(node, ast.Attribute) or not isinstance(loop, ast.For):
        return None
    text = ast.unparse(node.value)
    targets = {each.id for each in ast.walk(loop.target) if isinstance(each, ast.Name)}
    if text not in targets or situation.names.get(text) is not error.obj:
        return None
    rule = _("{text} is a {kind} here, which has no {attribute}: the loop visits layers of all kinds").format(
        text=text, kind=type(error.obj).__name__, attribute=error.name
    )
    statement = path[0]
    is_simple = not hasattr(statement, "body") and statement.lineno == statement.end_lineno
    code = f"if hasattr({text}, {error.name!r}): {ast.unparse(statement)}"
    return Explanation("attribute", (), rule, (Fit(code, "", statement.lineno),) if is_simple else ())
