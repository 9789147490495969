"""Dtypes: integers that became floating point or are to require grad, NumPy's casts, arrays of Python objects."""

import ast

import numpy as np

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation, Fit
from tensh.explain.search.edits import DTYPES
from tensh.explain.situation import explain_replacement, operand_of
from tensh.explain.source.history import follow
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.fixes import append_to_expression
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _

CLASSES = ("torch.Tensor", "torch.FloatTensor", "Tensor")
BUILTINS = {"float": "float32", "int": "int64", "bool": "bool", "complex": "complex64"}  # Python's types
CASTS = ("astype", "cast")
WANTED = ("have one of the following scalar types", "Expected dtype int", "to be Long", "but found Float")


def explain_floats(situation):
    """Explain `torch.Tensor([1, 2])`, which makes floats, where another dtype, indices or classes are needed."""
    path = situation.place.path()
    call = path[-1] if path else None
    is_told = situation.says("new() received an invalid combination", "(list, ") and situation.says(
        "keywords were incorrect"
    )
    if is_told and isinstance(call, ast.Call) and ast.unparse(call.func) in CLASSES:
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


def explain_cast(situation):
    """Explain `x.astype("float32")` and `x.to(np.float32)` of a tensor."""
    match situation.place.path()[-1:]:
        case [ast.Attribute(attr=word) as node] if word in CASTS:
            calls = [each for each in ast.walk(situation.place.tree()) if isinstance(each, ast.Call)]
            call = next((each for each in calls if ast.unparse(each.func) == ast.unparse(node)), None)
        case [ast.Call(func=ast.Attribute(attr="to" | "type" as word)) as call]:
            pass
        case _:
            return None
    if call is None or len(call.args) != 1 or call.keywords or call.lineno != situation.place.line:
        return None
    name, t = name_dtype(call.args[0]), situation.tensor_of(call.func.value)
    if word == "to" and name is not None and is_module(situation.look_up(call.func.value)):
        rule = _("a model is converted by to(), with a dtype of torch: {given} is torch.{name}")
        fit = replace_node(situation.place, call.args[0], f"torch.{name}")
        return Explanation("to", (), rule.format(given=ast.unparse(call.args[0]), name=name), (fit,) if fit else ())
    if name is None or t is None:
        return None
    given, owner = ast.unparse(call.args[0]), ast.unparse(call.func.value)
    rule = _("tensors are converted by to()")
    if given != f"torch.{name}":
        rule = _("tensors are converted by to(), with a dtype of torch: {given} is torch.{name}")
        rule = rule.format(given=given, name=name)
    code = append_to_expression(owner, f".to(torch.{name})")
    return explain_replacement(situation, word, rule, call, code, None, (operand_of(owner, t),))


def name_dtype(node):
    """Return the name of the dtype of torch for `np.float32`, `"float32"`, `torch.float32` and `float`; None for others."""
    match node:
        case ast.Attribute(value=ast.Name(id="np" | "numpy" | "torch"), attr=name) | ast.Constant(value=str(name)):
            pass
        case ast.Name(id=name):
            name = BUILTINS.get(name)
        case _:
            return None
    name = (name or "").removeprefix("torch.").removesuffix("_")
    return BUILTINS.get(name) or (name if name in DTYPES else None)


def explain_objects(situation):
    """Explain an array of Python objects or texts that are numbers, as tables read from files are."""
    if not situation.says("can't convert np.ndarray of type numpy."):
        return None
    node = situation.place.node()
    for each in node.args if isinstance(node, ast.Call) else ():
        array = situation.look_up(each)
        if isinstance(array, np.ndarray) and array.dtype.kind in "OU" and array.size:
            rule = _("{text} holds {what}, which must become numbers first").format(
                text=ast.unparse(each), what=_("Python objects") if array.dtype.kind == "O" else _("texts")
            )
            code = append_to_expression(ast.unparse(each), ".astype(np.float32)")
            is_known = situation.names.get("np") is np and array.size <= MOST_CONVERTED and are_numbers(array)
            operands = (operand_of(ast.unparse(each), array),)
            advice = _("replace the elements that are no numbers")
            return explain_replacement(situation, "tensor", rule, each, code if is_known else None, advice, operands)
    return None


MOST_CONVERTED = 100_000  # elements that are converted to see whether they are numbers


def are_numbers(array):
    """Return True if an array of Python's numbers and texts can be converted, without calling methods of other objects."""
    if not all(type(each) in (int, float, bool, str, np.str_) for each in array.flat):
        return False
    try:
        array.astype(np.float32)
    except (ValueError, OverflowError):
        return False
    return True
