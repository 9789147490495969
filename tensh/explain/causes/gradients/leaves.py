"""Making a tensor require grad in the statement that makes it."""

import ast

from tensh.explain.model import Fit
from tensh.explain.source.pieces import names_in
from tensh.explain.source.place import iterate_scope
from tensh.explain.source.rewriting import set_keyword
from tensh.explain.source.statements import find_tensor_assignment
from tensh.explain.trials.shadow import Shadow


def requiring_grad(situation, name):
    """Return the Fit that makes the tensor of a name require grad; () if its statement is not certain."""
    made = find_tensor_assignment(situation, name)
    switch = find_switch(situation, name, made)
    if switch is not None:
        return (switch,)
    if not isinstance(made, ast.Assign) or len(made.targets) != 1 or not isinstance(made.targets[0], ast.Name):
        return ()
    value = ast.unparse(made.value)
    known = {each: situation.names[each] for each in names_in(value) if each in situation.names}
    for code in (set_keyword(value, "requires_grad", "True"), f"({value}).requires_grad_()"):
        try:
            result = Shadow({}, known, grad=True).value(code) if code else None
        except Exception:  # the code of the program, on stand-ins
            continue
        if getattr(result, "requires_grad", False) and result.is_leaf:
            return (Fit(f"{name} = {code}", "", made.lineno),) if code != value else ()
    return ()


def find_switch(situation, name, made):
    """Return the Fit of the last statement after `made` that switches off the gradient of a name; None if there is none."""
    tree, found = situation.place.tree(), None
    for node in iterate_scope(situation.place.scope() or tree) if tree is not None else ():
        if not made or not made.lineno < getattr(node, "lineno", 0) < situation.place.line:
            continue
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="requires_grad_", value=ast.Name(id=owner)))):
                is_off, code = "False" in ast.unparse(node.value), f"{name}.requires_grad_()"
            case ast.Assign(
                targets=[ast.Attribute(attr="requires_grad", value=ast.Name(id=owner))], value=ast.Constant(value=flag)
            ):
                is_off, code = flag is False, f"{name}.requires_grad = True"
            case _:
                continue
        if owner == name:
            found = Fit(code, "", node.lineno) if is_off else None
    return found
