"""Wrong arguments of function transforms: `grad(f)(x)`, `vmap(f)(xs)`, `jacobian(f, x)`."""

import ast
import re

from tensh.engine.core.tensor import Tensor
from tensh.explain.causes.gradients.functions import last_return
from tensh.explain.model import Explanation
from tensh.explain.situation import explain_replacement, first_explanation, message_of
from tensh.explain.source.pieces import names_in
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.fixes import append_to_expression
from tensh.support.language import _

OF_FUNCTIONS = frozenset(
    "jacobian hessian vjp jvp hvp vhp grad grad_and_value jacrev jacfwd vmap gradcheck gradgradcheck".split()
)
OF_NUMBERS = "should contain a single element"  # what a function returns that hessian, hvp and vhp differentiate
ARGNUM = re.compile(r"Got argnum=(\d+), but only (\d+) positional inputs")
TYPES = re.compile(r"Thing passed to transform API must be Tensor, got <class '(float|int)'>")


def explain_transform(situation):
    """Return the Explanation of the first kind that applies."""
    node = situation.place.node()
    if not isinstance(node, ast.Call):
        return None
    return first_explanation(
        (
            explain_result_for_function,
            explain_exchanged_function,
            explain_number_for_tensor,
            explain_integer_for_gradient,
            explain_gradient_of_several,
            explain_function_of_several,
            explain_shared_argument_of_vmap,
            explain_argument_beyond_last,
        ),
        situation,
        node,
    )


def explain_argument_beyond_last(situation, node):
    """Explain `grad(f, argnums=2)(a, b)`."""
    found = ARGNUM.search(message_of(situation.error))
    inner = node.func if isinstance(node.func, ast.Call) else None
    if found is None or inner is None:
        return None
    number, count = map(int, found.groups())
    given = next((each.value for each in inner.keywords if each.arg == "argnums"), None) or next(
        iter(inner.args[1:]), None
    )
    if number != count or not isinstance(given, ast.Constant):
        return None
    rule = _("argnums counts from 0: the last of {count} arguments is {last}").format(count=count, last=count - 1)
    return explain_replacement(situation, "transform", rule, given, str(count - 1))


def name_of(function):
    return ast.unparse(function).rpartition(".")[2]


def explain_result_for_function(situation, node):
    """Explain `jacobian(x ** 2, x)`."""
    if not situation.says("is not callable") or name_of(node.func) not in OF_FUNCTIONS or not node.args:
        return None
    first, *rest = node.args
    value = situation.tensor_of(first)
    if value is None or isinstance(first, ast.Name | ast.Lambda):
        return None
    used = names_in(ast.unparse(first))
    names = [each for given in rest for each in ([given.id] if isinstance(given, ast.Name) else [])]
    if not names or not {*names} <= used:
        return None
    text = ast.unparse(first)
    rule = _("{name} expects a function, but {text} is already a result").format(name=name_of(node.func), text=text)
    return explain_replacement(situation, "transform", rule, first, f"lambda {', '.join(names)}: {text}")


def explain_exchanged_function(situation, node):
    """Explain `jacobian(x, f)`."""
    if name_of(node.func) not in OF_FUNCTIONS or len(node.args) != 2:
        return None
    first, second = node.args
    if not is_input(first, situation) or not is_function(second, situation):
        return None
    rule = _("{name} takes the function first, and then its arguments").format(name=name_of(node.func))
    rest = ", ".join(map(ast.unparse, [second, first, *node.keywords]))
    return explain_replacement(situation, "transform", rule, node, f"{ast.unparse(node.func)}({rest})")


def is_input(node, situation):
    """Return True for a tensor, or a tuple of tensors."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return bool(parts) and all(situation.tensor_of(each) is not None for each in parts)


def is_function(node, situation):
    """Return True for a function, or `apply` of a Function."""
    if isinstance(node, ast.Attribute) and node.attr == "apply":
        return isinstance(situation.look_up(node.value), type)
    return callable(situation.look_up(node))


def explain_function_of_several(situation, node):
    """Explain `hessian(f, x)` of a function that returns several numbers."""
    if not situation.says(OF_NUMBERS) or not node.args:
        return None
    name, tree = ast.unparse(node.args[0]), situation.place.tree()
    found = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef) and each.name == name]
    back = last_return(found[0]) if len(found) == 1 else None
    rule = _("{name} returns several numbers, but expected a single one").format(name=name)
    if back is None:
        return Explanation("transform", (), rule, (), _("return their sum"))
    fit = replace_node(situation.place, back.value, append_to_expression(ast.unparse(back.value), ".sum()"))
    return Explanation("transform", (), rule, (fit,) if fit else ())


def explain_number_for_tensor(situation, node):
    """Explain `grad(f)(3.0)`."""
    found = TYPES.search(message_of(situation.error))
    for each in node.args if found else ():
        value = situation.evaluate(each)
        if type(value) in (int, float):
            text = ast.unparse(each)
            rule = _("{text} is a Python number, but derivatives need tensors").format(text=text)
            whole = f"float({text})" if not isinstance(each, ast.Constant) else f"{float(value)!r}"
            return explain_replacement(
                situation, "transform", rule, each, f"torch.tensor({whole if type(value) is int else text})"
            )
    return None


def explain_integer_for_gradient(situation, node):
    """Explain `grad(f)(torch.tensor(3))`."""
    if not situation.says("only Tensors of floating point dtype can require gradients"):
        return None
    for each in node.args:
        value = situation.tensor_of(each)
        if value is not None and not value.is_floating_point():
            rule = _("only floating point numbers have derivatives, but these are whole numbers")
            return explain_replacement(
                situation, "transform", rule, each, append_to_expression(ast.unparse(each), ".float()")
            )
    return None


def explain_gradient_of_several(situation, node):
    """Explain `grad(f)(x)` of an f that returns a tensor with several elements."""
    if not situation.says("Expected f(*args) to return a scalar Tensor") or not isinstance(node.func, ast.Call):
        return None
    inner = node.func
    if name_of(inner.func) != "grad" or not inner.args or not isinstance(inner.args[0], ast.Name):
        return None
    text = ast.unparse(inner.args[0])
    rule = _("grad needs a single number, but {text} returns several: use their sum").format(text=text)
    return explain_replacement(situation, "transform", rule, inner.args[0], f"lambda *args: {text}(*args).sum()")


def explain_shared_argument_of_vmap(situation, node):
    """Explain `vmap(f)(xs, w)`, where w is shared."""
    inner = node.func
    if not situation.says("vmap: Expected all tensors to have the same size in the mapped dimension"):
        return None
    if not isinstance(inner, ast.Call) or name_of(inner.func) != "vmap" or len(inner.args) != 1 or inner.keywords:
        return None
    values = [situation.tensor_of(each) for each in node.args]
    if node.keywords or not all(isinstance(each, Tensor) for each in values):
        return None
    most = max(each.dim() for each in values)
    mapped = [each.dim() == most for each in values]
    if all(mapped) or len({len(each) for each, is_mapped in zip(values, mapped, strict=True) if is_mapped}) > 1:
        return None
    dims = ", ".join("0" if each else "None" for each in mapped)
    rule = _("vmap maps over dim 0 of each argument; None in in_dims passes one unchanged")
    return explain_replacement(situation, "transform", rule, inner, f"{ast.unparse(inner)[:-1]}, in_dims=({dims}))")
