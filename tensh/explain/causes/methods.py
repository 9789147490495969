"""Methods and modules that stand where what they give is wanted."""

import ast
import types

from tensh.explain.causes.situation import operand_of
from tensh.explain.model import Explanation, Fit
from tensh.explain.shadow import is_module


def explain_uncalled(situation):
    """A method that was not called on an earlier line, or a module among the tensors that a function takes."""
    if not isinstance(situation.error, AttributeError) or not situation.says("object has no attribute"):
        return None
    expression = situation.expression()
    for node in ast.walk(expression or ast.Module([], [])):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found = method_of_name(node.value.id, situation)
            if found is not None:
                return found
    call = getattr(expression, "value", expression)
    return module_given(call, situation) if isinstance(call, ast.Call) else None


def method_of_name(name, situation):
    """The statement that gave a name a method instead of its result."""
    value, made = situation.names.get(name), situation.made(name)
    if not isinstance(value, types.MethodType | types.BuiltinMethodType) or not isinstance(made, ast.Assign):
        return None
    if not isinstance(made.value, ast.Attribute) or len(made.targets) != 1:
        return None
    code = ast.unparse(made.value)
    rule = f"{name} is the method {made.value.attr}, which was not called on line {made.lineno}"
    return Explanation("call", (), rule, (Fit(f"{ast.unparse(made.targets[0])} = {code}()", "", made.lineno),))


def module_given(call, situation):
    """A module, or its forward, where a function takes its output."""
    if not any(operand_is_tensor(node, situation) for node in call.args):
        return None
    for node in call.args:
        value = situation.held(node)
        text = ast.unparse(node)
        if is_module(value):
            rule = f"{text} is a module: what is wanted is its output"
            return Explanation(
                "call", shown(call, situation), rule, (), f"{text}(x) of its input x in the place of {text}"
            )
        if isinstance(node, ast.Attribute) and node.attr == "forward" and is_module(situation.held(node.value)):
            rule = f"{text} is a method that was not called: what is wanted is its output"
            owner = ast.unparse(node.value)
            return Explanation(
                "call", shown(call, situation), rule, (), f"{owner}(x) of its input x in the place of {text}"
            )
    return None


def operand_is_tensor(node, situation):
    return hasattr(situation.held(node), "requires_grad")


def shown(call, situation):
    """The tensors among the arguments."""
    return tuple(
        operand_of(ast.unparse(node), situation.held(node)) for node in call.args if operand_is_tensor(node, situation)
    )
