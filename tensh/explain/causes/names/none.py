"""None in place of a value: assigned, a default, the result of a call without `return`, or an argument."""

import ast
import inspect
from typing import NamedTuple

from tensh.explain.causes.names.values_of_names import assignment_of
from tensh.explain.model import Explanation
from tensh.explain.source.place import FUNCTIONS, bindings
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.trusted import Unknown, get_member, is_module, is_tensh_value
from tensh.support.language import _

EMPTY = {"append": "[]", "extend": "[]", "insert": "[]", "items": "{}", "keys": "{}", "update": "{}", "add": "set()"}
"""Methods of containers, and the empty container that has them."""


class Lacking(NamedTuple):
    """A parameter that a call was given None for: its name, and whether it has a default."""

    name: str
    has_default: bool


def explain_none(situation):
    """Explain a value that is None, by the line that made it so."""
    return explain_first_comparison(situation) or explain_each(
        situation, (explain_assigned_none, explain_none_from_call, explain_layer_without_bias)
    )


def explain_first_comparison(situation):
    """Explain `if loss < best`, where best is None until there is a best loss."""
    node, tree = situation.place.node(), situation.place.tree()
    if (
        not isinstance(node, ast.Compare)
        or len(node.ops) != 1
        or not situation.says("not supported between", "NoneType")
    ):
        return None
    names = [
        each for each in (node.left, node.comparators[0]) if isinstance(each, ast.Name) and is_none(each, situation)
    ]
    tests = [each.test for each in ast.walk(tree) if isinstance(each, ast.If | ast.While | ast.IfExp)]
    if len(names) != 1 or node not in tests:
        return None
    name = names[0].id
    made = [
        each for each in ast.walk(tree) if isinstance(each, ast.Assign) and [*map(ast.unparse, each.targets)] == [name]
    ]
    if len(made) < 2 or not any(isinstance(each.value, ast.Constant) and each.value.value is None for each in made):
        return None
    rule = _("{name} is None until it gets its first value").format(name=name)
    is_first = ast.Compare(ast.Name(name), [ast.Is()], [ast.Constant(None)])
    fit = replace_node(situation.place, node, ast.unparse(ast.BoolOp(ast.Or(), [is_first, node])))
    return Explanation("comparison", (), rule, (fit,) if fit else ())


def explain_each(situation, kinds):
    """Return the Explanation of the first kind that applies to a value that is None."""
    for explain in kinds:
        for node in values_of_none(situation):
            explanation = explain(situation, node)
            if explanation is not None:
                return explanation
    return None


def values_of_none(situation):
    """Return the names and attributes in the failing code that are None, if the error says that something is."""
    path = situation.place.path()
    kinds = TypeError | AttributeError | ValueError | RuntimeError
    if not path or not situation.says("NoneType") or not isinstance(situation.error, kinds):
        return []
    return [node for node in ast.walk(path[-1]) if is_none(node, situation)]


def explain_given_none(situation):
    """Explain None that was passed, where no other order or number of arguments fits."""
    path = situation.place.path()
    if not path or not situation.says("NoneType"):
        return None
    found = explain_each(situation, (explain_none_by_default,))
    if found is not None:
        return found
    texts = {ast.unparse(node) for node in values_of_none(situation)}
    if len(texts) == 1:
        return say(_("{name} is None").format(name=texts.pop()))
    return none_in_call(situation, path[-1]) if not texts else None


def say(rule, fit=None, advice=None):
    return Explanation("None", (), rule, (fit,) if fit else (), advice)


def is_none(node, situation):
    """Return True if a node is a name or an attribute whose value is None."""
    match node:
        case ast.Name(id=name):
            return situation.names.get(name, node) is None
        case ast.Attribute(value=inner, attr=name):
            owner = situation.look_up(inner)
            if is_module(owner):
                try:
                    return get_member(owner, name) is None
                except (Unknown, AttributeError):
                    return False
            kept = vars(owner) if hasattr(owner, "__dict__") and not isinstance(owner, type) else {}
            return name in kept and kept[name] is None
    return False


def explain_assigned_none(situation, node):
    """Explain a name or an attribute that is None because a line says so."""
    made, text = assignment_of(situation, node), ast.unparse(node)
    if not isinstance(made, ast.Assign) or not isinstance(made.value, ast.Constant) or made.value.value is not None:
        return None
    rule = _("{name} has been None since line {line}").format(name=text, line=made.lineno)
    empty = EMPTY.get(getattr(situation.error, "name", None) or "")
    fit = replace_node(situation.place, made.value, empty) if empty and len(made.targets) == 1 else None
    return say(rule, fit, None if fit else _("give {name} a value there").format(name=text))


def explain_none_by_default(situation, node):
    """Explain a parameter that is None: by its default, or since the caller passed that."""
    function = situation.place.scope()
    if not isinstance(node, ast.Name) or not isinstance(function, FUNCTIONS) or bindings(function, node.id):
        return None
    given = function.args
    places = [*given.posonlyargs, *given.args]
    defaults = dict(zip([each.arg for each in reversed(places)], reversed(given.defaults), strict=False))
    defaults |= {each.arg: value for each, value in zip(given.kwonlyargs, given.kw_defaults, strict=True)}
    if node.id not in {*defaults, *(each.arg for each in places)}:
        return None
    default = defaults.get(node.id)
    if isinstance(default, ast.Constant) and default.value is None:
        rule = _("{name} is None, its default on line {line}").format(name=node.id, line=default.lineno)
    else:
        rule = _("{name} is None: the caller passed that").format(name=node.id)
    return say(rule, advice=_("pass a value for {name}").format(name=node.id))


def explain_none_from_call(situation, node):
    """Explain a name that was assigned what a call returned."""
    made = situation.find_assignment(node.id) if isinstance(node, ast.Name) else None
    if not isinstance(made, ast.Assign) or len(made.targets) != 1 or not isinstance(made.value, ast.Call):
        return None
    if not isinstance(made.targets[0], ast.Name):
        return None
    match made.value:
        case ast.Call(func=ast.Attribute(attr="get", value=owner), args=[key]) if (
            type(situation.look_up(owner)) is dict
        ):
            rule = _("{name} is None: {owner} has no key {key}").format(
                name=node.id, owner=ast.unparse(owner), key=ast.unparse(key)
            )
            return say(rule)
    rule = _("{name} is None: that is what `{code}` on line {line} returned").format(
        name=node.id, code=ast.unparse(made.value), line=made.lineno
    )
    return say(rule)


def explain_layer_without_bias(situation, node):
    """Explain the bias of a layer that was created without one."""
    owner = situation.look_up(node.value) if isinstance(node, ast.Attribute) and node.attr == "bias" else None
    if not is_module(owner) or not is_tensh_value(type(owner)):
        return None
    rule = _("{name} is None: {layer} was created with bias=False")
    return say(rule.format(name=ast.unparse(node), layer=ast.unparse(node.value)))


def none_in_call(situation, node):
    """Explain a None that is written in a call of a function of tensh, for a parameter that needs a value."""
    if not isinstance(node, ast.Call):
        return None
    function = situation.look_up(node.func) or situation.evaluate(node.func)
    written = [(n, each) for n, each in enumerate(node.args) if is_constant(each)]
    written += [(each.arg, each.value) for each in node.keywords if is_constant(each.value)]
    found = [each for place, _value in written if (each := find_lacking(function, place)) is not None]
    if len(found) != 1:
        return None
    rule = _("{function} needs a value for {name}, but got None").format(
        function=ast.unparse(node.func), name=found[0].name
    )
    advice = _("leave {name} out: it has a default") if found[0].has_default else _("pass a value for {name}")
    return say(rule, advice=advice.format(name=found[0].name))


def is_constant(node):
    return isinstance(node, ast.Constant) and node.value is None


def find_lacking(function, place):
    """Return the Lacking parameter at a place or of a name; None if it may be None, or is not known."""
    if function is None or not is_tensh_value(function):
        return None
    try:
        parameters = inspect.signature(function).parameters
    except (ValueError, TypeError):
        return None
    names = [*parameters]
    if isinstance(place, int):
        place = names[place] if place < len(names) else None
    found = parameters.get(place)
    if found is None or found.default is None or found.kind in (found.VAR_POSITIONAL, found.VAR_KEYWORD):
        return None
    return Lacking(found.name, found.default is not found.empty)
