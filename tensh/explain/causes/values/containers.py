"""Lists, generators, module containers and loaders mistaken for their elements."""

import ast
import types

from tensh.engine.core.tensor import Tensor
from tensh.explain.causes.values.operators import write_layer
from tensh.explain.model import Explanation, Fit
from tensh.explain.situation import first_explanation
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _


def explain_container(situation):
    """Return the Explanation of the first kind that applies."""
    path = situation.place.path()
    if not path or not isinstance(situation.error, TypeError | AttributeError | NotImplementedError):
        return None
    return first_explanation(
        (
            explain_called_state,
            explain_list,
            explain_called_list,
            explain_generators,
            explain_sequential,
            explain_function_among_layers,
            explain_module_list,
            explain_loader,
            explain_saving_model,
        ),
        path[-1],
        situation,
    )


def replace_node_code(situation, node, code, rule):
    """Return the Explanation with a node replaced."""
    fit = replace_node(situation.place, node, code)
    return Explanation("call", (), rule, (fit,) if fit else ())


def explain_list(node, situation):
    """Explain `losses.backward()` of a list of losses, `nets.parameters()` of a list of modules."""
    if not isinstance(node, ast.Attribute):
        return None
    values, text = situation.look_up(node.value), ast.unparse(node.value)
    if type(values) not in (list, tuple) or not values:
        return None
    kind = type(values).__name__
    if node.attr == "backward" and all(isinstance(each, Tensor) and each.numel() == 1 for each in values):
        return replace_node_code(
            situation,
            node.value,
            f"sum({text})",
            _("{text} is a {kind} of losses: for one backward pass, add them up").format(text=text, kind=kind),
        )
    if node.attr == "parameters" and all(is_module(each) for each in values):
        call = next(
            (each for each in ast.walk(situation.place.tree()) if isinstance(each, ast.Call) and each.func is node),
            None,
        )
        code = f"[p for each in {text} for p in each.parameters()]"
        return call and replace_node_code(
            situation,
            call,
            code,
            _("{text} is a {kind} of modules, each with its own parameters").format(text=text, kind=kind),
        )
    return None


def explain_called_list(node, situation):
    """Explain `self.layers(x)` of a plain list of layers."""
    if not isinstance(node, ast.Call) or not situation.says("object is not callable"):
        return None
    values, text = situation.look_up(node.func), ast.unparse(node.func)
    if type(values) not in (list, tuple) or not values or not all(is_module(each) for each in values):
        return None
    rule = _("{text} is a {kind} of layers, not a layer: Sequential calls one after another").format(
        text=text, kind=type(values).__name__
    )
    tree = situation.place.tree()
    made = [
        each for each in ast.walk(tree) if isinstance(each, ast.Assign) and [*map(ast.unparse, each.targets)] == [text]
    ]
    if len(made) != 1 or not isinstance(made[0].value, ast.List | ast.Tuple | ast.ListComp):
        return Explanation("call", (), rule, (), f"nn.Sequential(*{text})")
    value = made[0].value
    is_comprehension = isinstance(value, ast.ListComp)
    code = f"*{ast.unparse(value)}" if is_comprehension else ", ".join(map(ast.unparse, value.elts))
    return replace_node_code(situation, value, f"nn.Sequential({code})", rule)


def explain_generators(node, situation):
    """Explain `a.parameters() + b.parameters()`."""
    if not situation.says("'generator' and 'generator'") or not isinstance(node, ast.BinOp):
        return None
    code = f"[*{ast.unparse(node.left)}, *{ast.unparse(node.right)}]"
    return replace_node_code(situation, node, code, _("parameters() is a generator, and generators cannot be added"))


def explain_sequential(node, situation):
    """Explain a list, or functions, in a Sequential."""
    if not situation.says("is not a Module subclass") or not isinstance(node, ast.Call):
        return None
    for each in node.args:
        text = ast.unparse(each)
        if isinstance(each, ast.List | ast.Tuple) or type(situation.look_up(each)) in (list, tuple):
            return replace_node_code(
                situation, each, f"*{text}", _("Sequential expects the layers as separate arguments, not in a list")
            )
        if isinstance(each, ast.Constant) and type(each.value) is str and (named := layer_of(print, each.value)):
            rule = _("{text} is a text: a container of layers expects the layer itself").format(text=text)
            return replace_node_code(situation, each, write_layer(f"nn.{named}"), rule)
        layer = layer_of(situation.look_up(each), text) if isinstance(each, ast.Attribute | ast.Name) else None
        match each:  # `lambda x: x.relu()`, `lambda x: F.relu(x)`
            case ast.Lambda(
                args=ast.arguments(args=[ast.arg(arg=name)]), body=ast.Call(func=ast.Attribute() as function)
            ):
                given = {ast.unparse(function.value), *map(ast.unparse, each.body.args)} & {name}
                if given and len(each.body.args) + (ast.unparse(function.value) == name) == 1:
                    layer = layer_of(getattr(Tensor, function.attr, None), function.attr)
        if layer:
            return replace_node_code(
                situation,
                each,
                write_layer(f"nn.{layer}"),
                _("{text} is a function: a container of layers expects the layer that calls it").format(text=text),
            )
    return None


def explain_function_among_layers(node, situation):
    """Explain `nn.Sequential(nn.Linear(3, 4), F.relu())`."""
    if not situation.says("missing", "required positional argument") or not isinstance(node, ast.Call) or node.args:
        return None
    calls = [each for each in ast.walk(situation.place.tree()) if isinstance(each, ast.Call) and node in each.args]
    layer = layer_of(situation.evaluate(node.func), ast.unparse(node.func))
    if layer is None or node.keywords or not any(ast.unparse(each.func).endswith("Sequential") for each in calls):
        return None
    rule = _("{text} is a function: a container of layers expects the layer that calls it").format(
        text=ast.unparse(node.func)
    )
    return replace_node_code(situation, node, write_layer(f"nn.{layer}"), rule)


def layer_of(value, text):
    """Return the layer of torch.nn for a function; None if there is none without settings."""
    word = text.rpartition(".")[2]
    if not callable(value) or isinstance(value, type | types.ModuleType):
        return None
    import tensh.nn

    found = [name for name in dir(tensh.nn) if name.lower() == word.replace("_", "").lower()]
    return found[0] if len(found) == 1 else None


def explain_module_list(node, situation):
    """Explain a ModuleList that is called."""
    if not situation.says("Module [ModuleList]") and not situation.says("Module [ModuleDict]"):
        return None
    owner = ast.unparse(node.func) if isinstance(node, ast.Call) else "it"
    rule = _("{owner} holds layers, but does not define how to call them").format(owner=owner)
    if situation.says("Module [ModuleDict]"):
        return Explanation(
            "call", (), rule, (), _("{code}, a layer looked up by name").format(code=f'{owner}["name"](x)')
        )
    return Explanation(
        "call",
        (),
        rule,
        (),
        _("{loop}; or {whole}").format(loop=f"for layer in {owner}: x = layer(x)", whole=f"nn.Sequential(*{owner})"),
    )


def explain_loader(node, situation):
    """Explain `next(loader)` and `loader[0]`."""
    loader = node.args[0] if isinstance(node, ast.Call) and node.args else getattr(node, "value", None)
    value = situation.look_up(loader) if loader is not None else None
    if type(value).__name__ != "DataLoader":
        return None
    text = ast.unparse(loader)
    if situation.says("is not an iterator"):
        return replace_node_code(
            situation,
            loader,
            f"iter({text})",
            _("{text} is for loops: next expects an iterator, iter({text})").format(text=text),
        )
    if situation.says("is not subscriptable") and isinstance(node, ast.Subscript):
        rule = _("{text} yields batches in its own order, and has no indices").format(text=text)
        found = replace_node_code(situation, node, f"next(iter({text}))", rule)
        more = Fit(
            found.fits[0].text.replace(f"next(iter({text}))", f"{text}.dataset[{ast.unparse(node.slice)}]"),
            "",
            node.lineno,
        )
        return found._replace(fits=(*found.fits, more))
    return None


def explain_called_state(node, situation):
    """Explain `net(x)`, where `net = torch.load(...)` is the state of a model."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return None
    state, name = situation.names.get(node.func.id), node.func.id
    if not isinstance(state, dict) or not state or not all(isinstance(each, Tensor) for each in state.values()):
        return None
    rule = _("{name} is the state of a model, its parameters by name, not a model").format(name=name)
    made = [
        each
        for each in ast.walk(situation.place.tree())
        if isinstance(each, ast.Assign) and [*map(ast.unparse, each.targets)] == [name]
    ]
    if len(made) == 2 and isinstance(made[1].value, ast.Call) and ast.unparse(made[1].value.func) == "torch.load":
        code = f"{name}.load_state_dict({ast.unparse(made[1].value)})"
        return Explanation("call", (), rule, (Fit(code, "", made[1].lineno),))
    return Explanation(
        "call", (), rule, (), _("model.load_state_dict({name}), for a model of that kind").format(name=name)
    )


def explain_saving_model(node, situation):
    """Explain `net.save("m.pt")`."""
    if not isinstance(node, ast.Attribute) or node.attr != "save" or not is_module(situation.look_up(node.value)):
        return None
    calls = (n for n in ast.walk(situation.place.tree()) if isinstance(n, ast.Call) and n.func is node)
    call, text = next(calls, None), ast.unparse(node.value)
    if call is None or len(call.args) != 1:
        return None
    rule = _("a model is saved by a function: call torch.save with its state")
    code = f"torch.save({text}.state_dict(), {ast.unparse(call.args[0])})"
    return replace_node_code(situation, call, code, rule)


def explain_counter(situation):
    """Explain `for x, y in enumerate(loader)`: the iteration number is taken for a part of the batch."""
    if not situation.says("must be Tensor, not int") and not situation.says("'int' object has no attribute"):
        return None
    tree, line = situation.place.tree(), situation.place.line
    used = (
        {node.id for node in ast.walk(situation.place.path()[0]) if isinstance(node, ast.Name)}
        if situation.place.path()
        else ()
    )
    for loop in ast.walk(tree) if tree else ():
        match loop:
            case ast.For(
                target=ast.Tuple(elts=[ast.Name(id=first), second]), iter=ast.Call(func=ast.Name(id="enumerate"))
            ) if first in used and loop.lineno <= line <= loop.end_lineno:
                code = f"i, ({first}, {ast.unparse(second)})"
                rule = _("enumerate counts: {first} is the number of the iteration, {second} is its batch").format(
                    first=first, second=ast.unparse(second)
                )
                return replace_node_code(situation, loop.target, code, rule)
    return None


def explain_local_part(situation):
    """Explain an attribute that `__init__` stored in a local name: `fc = nn.Linear(2, 3)` for `self.fc = ...`."""
    error = situation.error
    is_name, path = isinstance(error, NameError), situation.place.path()
    owner = situation.names.get("self") if is_name else getattr(error, "obj", None)
    if (
        not isinstance(error, AttributeError | NameError)
        or isinstance(owner, type | types.ModuleType)
        or not error.name
    ):
        return None
    if owner is None or is_name and not isinstance(path[-1] if path else None, ast.Name):
        return None
    used = (replace_node(situation.place, path[-1], f"self.{error.name}"),) if is_name else ()
    tree = situation.place.tree()
    for definition in ast.walk(tree) if tree else ():
        if isinstance(definition, ast.ClassDef) and definition.name == type(owner).__name__:
            for node in ast.walk(definition):
                match node:
                    case ast.Assign(targets=[ast.Name(id=name)]) if name == error.name:
                        rule = _("{name} is local to __init__: parts of {kind} are attributes of self").format(
                            name=name, kind=definition.name
                        )
                        made = Fit(f"self.{ast.unparse(node)}", "", node.lineno, more=tuple(filter(None, used)))
                        return Explanation("name" if is_name else "attribute", (), rule, (made,))
    return None
