"""Tensors given to the class of a layer, which takes its settings: `nn.Softmax(x, dim=1)`, `Net(x)`, `nn.ReLU(x)`."""

import ast
import inspect

from tensh.engine.core.tensor import Tensor
from tensh.explain.causes.models.layers import find_maker, part_of
from tensh.explain.model import Explanation
from tensh.explain.situation import explain_replacement, first_explanation
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _


def explain_tensor_for_setting(situation):
    """Return the Explanation of the first kind that applies."""
    node = situation.place.node()
    if not isinstance(node, ast.Call):
        return None
    return first_explanation(
        (explain_class_called_once, explain_layer_made_of_data, explain_size_of_output, explain_number_for_device),
        situation,
        node,
    )


def explain_class_called_once(situation, node):
    """Explain `Net(x)` of a class without settings, and `nn.Softmax(x, dim=1)`."""
    kind = situation.look_up(node.func) or situation.evaluate(node.func)
    if not isinstance(situation.error, TypeError) or not is_class_of_modules(kind):
        return None
    if not situation.says("positional argument") and not situation.says("got multiple values for argument"):
        return None
    function, (given, settings) = ast.unparse(node.func), split_tensors(node.args, situation)
    if function.rpartition(".")[2] != kind.__name__:  # `net = Net` was not called
        return None
    if not given or any(isinstance(each.value, Tensor) for each in node.keywords):
        return None
    texts = [*map(ast.unparse, [*settings, *node.keywords])]
    if not takes(kind, len(settings), [each.arg for each in node.keywords]):
        return None
    code = f"{function}({', '.join(texts)})({', '.join(map(ast.unparse, given))})"
    rule = _("{text} is a class: call it to create a {kind}, then call that with the tensors").format(
        text=function, kind=kind.__name__
    )
    fit = replace_node(situation.place, node, code)
    return Explanation("call", (), rule, (fit,)) if fit else None


def explain_size_of_output(situation, node):
    """Explain `nn.AdaptiveAvgPool2d(0.5)` and `nn.AdaptiveAvgPool2d(7.0)`, which count rows and columns."""
    layer = situation.look_up(node.func)
    if not isinstance(situation.error, TypeError) or not is_module(layer):
        return None
    parts = {"": layer, **(vars(layer).get("_modules") or {})}
    name = next((name for name, each in parts.items() if is_pool_to_fraction(each)), None)
    if name is None:
        return None
    kind, size = type(parts[name]).__name__, parts[name].output_size
    sizes = size if isinstance(size, tuple | list) else (size,)
    rule = _(
        "{kind} gets {size}, but its setting is the size of the result: whole numbers, whatever the size of the input"
    )
    rule = rule.format(kind=kind, size=size)
    made = find_maker(node.func, situation)
    made = part_of(made, name, situation) if name else made
    written = made.args[0] if isinstance(made, ast.Call) and made.args else None
    if written is not None and all(float(each).is_integer() for each in sizes if each is not None):
        whole = tuple(each if each is None else int(each) for each in sizes)
        return explain_replacement(situation, "call", rule, written, str(whole if len(whole) > 1 else whole[0]))
    if any(0 < each < 1 for each in sizes if type(each) is float):
        advice = _("use F.interpolate(x, scale_factor={size}, mode='area') for a fraction of the size").format(
            size=size
        )
        return Explanation("call", (), rule, (), advice)
    return Explanation("call", (), rule)


def is_pool_to_fraction(layer):
    """Return True for an adaptive pool whose result is to have a number of rows or columns that is not an int."""
    size = getattr(layer, "output_size", None) if type(layer).__name__.startswith("Adaptive") else None
    return any(type(each) is float for each in (size if isinstance(size, tuple | list) else (size,)))


def explain_layer_made_of_data(situation, node):
    """Explain a model with `nn.ReLU(x)` in it, which takes x for a flag, and fails when it is called."""
    tree = situation.place.tree()
    if not situation.says("Boolean value of Tensor") or not is_module(situation.look_up(node.func)) or tree is None:
        return None
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or call is node or len(call.args) != 1 or call.keywords:
            continue
        kind = situation.evaluate(call.func)
        if not is_class_of_modules(kind) or not split_tensors(call.args, situation)[0] or not takes(kind, 0, []):
            continue
        text = ast.unparse(call)
        rule = _("{text} on line {line} takes {given} for a setting: a layer gets its input when it is called").format(
            text=text, line=call.lineno, given=ast.unparse(call.args[0])
        )
        fit = replace_node(situation.place, call, f"{ast.unparse(call.func)}()")
        return Explanation("call", (), rule, (fit,)) if fit else None
    return None


def is_class_of_modules(value):
    return isinstance(value, type) and hasattr(value, "named_modules")


def split_tensors(nodes, situation):
    """Return (expressions of tensors, other expressions)."""
    found = [(each, isinstance(situation.tensor_of(each), Tensor)) for each in nodes]
    return [each for each, is_tensor in found if is_tensor], [each for each, is_tensor in found if not is_tensor]


def takes(kind, count, names):
    """Return True if a class can be made with so many positional arguments and these named ones."""
    try:
        inspect.signature(kind.__init__).bind(None, *[None] * count, **dict.fromkeys(names))
    except TypeError:
        return False
    return True


def explain_number_for_device(situation, node):
    """Explain `nn.Linear(3, 8, True, 4)`, whose last number is taken for that of a device."""
    kind = situation.look_up(node.func) or situation.evaluate(node.func)
    if not situation.says("accelerator device") or not is_class_of_modules(kind):
        return None
    place = [*inspect.signature(kind).parameters].index("device")
    if len(node.args) <= place:
        return None
    rule = _("argument {number} of {name} is the device, but this is {text}: it has fewer settings, or others")
    text = ast.unparse(node.args[place])
    rule = rule.format(number=place + 1, name=ast.unparse(node.func), text=text)
    return Explanation("call", (), rule, (), _("{name}? shows the arguments").format(name=ast.unparse(node.func)))
