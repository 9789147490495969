"""Classes that are no modules though they have a forward, and classes where one of their instances is wanted."""

import ast
import inspect

from tensh.explain.model import Explanation, Fit
from tensh.explain.situation import first_explanation
from tensh.explain.source.place import bindings
from tensh.explain.source.replacing import replace_node
from tensh.explain.source.statements import class_of, statement_on
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _


def explain_class(situation):
    """Return the Explanation of the first kind that applies."""
    return first_explanation((explain_class_without_base, explain_class_for_instance), situation)


def explain_class_without_base(situation):
    """Explain `class Net:` with a forward, and then `net(x)` or `net.parameters()`."""
    path = situation.place.path()
    value = find_owner(situation, path[-1]) if path else None
    definition = class_of(situation.place, type(value).__name__) if value is not None else None
    if (
        definition is None
        or definition.bases
        or definition.keywords
        or definition.lineno != definition.body[0].lineno - 1
    ):
        return None
    methods = {each.name: each for each in definition.body if isinstance(each, ast.FunctionDef)}
    if "forward" not in methods:
        return None
    rule = _("{name} defines forward, but is not a module: derive it from nn.Module").format(name=definition.name)
    more = ()
    if "__init__" in methods and "super(" not in ast.unparse(methods["__init__"]):
        more = (Fit("super().__init__()", "", methods["__init__"].body[0].lineno, "before"),)
    return Explanation(
        "class", (), rule, (Fit(f"class {definition.name}(nn.Module):", "", definition.lineno, "", more),)
    )


def find_owner(situation, node):
    """The object of the user's that was called, or lacks an attribute that modules have; None if it is another failure."""
    if isinstance(situation.error, AttributeError) and hasattr(module_class(), situation.error.name or ""):
        value = situation.error.obj
    elif situation.says("object is not callable") and isinstance(node, ast.Call):
        value = situation.look_up(node.func)
        kind = situation.look_up(node.func.func) if isinstance(node.func, ast.Call) else None  # `Net()(x)`
        value = object.__new__(kind) if value is None and is_plain(kind) else value
    else:
        return None
    return None if is_module(value) or isinstance(value, type) else value


def module_class():
    """`nn.Module`, which is loaded where a failure may be of one."""
    from tensh.nn import Module

    return Module


def is_plain(kind):
    """Return True for a class of the user's without bases: an empty instance of it runs nothing."""
    return isinstance(kind, type) and kind.__bases__ == (object,) and "__new__" not in vars(kind)


def explain_class_for_instance(situation):
    """Explain `Net.parameters()` and `nn.Linear.load_state_dict(state)`, of a class."""
    path = situation.place.path()
    node = path[-1] if path else None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    if not situation.says("missing", "required positional argument"):
        return None
    kind = situation.look_up(node.func.value)
    kind = situation.evaluate(node.func.value) if kind is None else kind
    if not isinstance(kind, type) or not issubclass(kind, module_class()):
        return None
    text = ast.unparse(node.func.value)
    rule = _("{text} is a class: {method} belongs to a model made from it").format(text=text, method=node.func.attr)
    if node.func.attr == "load_state_dict" and isinstance(path[0], ast.Assign):
        advice = _("net = {text}(...) first, then net.{method}").format(text=text, method=node.func.attr)
        return Explanation("class", (), rule, (), advice)
    made = [name for name, value in situation.names.items() if type(value) is kind and name[0] != "_"]
    alias = find_alias(situation.place, node.func.value)
    if alias is not None:
        fit = replace_node(situation.place, alias, f"{ast.unparse(alias)}()") if needs_nothing(kind) else None
    elif len(made) == 1:
        fit = replace_node(situation.place, node.func.value, made[0])
    else:
        fit = replace_node(situation.place, node.func.value, f"{text}()") if needs_nothing(kind) else None
    advice = None if fit else _("net = {text}(...) first, then net.{method}").format(text=text, method=node.func.attr)
    return Explanation("class", (), rule, (fit,) if fit else (), advice)


def find_alias(place, named):
    """Return the node of the class in `net = Net`; None if a name was bound in another way."""
    tree = place.tree()
    lines = bindings(place.scope() or tree, named.id) if isinstance(named, ast.Name) and tree else []
    match [statement_on(tree, line) for line in lines]:
        case [ast.Assign(targets=[ast.Name()], value=ast.Name() | ast.Attribute() as kind)]:
            return kind
    return None


def needs_nothing(kind):
    """Return True if a class makes an instance without arguments."""
    try:
        parameters = [*inspect.signature(kind.__init__).parameters.values()][1:]
    except (TypeError, ValueError):
        return False
    return all(
        each.default is not each.empty or each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD) for each in parameters
    )
