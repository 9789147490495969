"""Idioms of JAX and Flax: elements set in a copy, functions of gradients, models that are initialised and applied."""

import ast

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation, Fit
from tensh.explain.situation import explain_replacement
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _

WRITES = {"set": "=", "add": "+=", "multiply": "*=", "divide": "/="}
"""Methods of `x.at[index]`, and the assignments that do as much."""


def explain_jax(situation):
    """Explain `x.at[0].set(1)`, `torch.grad(f)(x)`, `@torch.jit`, `model.init(key, x)` and `model.apply(x)`."""
    path, error = situation.place.path(), situation.error
    tree = path[0] if path else None
    calls = [each for each in ast.walk(tree) if isinstance(each, ast.Call)] if tree else []
    if isinstance(error, AttributeError):
        if error.name == "at" and isinstance(error.obj, Tensor):
            return explain_written_copy(situation, tree)
        if situation.says("module 'torch' has no attribute 'grad'"):
            return explain_function_of_gradients(situation, calls)
        if error.name == "init" and is_module(error.obj):
            rule = _("a model has its parameters from the beginning; state_dict() lists them")
            call = next((each for each in calls if ast.unparse(each.func).endswith(".init")), None)
            owner = call and ast.unparse(call.func.value)
            return owner and explain_replacement(situation, "model", rule, call, f"{owner}.state_dict()")
    if situation.says("'module' object is not callable"):
        return explain_compiler(situation)
    if situation.says("'Tensor' object is not callable") or situation.says("apply() takes 2 positional arguments"):
        return explain_applied_model(situation, calls)
    return None


def explain_written_copy(situation, statement):
    """Explain `y = x.at[0].set(1)`: tensors can be written."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=call):
            pass
        case ast.Expr(value=call):
            name = None
        case _:
            return None
    match call:
        case ast.Call(
            func=ast.Attribute(
                value=ast.Subscript(value=ast.Attribute(value=ast.Name(id=owner)), slice=index), attr=word
            ),
            args=[value],
        ) if word in WRITES:
            pass
        case _:
            return None
    element = ast.unparse(ast.Subscript(ast.Name(name or owner), index))
    written = f"{element} {WRITES[word]} {ast.unparse(value)}"
    if name in (None, owner):
        rule = _("elements of a tensor are written in place")
        return Explanation("index", (), rule, (Fit(written, "", statement.lineno),))
    rule = _("elements of a tensor are written in place; clone() makes a copy first")
    more = (Fit(written, "", statement.lineno, "after"),)
    return Explanation("index", (), rule, (Fit(f"{name} = {owner}.clone()", "", statement.lineno, more=more),))


def explain_function_of_gradients(situation, calls):
    """Explain `torch.grad(f)(x)`."""
    found = next((each.func for each in calls if isinstance(each.func, ast.Call)), None)
    if found is None or ast.unparse(found.func) != "torch.grad":
        return None
    rule = _("the function that computes gradients of a function is in torch.func")
    return explain_replacement(situation, "grad", rule, found.func, "torch.func.grad")


def explain_compiler(situation):
    """Explain `@torch.jit` and `torch.jit(f)`."""
    for each in ast.walk(situation.place.tree()):
        if isinstance(each, ast.Attribute) and ast.unparse(each) == "torch.jit" and each.lineno == situation.place.line:
            rule = _("torch.jit is a module; torch.compile compiles a function")
            fit = replace_node(situation.place, each, "torch.compile")
            return Explanation("compile", (), rule, (fit,) if fit else ())
    return None


def explain_applied_model(situation, calls):
    """Explain `model.apply(x)`, which calls a function with each module."""
    for each in calls:
        match each:
            case ast.Call(func=ast.Attribute(attr="apply", value=owner), args=[*_parameters, given]) if is_module(
                situation.look_up(owner)
            ):
                rule = _("apply calls a function with each module; to compute, call the model itself")
                code = f"{ast.unparse(owner)}({ast.unparse(given)})"
                return explain_replacement(situation, "model", rule, each, code)
    return None
