"""Python's functions with arguments that only those of torch have: `sum(x, dim=1)`."""

import ast
import builtins

from tensh.explain.situation import explain_replacement
from tensh.support.language import _

LACKING = ("an invalid keyword argument for", "takes no keyword arguments")


def explain_own_function(situation):
    """Explain one of Python's functions that is called with an argument of the function of torch with its name."""
    node = situation.place.node()
    if not any(map(situation.says, LACKING)) or not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return None
    name = node.func.id
    if situation.names.get(name) is not None or not hasattr(builtins, name):
        return None
    code = f"torch.{ast.unparse(node)}"
    if situation.evaluate(ast.parse(code, mode="eval").body) is None:
        return None
    rule = _("{name} is a function of Python without {keywords}; for a tensor, use torch.{name}")
    keywords = ", ".join(each.arg for each in node.keywords)
    return explain_replacement(situation, name, rule.format(name=name, keywords=keywords), node, code)
