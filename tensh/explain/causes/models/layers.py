"""Layers made for inputs of another size: where they were made, and the sizes that would fit."""

import ast

from tensh.explain.model import Fit
from tensh.explain.source.iterations import find_iteration
from tensh.explain.source.replacing import replace_node
from tensh.explain.source.statements import class_of
from tensh.explain.trials.fixes import append_to_expression
from tensh.explain.trials.shadow import Shadow
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _

SIZES = {
    "in_features": -1, "input_size": -1, "num_features": 1, "num_channels": 1, "normalized_shape": -1, "d_model": -1, "embed_dim": -1,
}  # fmt: skip
"""The dimension of an input for which a layer is made, by the name of its first parameter."""
IMAGES = 4  # dimensions of a batch of images


def fit_layer(explanation, situation):
    """Return an Explanation with the changes of the model that let a layer take its input."""
    call = situation.call
    made = construction(situation)
    if made is None or not call.tensors:
        return explanation
    t = call.tensors[0].value
    found = (
        add_features(situation, t)
        or flatten_samples(situation)
        or flatten_samples_before(situation, t)
        or flatten_samples_in_sequential(situation, made, t)
        or insert_flatten(situation, made, t)
        or resize_layer(situation, made, t)
    )
    if found is None and is_merged(situation, made, t):
        return explanation._replace(advice=_("keep the samples apart: flatten from dim 1 on, with flatten(x, 1)"))
    if found is None and is_later_turn(situation):
        return explanation._replace(advice=_("the inputs of earlier iterations fitted: look at this one"))
    return explanation._replace(fits=(found,), advice=None) if found else explanation


def is_later_turn(situation):
    """Return True if a loop has already called a layer with valid inputs."""
    begun = find_iteration(situation.place, situation.names)
    return begun is not None and begun[1] > 1


def add_features(situation, t):
    """Suggest `unsqueeze(-1)` for samples of one feature that lack its dimension."""
    call = situation.call
    argument = call.tensors[0]
    if t.dim() != 1 or getattr(call.module, "in_features", None) != 1 or not argument.text:
        return None
    shape = try_shape("it(x)", situation, t.unsqueeze(-1), {"it": call.module}, "x")
    code = call.rewrite({argument: append_to_expression(argument.text, ".unsqueeze(-1)")}) if shape else None
    return code and Fit(code, f"{[len(t), 1]} -> {shape}")


def flatten_samples(situation):
    """Suggest `flatten(1)` in place of a step that merged all samples into one row."""
    call = situation.call
    argument = call.tensors[0]
    wanted = getattr(call.module, "in_features", None)
    node = ast.parse(argument.text, mode="eval").body if argument.text else None
    found = merged_by(node)
    samples = situation.tensor_of(found[0]) if found else None
    if samples is not None and samples.dim() > 1 and samples.shape[1:].numel() == wanted:
        shape = try_shape("it(x)", situation, samples.flatten(1), {"it": call.module}, "x")
        return shape and Fit(call.rewrite({argument: found[1]}), f"{[len(samples), wanted]} -> {shape}")
    match node:
        case ast.Call(func=ast.Attribute(attr="flatten" | "view" | "reshape" | "ravel", value=owner)):
            whole = situation.evaluate(owner)
            if getattr(whole, "ndim", 0) > 1 and whole.shape[1:].numel() == wanted:
                code = f"{ast.unparse(owner)}.flatten(1)"
                shape = try_shape("it(x)", situation, whole.flatten(1), {"it": call.module}, "x")
                return shape and Fit(call.rewrite({argument: code}), f"{[len(whole), wanted]} -> {shape}")
    return None


def flatten_samples_before(situation, t):
    """Suggest `flatten(1)` on the line that merged all samples into one row: `x = x.view(-1)`."""
    text, wanted = situation.call.tensors[0].text, getattr(situation.call.module, "in_features", None)
    made = situation.find_assignment(text) if text and text.isidentifier() and t.dim() == 1 and wanted else None
    found = merged_by(made.value) if isinstance(made, ast.Assign) and not t.numel() % wanted else None
    if found is None:
        return None
    shape, result = describe_rows(situation, t, wanted)
    return result and Fit(f"{text} = {found[1]}", f"{shape} -> {result}", made.lineno)


def describe_rows(situation, t, wanted):
    """Return (the shape of a merged input as rows for a layer, that of the layer's output; None if it fails)."""
    shape = [t.numel() // wanted, wanted]
    return shape, try_shape("it(x)", situation, t.reshape(shape), {"it": situation.call.module}, "x")


def merged_by(node):
    """Return (what a call makes one row of, the call that keeps the samples apart); None for other code."""
    match node:
        case ast.Call(func=ast.Attribute(attr="flatten" | "ravel", value=owner), args=[], keywords=[]):
            return owner, f"{ast.unparse(owner)}.flatten(1)"
        case ast.Call(func=ast.Attribute(attr="view" | "reshape", value=owner), args=[given], keywords=[]):
            return (owner, f"{ast.unparse(owner)}.flatten(1)") if ast.unparse(given) == "-1" else None
        case ast.Call(func=ast.Attribute(attr="flatten" | "ravel", value=ast.Name("torch")), args=[owner], keywords=[]):
            return owner, f"torch.flatten({ast.unparse(owner)}, 1)"
    return None


def flatten_samples_in_sequential(situation, made, t):
    """Suggest `nn.Flatten()` in place of the `nn.Flatten(0)` before a layer of a Sequential."""
    wanted, before = getattr(situation.call.module, "in_features", None), layer_before(situation, made)
    if not merges_samples(before) or t.dim() != 1 or not wanted or t.numel() % wanted:
        return None
    shape, result = describe_rows(situation, t, wanted)
    fit = result and replace_node(situation.place, before, f"{ast.unparse(before.func)}()")
    return fit and fit._replace(result=f"{shape} -> {result}")


def layer_before(situation, made):
    """Return the expression before that of a layer in a Sequential; None if there is none."""
    for node in ast.walk(situation.place.tree()):
        if isinstance(node, ast.Call) and made in node.args[1:]:
            return node.args[node.args.index(made) - 1]
    return None


def merges_samples(node):
    """Return True for `nn.Flatten(0)`."""
    match node:
        case ast.Call(func=ast.Attribute(attr="Flatten"), args=[ast.Constant(0)], keywords=[]):
            return True
        case ast.Call(
            func=ast.Attribute(attr="Flatten"), args=[], keywords=[ast.keyword("start_dim", ast.Constant(0))]
        ):
            return True
    return False


def resize_layer(situation, made, t):
    """Suggest making the layer for the size of its input."""
    size = size_of(situation.call.module, t)
    given = argument_of_size(situation.call.module, made)
    if size is None or given is None or isinstance(given, ast.Starred) or takes_others(situation, size):
        return None
    if is_merged(situation, made, t):
        return None
    if is_later_turn(situation):
        return None
    if ast.unparse(given) == str(size):  # it is made for this size already
        return None
    code = ast.unparse(replace_argument(made, given, size))
    shape = try_shape(f"({code})(it)", situation, t)
    fit = replace_node(situation.place, given, str(size)) if shape else None
    return fit and fit._replace(result=f"{list(t.shape)} -> {shape}")


def replace_argument(call, given, value):
    """Return a call with a value in the place of one of its arguments."""
    args = [ast.Constant(value) if each is given else each for each in call.args]
    keywords = [ast.keyword(each.arg, ast.Constant(value)) if each.value is given else each for each in call.keywords]
    return ast.Call(call.func, args, keywords)


def argument_of_size(layer, made):
    """Return the argument by which a layer is made for the size of its input: the first, but for groups of channels."""
    if hasattr(layer, "num_groups"):
        named = [each.value for each in made.keywords if each.arg == "num_channels"]
        return next(iter([*named, *made.args[1:2]]), None)
    return made.args[0] if made.args else next((each.value for each in made.keywords), None)


def is_merged(situation, made, t):
    """Return True if the input of a layer is a row that all samples of a batch were made into."""
    if t.dim() != 1:
        return False
    text = situation.call.tensors[0].text
    node = ast.parse(text, mode="eval").body if text else None
    assigned = situation.find_assignment(text) if isinstance(node, ast.Name) else None
    given = assigned.value if isinstance(assigned, ast.Assign) else node
    return merges_samples(layer_before(situation, made)) or merged_by(given) is not None


def takes_others(situation, size):
    """Return True if the same statement passes the model inputs of another size, too."""
    path = situation.place.path()
    failed = path[-1] if path and isinstance(path[-1], ast.Call) else None
    for node in ast.walk(path[0]) if failed else ():
        if isinstance(node, ast.Call) and node is not failed and ast.unparse(node.func) == ast.unparse(failed.func):
            given = [situation.evaluate(each) for each in (*node.args[:1], *failed.args[:1])]
            if all(hasattr(each, "shape") for each in given) and given[0].shape[1:] != given[1].shape[1:]:
                return True
    return False


def size_of(layer, t):
    """Return the value that a layer's first parameter should have for an input; None if unknown."""
    if hasattr(layer, "in_channels") and hasattr(layer, "kernel_size"):
        dim = -len(layer.kernel_size) - 1
    else:
        dim = next((dim for name, dim in SIZES.items() if hasattr(layer, name)), None)
    return t.shape[dim] if dim is not None and -t.dim() <= dim < t.dim() else None


def insert_flatten(situation, made, t):
    """Suggest a Flatten before a layer of a Sequential whose input still has the dimensions of an image."""
    wanted, size = getattr(situation.call.module, "in_features", None), t.shape[1:].numel()
    if t.dim() < 3 or wanted is None or not find_in_sequential(situation, made):
        return None
    if size != wanted and (t.dim() != IMAGES or not made.args or not follows_images(situation, made)):
        return None
    layer = ast.unparse(ast.Call(made.func, [ast.Constant(size), *made.args[1:]], made.keywords))
    fit = replace_node(situation.place, made, f"nn.Flatten(), {ast.unparse(made) if size == wanted else layer}")
    shape = try_shape("(it.flatten(1))", situation, t)
    return fit and fit._replace(result=f"{list(t.shape)} -> {shape}")


def follows_images(situation, made):
    """Return True if a layer follows convolutions or poolings in a Sequential."""
    sequence = next(each for each in ast.walk(situation.place.tree()) if made in getattr(each, "args", ()))
    before = sequence.args[: sequence.args.index(made)]
    return any(word in ast.unparse(each) for each in before for word in ("Conv", "Pool"))


def find_in_sequential(situation, made):
    tree = situation.place.tree()
    return any(
        isinstance(node, ast.Call) and made in node.args and ast.unparse(node.func).endswith("Sequential")
        for node in ast.walk(tree)
    )


def try_shape(code, situation, t, others=None, name="it"):
    """Return the shape of the result of some code on shapes only, where ``name`` is a tensor; None if it fails."""
    names = {each: situation.names[each] for each in ("torch", "nn", "F") if each in situation.names}
    try:
        result = Shadow({}, {**names, **(others or {}), name: t}).value(code)
        return list((result[0] if isinstance(result, tuple) else result).shape)
    except Exception:  # the code of the program, on stand-ins
        return None


def construction(situation):
    """Return the call that made the layer which failed; None if it is not in the source."""
    call, tree = situation.call, situation.place.tree()
    if call is None or call.module is None or tree is None:
        return None
    expression = situation.expression()
    expression = getattr(expression, "value", expression)
    function = expression.func if isinstance(expression, ast.Call) else None
    if isinstance(function, ast.Attribute) and function.attr == "forward":
        function = function.value
    model = situation.look_up(function) if function is not None else None
    if not is_module(model):
        return None
    path = next((path for path, each in model.named_modules() if each is call.module), None)
    node = find_maker(function, situation) if path is not None else None
    for part in path.split(".") if path else ():
        node = part_of(node, part, situation)
    return node if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(type(call.module).__name__) else None


def find_maker(node, situation):
    """Return the expression that made the value of an expression."""
    match node:
        case ast.Name(id="self"):
            return ast.Call(ast.Name(type(situation.names["self"]).__name__), [], [])
        case ast.Name(id=name):
            made = situation.find_assignment(name)
            return made.value if isinstance(made, ast.Assign) else None
        case ast.Attribute(value=owner, attr=name):
            return part_of(find_maker(owner, situation), name, situation)
        case ast.Subscript(value=owner, slice=ast.Constant(value=int(number))):
            return part_of(find_maker(owner, situation), str(number), situation)
    return None


def part_of(node, name, situation):
    """Return the expression that made a part of a module, given the one that made the module."""
    if not isinstance(node, ast.Call):
        return None
    if name.isdecimal():
        parts = (
            node.args[0].elts if len(node.args) == 1 and isinstance(node.args[0], ast.List | ast.Tuple) else node.args
        )
        plain = int(name) < len(parts) and not any(isinstance(each, ast.Starred) for each in parts)
        return parts[int(name)] if plain else None
    definition = class_of(situation.place, ast.unparse(node.func).rpartition(".")[2])
    for inner in ast.walk(definition) if definition else ():
        match inner:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=attribute)], value=value) if (
                attribute == name
            ):
                return value
    return None
