"""Things that a model lacks: its own device, a block that `eval()` would open, layers in the body of its class."""

import ast

from tensh.explain.model import Explanation, Fit
from tensh.explain.situation import explain_replacement, first_explanation, message_of
from tensh.explain.source.replacing import replace_node
from tensh.explain.source.statements import class_of
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _

SWITCHES = ("eval", "train")


def explain_mode(situation):
    """Return the Explanation of the first kind that applies."""
    return first_explanation(
        (
            explain_device_of_model,
            explain_gradient_of_model,
            explain_argument_of_eval,
            explain_block_of_eval,
            explain_initializer_in_apply,
            explain_layers_of_class,
        ),
        situation,
        situation.place.node(),
    )


def explain_device_of_model(situation, node):
    """Explain `x.to(net.device)`."""
    error = situation.error
    if not isinstance(error, AttributeError) or error.name not in ("device", "dtype") or not is_module(error.obj):
        return None
    tree = situation.place.tree()
    on_line = (each for each in ast.walk(tree) if getattr(each, "lineno", 0) == situation.place.line) if tree else ()
    found = [each for each in on_line if isinstance(each, ast.Attribute) and each.attr == error.name]
    found = [each for each in found if situation.look_up(each.value) is error.obj]
    if len(found) != 1:
        return None
    owner = ast.unparse(found[0].value)
    rule = _("a model has no {name}: each of its parameters has one").format(name=error.name)
    fit = replace_node(situation.place, found[0], f"next({owner}.parameters()).{error.name}")
    return Explanation("attribute", (), rule, (fit,) if fit else ())


def explain_gradient_of_model(situation, node):
    """Explain `net.grad.zero_()`."""
    error = situation.error
    if not isinstance(error, AttributeError) or error.name != "grad" or not is_module(error.obj):
        return None
    rule = _("a model has no {name}: each of its parameters has one").format(name="grad")
    for each in ast.walk(situation.place.tree()):
        match each:
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="grad") as grad, attr="zero_" | "zero")) if (
                each.lineno == situation.place.line and situation.look_up(grad.value) is error.obj
            ):
                return explain_replacement(situation, "attribute", rule, each, f"{ast.unparse(grad.value)}.zero_grad()")
    return Explanation("attribute", (), rule)


def explain_argument_of_eval(situation, node):
    """Explain `net.eval(False)`."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="eval"), args=[ast.Constant(value=bool(is_on))]):
            pass
        case _:
            return None
    if not is_module(situation.look_up(owner)) or not situation.says("positional argument"):
        return None
    rule = _("eval() takes no argument: it switches to evaluation, and train() back to training")
    return explain_replacement(situation, "eval", rule, node, f"{ast.unparse(owner)}.{'eval' if is_on else 'train'}()")


def explain_block_of_eval(situation, node):
    """Explain `with net.eval():`."""
    if not situation.says("context manager protocol") and message_of(situation.error) not in ("__enter__", "__exit__"):
        return None
    tree, line = situation.place.tree(), situation.place.line
    for block in ast.walk(tree) if tree else ():
        if not isinstance(block, ast.With) or block.lineno != line or len(block.items) != 1:
            continue
        match block.items[0].context_expr:
            case ast.Call(func=ast.Attribute(value=owner, attr=word), args=[]) as call if word in SWITCHES:
                if not is_module(situation.look_up(owner)):
                    return None
                rule = _("{code} switches the model until it is switched back; it is not a context manager")
                before = Fit(ast.unparse(call), "", line, "before")
                is_fixed = word == "eval" and block.body[0].lineno > line
                fit = Fit("with torch.no_grad():", "", line, "", (before,)) if is_fixed else None
                advice = None if fit else _("put {code} on a separate line").format(code=ast.unparse(call))
                return Explanation("with", (), rule.format(code=ast.unparse(call)), (fit,) if fit else (), advice)
    return None


def explain_initializer_in_apply(situation, node):
    """Explain `net.apply(nn.init.xavier_uniform_)`, whose function is given layers."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="apply"), args=[function]):
            pass
        case _:
            return None
    name = ast.unparse(function)
    if (
        not is_module(situation.look_up(owner))
        or not isinstance(situation.error, AttributeError)
        or "init." not in name
    ):
        return None
    rule = _("apply calls a function with each layer, but {name} expects a tensor").format(name=name)
    advice = _("write a function that calls {name}(layer.weight) for the layers that have one").format(name=name)
    return Explanation("apply", (), rule, (), advice)


def explain_layers_of_class(situation, node):
    """Explain layers in the body of a class, which are no parts of a model."""
    if not situation.says("optimizer got an empty parameter list"):
        return None
    for call in ast.walk(node) if node is not None else ():
        match call:
            case ast.Call(func=ast.Attribute(attr="parameters", value=owner)):
                pass
            case _:
                continue
        kind = type(situation.look_up(owner)).__name__ if is_module(situation.look_up(owner)) else None
        if isinstance(owner, ast.Call) and isinstance(owner.func, ast.Name):
            kind = owner.func.id
        definition = class_of(situation.place, kind)
        for made in definition.body if definition else ():
            if isinstance(made, ast.Assign) and is_module(getattr(situation.names.get(kind), target_of(made), None)):
                rule = _(
                    "{name} (line {line}) is an attribute of the class {kind}: assign the parts of a model to self in __init__"
                )
                rule = rule.format(name=target_of(made), line=made.lineno, kind=kind)
                advice = _("write self.{code} in __init__, after super().__init__()").format(code=ast.unparse(made))
                return Explanation("class", (), rule, (), advice)
    return None


def target_of(made):
    return ast.unparse(made.targets[0])
