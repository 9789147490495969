"""Parts of a module that it does not register: tensors, and layers in plain lists."""

import ast
import types

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation, Fit
from tensh.explain.situation import operand_of
from tensh.explain.source.statements import class_of
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _

CONTAINERS = {list: "ModuleList", tuple: "ModuleList", dict: "ModuleDict"}


def explain_empty_parameters(situation):
    """Explain an optimizer without parameters: an exhausted generator, or a module whose parts are not registered."""
    if not situation.says("optimizer got an empty parameter list"):
        return None
    call = situation.expression()
    call = getattr(call, "value", call)
    given = call.args[0] if isinstance(call, ast.Call) and call.args else None
    if isinstance(given, ast.Name) and isinstance(situation.names.get(given.id), types.GeneratorType):
        made = situation.find_assignment(given.id)
        fits = (
            (Fit(f"{given.id} = list({ast.unparse(made.value)})", "", made.lineno),)
            if isinstance(made, ast.Assign)
            else ()
        )
        return Explanation(
            "__init__",
            (),
            _("{name} is a generator, which yields its parameters once, and is exhausted").format(name=given.id),
            fits,
        )
    match given:
        case ast.Call(func=ast.Attribute(attr="parameters", value=ast.Call(func=ast.Name(id=kind)))):
            return find_plain_list(class_of(situation.place, kind), kind)
        case ast.Call(func=ast.Attribute(attr="parameters", value=owner)):
            model = situation.look_up(owner)
            return find_unregistered(situation, model, ast.unparse(owner)) if is_module(model) else None
    return None


def find_plain_list(definition, kind):
    """Return the only list of layers in the class of an unnamed model; None if there is none, or more."""
    found = []
    for node in ast.walk(definition) if definition else ():
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=ast.List(elts=parts)):
                pass
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=ast.ListComp(elt=part)
            ):
                parts = [part]
            case _:
                continue
        if parts and all(isinstance(each, ast.Call) and ast.unparse(each.func).startswith("nn.") for each in parts):
            found.append((name, node))
    if len(found) != 1:
        return None
    ((name, node),) = found
    kinds = {ast.unparse(each.func) for each in ast.walk(node.value) if isinstance(each, ast.Call)}
    if "nn.Parameter" in kinds:
        what, container = _("a plain {kind}, whose tensors are not registered"), "ParameterList"
    else:
        what, container = _("a plain {kind}, whose modules are not registered"), "ModuleList"
    what = what.format(kind="list")
    rule = _("{name} has no parameters: {name}.{attribute} is {what}").format(name=kind, attribute=name, what=what)
    code = f"self.{name} = nn.{container}({ast.unparse(node.value)})"
    return Explanation("__init__", (), rule, (Fit(code, "", node.lineno),))


def find_unregistered(situation, model, name):
    """Explain parts of a module that are not registered."""
    definition = class_of(situation.place, type(model).__name__)
    for attribute, value, wrapper, what in unregistered_parts(model):
        given = (operand_of(f"{name}.{attribute}", value),) if isinstance(value, Tensor) else ()
        return Explanation(
            "__init__",
            given,
            _("{name} has no parameters: {name}.{attribute} is {what}").format(
                name=name, attribute=attribute, what=what
            ),
            wrap_attribute(definition, attribute, wrapper),
        )
    return Explanation("__init__", (), _("{name} has no parameters: there is nothing to train").format(name=name), ())


def unregistered_parts(model):
    """Yield (attribute, value, what would register it, what it is) of the tensors and layers that a module misses."""
    for attribute, value in vars(model).items():
        if attribute.startswith("_"):
            continue
        parts = parts_of(value)
        if isinstance(value, Tensor):
            yield attribute, value, "nn.Parameter", _("a tensor, not a parameter")
        elif parts and type(value) in CONTAINERS and all(is_module(each) for each in parts):
            what = _("a plain {kind}, whose modules are not registered").format(kind=type(value).__name__)
            yield attribute, value, f"nn.{CONTAINERS[type(value)]}", what
        elif parts and type(value) in CONTAINERS and all(isinstance(each, Tensor) for each in parts):
            what = _("a plain {kind}, whose tensors are not registered").format(kind=type(value).__name__)
            yield attribute, value, "nn.ParameterList" if type(value) is not dict else "nn.ParameterDict", what


def parts_of(value):
    """Return the elements of a list, a tuple or a dict, or any other value as the only one."""
    return [*value.values()] if type(value) is dict else value if type(value) in (list, tuple) else [value]


def wrap_attribute(definition, attribute, wrapper):
    """Return the Fit that wraps the value of `self.attribute` in the class, as in `self.attribute = wrapper(...)`."""
    for node in ast.walk(definition) if definition else ():
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)]) if name == attribute:
                value = node.value
                if wrapper == "nn.Parameter":
                    value = drop_requirement(value)
                return (Fit(f"self.{name} = {wrapper}({ast.unparse(value)})", "", node.lineno),)
    return ()


def drop_requirement(value):
    """Explain `requires_grad=True` for a parameter, which does not need it."""
    if isinstance(value, ast.Call):
        value = ast.Call(value.func, value.args, [each for each in value.keywords if each.arg != "requires_grad"])
    return value
