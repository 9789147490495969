"""Cuts in user definitions: a model without trainable parameters, a function that disables or detaches gradients."""

import ast

from tensh.explain.cuts.cut import Cut, cut_by_block, inner_first, switches
from tensh.explain.cuts.sight import find_cut_by_sight
from tensh.explain.situation import look_up
from tensh.explain.source.history import SourceStep
from tensh.explain.source.place import iterate_scope
from tensh.explain.source.statements import place_of
from tensh.explain.trials.shadow import Shadow
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _


def find_cut_in_definition(node, followed, situation):
    """Return the Cut in a call, by the model or the code of the function that it calls."""
    if not isinstance(node, ast.Call):
        return None
    value, tree = look_up(node.func, situation.names), followed.place.tree()
    if is_module(value):
        definition = find_definition(tree, "forward", type(value).__name__)
        return cut_by_frozen(node, value) or cut_in_function(definition, followed)
    return cut_in_function(find_definition(tree, getattr(value, "__name__", None)), followed)


def find_definition(tree, name, owner=None):
    """Return the definition of a function, or of a method of the class ``owner``."""
    if tree is None or name is None:
        return None
    scopes = [tree] if owner is None else [n for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and n.name == owner]
    found = [n for scope in scopes for n in scope.body if isinstance(n, ast.FunctionDef) and n.name == name]
    return found[-1] if found else None


def cut_by_frozen(node, module):
    """Return the Cut of a model none of whose parameters requires grad."""
    frozen = [*module.parameters()]
    if not frozen or any(p.requires_grad for p in frozen):
        return None
    name = ast.unparse(node.func)
    mend = _("{name}.requires_grad_(True) for each part to be trained").format(name=name)
    return Cut(_("was computed by {name}, none of whose parameters require grad").format(name=name), (), mend)


def cut_in_function(definition, followed):
    """Return the Cut in a function: by its decorators, by a block around a `return`, or in the returned expression."""
    if definition is None:
        return None
    for text in switches(definition):
        return Cut(
            _("was computed under @{text} (line {line})").format(text=text, line=definition.decorator_list[0].lineno),
            (),
            _("call it without @{text}").format(text=text),
        )
    for inner in iterate_scope(definition):
        if isinstance(inner, ast.Return) and inner.value is not None:
            found = cut_by_block(definition, inner) or cut_in_result(inner, followed)
            if found is not None:
                return found
    return None


def cut_in_result(statement, followed):
    """Return the Cut recognised in the expression of a `return`."""
    result = SourceStep(statement.value, place_of(followed.place, statement), None, followed)
    unknown = Shadow({}, {}, grad=True)
    found = (find_cut_by_sight(each, result, unknown) for each in inner_first(statement.value))
    return next(filter(None, found), None)
