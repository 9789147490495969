"""Syntax of other languages that Python reads as names: `x <- 3`, `// a comment`, `end`, `size(A)`, `c(1, 2)`."""

import ast

from tensh.explain.model import Explanation, Fit
from tensh.explain.search.syntax import PROMPT, drop_every_prompt
from tensh.explain.source.replacing import replace_node
from tensh.support.language import _

FUNCTIONS = {
    "size": "{0}.shape",
    "length": "len({0})",
    "numel": "{0}.numel()",
    "ndims": "{0}.ndim",
    "nrow": "{0}.shape[0]",
    "ncol": "{0}.shape[1]",
    "rows": "{0}.shape[0]",
    "columns": "{0}.shape[1]",
    "transpose": "{0}.T",
    "isempty": "{0}.numel() == 0",
    "c": "torch.tensor([{all}])",
}
"""Functions of MATLAB and R, and what is written for their first argument, or for all of them."""


def explain_language(situation):
    """Explain a name that is not defined because it belongs to another language."""
    path, error = situation.place.path(), situation.error
    if type(error) is not NameError or not path or not error.name:
        return None
    statement, node = path[0], path[-1]
    match statement:
        case ast.Expr(
            value=ast.Compare(left=ast.Name(id=name) as left, ops=[ast.Lt()], comparators=[ast.UnaryOp(op=ast.USub())])
        ) if name == error.name and left is node:
            return explain_arrow(situation, statement)
        case ast.Expr(value=ast.Name(id="end")):
            rule = _("a Python block ends where the indentation does; nothing closes it")
            return Explanation("name", (), rule, (), _("remove the line"))
    for each in ast.walk(statement):
        match each:
            case ast.BinOp(left=left, op=ast.FloorDiv(), right=ast.Name() as right) if right is node:
                return explain_comment(situation, statement, left, right)
            case ast.Call(func=ast.Name(id=name) as function, args=[first, *_], keywords=[]) if (
                function is node and name in FUNCTIONS
            ):
                return explain_call(situation, each, name, first)
    return None


def explain_arrow(situation, statement):
    line = situation.place.source.split("\n")[statement.lineno - 1]
    name, arrow, value = line.partition("<-")
    code = f"{name.rstrip()} = {value.strip()}".strip()
    fit = replace_node(situation.place, statement, code) if arrow else None
    rule = _("Python writes `{after}` for `{before}`").format(after=code, before=line.strip())
    return Explanation("name", (), rule, (fit,)) if fit else None


def explain_comment(situation, statement, left, right):
    """Explain `x = 3 // note`, whose note Python takes for a divisor."""
    line = situation.place.source.split("\n")[right.lineno - 1]
    before, mark, after = line.partition("//")
    if not mark or left.end_lineno != right.lineno or "//" in after or statement.end_lineno != right.end_lineno:
        return None
    rule = _("// divides and rounds down; a comment begins with #")
    fit = replace_node(situation.place, statement, f"{before.strip()}  #{after}")
    return Explanation("name", (), rule, (fit,)) if fit else None


def explain_call(situation, call, name, first):
    """Explain a function of MATLAB or R that is a method of tensors here."""
    given = ", ".join(map(ast.unparse, call.args))
    code = FUNCTIONS[name].format(ast.unparse(first), all=given)
    is_of_all = "{all}" in FUNCTIONS[name]
    if (
        not is_of_all
        and len(call.args) > 1
        or is_of_all
        and not all(isinstance(situation.evaluate(a), int | float) for a in call.args)
    ):
        return None
    rule = _("{name} is not a Python function: use {code}").format(name=name, code=code)
    fit = replace_node(situation.place, call, code)
    return Explanation("name", (), rule, (fit,) if fit else ())


def explain_copied_prompt(situation):
    """Explain `In [1]: x = 1`, which Python reads as the type of an element of `In`."""
    place, error = situation.place, situation.error
    typed = PROMPT.sub("", place.text)
    is_assigned = situation.says("'Inputs' object does not support item assignment")
    if not is_assigned and getattr(error, "name", None) != "In" or typed == place.text:
        return None
    fits = (Fit(typed.strip(), "", place.line),)
    several = drop_every_prompt(place.source.split("\n"), place.line)
    return several or Explanation("syntax", (), _("the prompt is no part of the code"), fits)
