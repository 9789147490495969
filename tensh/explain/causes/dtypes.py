"""Integers that became floating point where their tensor was made."""

import ast

from tensh.engine.core.tensor import Tensor
from tensh.explain.causes.situation import operand_of, replace_node
from tensh.explain.history import follow
from tensh.explain.model import Explanation
from tensh.support.language import _

CLASSES = ("torch.Tensor", "torch.FloatTensor", "Tensor")
WANTED = ("have one of the following scalar types", "Expected dtype int", "to be Long", "but found Float")


def explain_floats(situation):
    """Explain `torch.Tensor([1, 2])`, which makes floats, where another dtype, indices or classes are needed."""
    path = situation.place.path()
    call = path[-1] if path else None
    if situation.says("new() got an unexpected keyword") and isinstance(call, ast.Call):
        if ast.unparse(call.func) not in CLASSES:
            return None
        fit = replace_node(situation.place, call.func, "torch.tensor")
        rule = _("{name} always makes floating point numbers; torch.tensor keeps the kind of number")
        return Explanation("tensor", (), rule.format(name=ast.unparse(call.func)), (fit,)) if fit else None
    if not any(situation.says(words) for words in WANTED):
        return None
    for followed in follow(path[-1], situation) if path and isinstance(path[-1], ast.expr) else ():
        node, value = followed.node, situation.names.get(followed.name)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in CLASSES and isinstance(value, Tensor):
            if not value.is_floating_point() or bool((value != value.round()).any()):
                continue
            name = ast.unparse(node.func)
            fit = replace_node(followed.place, node.func, "torch.tensor")
            rule = _("{name} converts whole numbers to floating point; torch.tensor keeps them").format(name=name)
            given = (operand_of(followed.name, value),)
            return Explanation("tensor", given, rule, (fit,)) if fit else None
    return None
