"""A model that returns from within its loop, after the first of its layers."""

import ast

from tensh.explain.model import Explanation, Fit
from tensh.explain.source.place import iterate_scope
from tensh.explain.source.statements import class_of
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _


def explain_early_return(situation):
    """Explain sizes that do not fit since a `return` within a loop ends it in its first iteration."""
    if not isinstance(situation.error, RuntimeError | ValueError) or not situation.says("size"):
        return None
    for kind in kinds_used(situation):
        definition = class_of(situation.place, kind)
        for method in definition.body if definition else ():
            found = return_in_loop(method) if getattr(method, "name", None) == "forward" else None
            if found is not None:
                rule = _("{kind}.forward returns on line {line}, in the first iteration of the loop over {values}")
                loop, last = found
                rule = rule.format(kind=kind, line=last.lineno, values=ast.unparse(loop.iter))
                lines = situation.place.source.split("\n")
                fit = Fit(f"{' ' * loop.col_offset}{lines[last.lineno - 1].strip()}", "", last.lineno)
                return Explanation("return", (), rule, (fit,))
    return None


def kinds_used(situation):
    """Yield the names of the classes of modules in the failing code, and in the statements that made its values."""
    path = situation.place.path()
    nodes = [*ast.walk(path[0])] if path else []
    for name in [each.id for each in nodes if isinstance(each, ast.Name)]:
        made = situation.find_assignment(name)
        nodes += ast.walk(made) if made is not None else ()
    for node in nodes:
        if isinstance(node, ast.Name):
            value = situation.names.get(node.id)
            if is_module(value) or isinstance(value, type) and hasattr(value, "named_modules"):
                yield (value if isinstance(value, type) else type(value)).__name__


def return_in_loop(method):
    """Return (loop, return) where the last statement of a loop's body is the only return of a method; None otherwise."""
    returns = [each for each in iterate_scope(method) if isinstance(each, ast.Return)]
    for loop in iterate_scope(method):
        if isinstance(loop, ast.For) and len(returns) == 1 and loop.body[-1] is returns[0] and len(loop.body) > 1:
            return loop, returns[0]
    return None
