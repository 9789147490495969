"""Statements that make a tensor, with requires_grad."""

import ast

from tensh.explain.calls import names_in
from tensh.explain.model import Fit
from tensh.explain.rewriting import with_keyword
from tensh.explain.shadow import Shadow, Unknown


def requiring_grad(situation, name):
    """The Fit that lets the tensor of a name require grad where it is made; nothing where that is not certain."""
    made = situation.made(name)
    if not isinstance(made, ast.Assign) or len(made.targets) != 1 or not isinstance(made.targets[0], ast.Name):
        return ()
    value = ast.unparse(made.value)
    known = {each: situation.names[each] for each in names_in(value) if each in situation.names}
    for code in (with_keyword(value, "requires_grad", "True"), f"({value}).requires_grad_()"):
        try:
            result = Shadow({}, known, grad=True).value(code) if code else None
        except (Unknown, Exception):
            continue
        if getattr(result, "requires_grad", False) and result.is_leaf:
            return (Fit(f"{name} = {code}", "", made.lineno),)
    return ()
