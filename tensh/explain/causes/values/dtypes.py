"""Integers that became floating point where their tensor was made, and integers that are to require grad."""

import ast

from tensh.engine.core.tensor import Tensor
from tensh.explain.causes.situation import operand_of, replace_node
from tensh.explain.history import follow
from tensh.explain.model import Explanation, Fit
from tensh.explain.trying import append_to_expression
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
        fit = replace_node(situation.place, call, ast.unparse(as_tensor(call)))
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


def as_tensor(call):
    """Return the call with `torch.tensor` for the class; numbers that require grad stay floating point."""
    keywords = [each.arg for each in call.keywords]
    has_floats = any(isinstance(each, ast.Constant) and type(each.value) is float for each in ast.walk(call))
    dtype = ast.parse("f(dtype=torch.float32)", mode="eval").body.keywords
    is_float = "requires_grad" in keywords and "dtype" not in keywords and not has_floats
    return ast.Call(
        ast.parse("torch.tensor", mode="eval").body, call.args, [*call.keywords, *(dtype if is_float else [])]
    )


def explain_flag_of_numbers(situation):
    """Explain `x.requires_grad = True` and `x.requires_grad_()` of integers."""
    node = situation.place.node()
    if not situation.says("dtype can require gradients"):
        return None
    match node:
        case ast.Attribute(attr="requires_grad", value=owner):
            pass
        case ast.Call(func=ast.Attribute(attr="requires_grad_", value=owner)):
            pass
        case _:
            return None
    t, text = situation.tensor_of(owner), ast.unparse(owner)
    if t is None:
        return None
    given = operand_of(text, t)
    rule = _("{text} holds {kind}: only floating point numbers have derivatives").format(text=text, kind=given.dtype)
    if isinstance(owner, ast.Name):
        fit = Fit(f"{text} = {text}.float()", "", node.lineno, "before")
    else:
        fit = replace_node(situation.place, owner, append_to_expression(text, ".float()"))
    return Explanation("grad", (given,), rule, (fit,) if fit else ())
