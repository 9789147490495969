"""Cuts recognised by their form: `.detach()`, `.data`, `.item()` and other ends of a graph."""

import ast

from tensh.engine.core.tensor import Tensor
from tensh.explain.cuts.cut import Cut, requires_grad
from tensh.explain.model import Fit
from tensh.explain.situation import look_up
from tensh.explain.source.replacing import replace_node
from tensh.support.language import _

NUMBERS = ("item", "tolist", "numpy")


def find_cut_by_sight(node, followed, shadow):
    """Return the Cut of `.detach()`, `.data`, `.item()` or a similar end of a graph."""
    match node:
        case ast.Call(func=function, keywords=options) if ast.unparse(function).endswith("autograd.grad"):
            return cut_in_gradient(node, options, followed)
        case ast.Attribute(attr="grad"):
            return cut_in_pass(node, followed)
        case ast.Call(func=ast.Attribute(attr="numpy" | "detach")) if (
            array := find_numpy_argument(node, followed)
        ) is not None:
            sentence = _("has no history: `{code}` on line {line} is an array, and NumPy records nothing").format(
                code=ast.unparse(array), line=followed.place.line
            )
            return Cut(sentence, (), _("compute it with torch: torch.sin(x) instead of np.sin(x)"))
        case ast.Call(func=ast.Attribute(attr="sample", value=owner)):
            return cut_in_sample(node, owner, followed, shadow)
        case ast.Call(func=ast.Attribute(attr=word, value=owner)) if word in NUMBERS or word == "detach":
            pass
        case ast.Attribute(attr="data" as word, value=owner):
            pass
        case ast.Call(func=ast.Attribute(attr="requires_grad_" as word, value=owner), args=[ast.Constant(value=False)]):
            pass
        case _:
            return None
    is_own = isinstance(owner, ast.Name) and owner.id == followed.name and node is followed.node
    is_known = word != "requires_grad_" and requires_grad(owner, shadow) is False  # that call changes its owner
    if not is_own and is_known or is_module_of_torch(owner):
        return None
    is_number = word in NUMBERS
    sentence = describe_end(word).format(code=ast.unparse(node), line=node.end_lineno)
    if is_own:  # `loss = loss.item()`: the previous value of the name is lost
        return Cut(sentence, (Fit(f"{followed.name}_value = {ast.unparse(node)}", "", followed.place.line),))
    fit = drop_tensor(node, word, followed) if is_number else drop_step(node, word, followed.place)
    advice = None if fit else _("leave out {code}").format(code=f".{word}" + "()" * isinstance(node, ast.Call))
    return Cut(sentence, (fit,) if fit else (), advice)


def describe_end(word):
    """Return the sentence about a step that ends a graph, with placeholders for its code and line."""
    match word:
        case "item":
            return _("has no history: `{code}` on line {line} is a Python number")
        case "tolist":
            return _("has no history: `{code}` on line {line} is Python numbers")
        case "numpy":
            return _("has no history: `{code}` on line {line} is a NumPy array")
        case "detach":
            return _("has no history: `{code}` on line {line}: detach() cuts the history")
        case "requires_grad_":
            return _("has no history: `{code}` on line {line} switches the gradient off")
    return _("has no history: `{code}` on line {line}: .data has no history")


def find_numpy_argument(node, followed):
    """Return the array from `numpy()` at a node that a NumPy function takes; None if there is none."""
    for each in ast.walk(followed.node):
        if isinstance(each, ast.Call) and ast.unparse(each.func).startswith(("np.", "numpy.")):
            for array in (inner for given in each.args for inner in ast.walk(given)):
                if is_numpy_call(array) and any(inner is node for inner in ast.walk(array)):
                    return array
    return None


def is_numpy_call(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "numpy"


def cut_in_gradient(node, options, followed):
    """Return the Cut of `torch.autograd.grad` without create_graph."""
    if any(each.arg == "create_graph" for each in options):
        return None
    code = ast.unparse(node)
    fit = replace_node(followed.place, node, f"{code.removesuffix(')')}, create_graph=True)")
    sentence = _("has no history: `{code}` on line {line} does not record the gradients").format(
        code=code, line=followed.place.line
    )
    return Cut(sentence, (fit,) if fit else ())


def cut_in_pass(node, followed):
    """Return the Cut of `x.grad`, which the last backward pass before it, without create_graph, has computed."""
    calls = [each for each in ast.walk(followed.place.tree()) if isinstance(each, ast.Call)]
    passes = [
        each
        for each in calls
        if isinstance(each.func, ast.Attribute) and each.func.attr == "backward" and each.lineno < node.lineno
    ]
    last = max(passes, key=lambda each: each.lineno, default=None)
    if last is None or any(each.arg == "create_graph" for each in last.keywords):
        return None
    code, leaf, start = ast.unparse(last), ast.unparse(node.value), ast.unparse(last.func.value)
    if code.startswith((f"{leaf}.sum(", f"{leaf}.mean(")):  # a constant gradient has no history
        return None
    sentence = _("has no history: `{code}` on line {line} does not record the gradients").format(
        code=code, line=last.lineno
    )
    way = f"torch.autograd.grad({start}, {leaf}, create_graph=True)[0]"
    return Cut(sentence, (), _("{way} computes {leaf}.grad with its history").format(way=way, leaf=leaf))


def cut_in_sample(node, owner, followed, shadow):
    """Return the Cut of `Normal(mu, 1.0).sample()`, which does not record mu."""
    is_made = isinstance(owner, ast.Call)
    value = look_up(owner.func if is_made else owner, shadow.names)
    kind = value if isinstance(value, type) else type(value)
    if not hasattr(kind, "has_rsample"):
        return None
    if is_made:
        given = [*owner.args, *(each.value for each in owner.keywords)]
        has_gradient = any(requires_grad(each, shadow) for each in given)
    else:
        has_gradient = any(isinstance(each, Tensor) and each.requires_grad for each in vars(value).values())
    if not has_gradient:
        return None
    code = ast.unparse(node)
    sentence = _("has no history: `{code}` on line {line}: sample() does not record the parameters").format(
        code=code, line=followed.place.line
    )
    if kind.has_rsample is not True:
        return Cut(sentence, (), _("use {code} in the loss").format(code=f"{ast.unparse(owner)}.log_prob(...)"))
    fit = replace_node(followed.place, node.func, f"{ast.unparse(owner)}.rsample")
    return Cut(sentence, (fit,) if fit else ())


def is_module_of_torch(node):
    return isinstance(node, ast.Name) and node.id in ("torch", "np", "numpy")


def drop_step(node, word, place, around=None):
    """Return the Fit of the line without one step, and without a call around it."""
    text = segment_of(node, place.source)
    return replace_node(place, around or node, text.rpartition(f".{word}")[0]) if text else None


def segment_of(node, source):
    return ast.get_source_segment(source, node)


def drop_tensor(node, word, followed):
    """Return the Fit that avoids the detour over numbers, made into a tensor again on this line or one followed before."""
    tree = followed.place.tree()
    made = [
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.Call) and ast.unparse(n.func) in ("torch.tensor", "torch.as_tensor")
    ]
    around = next((call for call in made if call.args and call.args[0] is node), None)
    fit = drop_step(node, word, followed.place, around)
    if fit is None or around is not None or followed.parent is None:
        return fit
    joined = [call for call in made if call in ast.walk(followed.parent.node)]
    if len(joined) != 1 or not joined[0].args:
        return fit
    (call,) = joined
    code = ast.unparse(call.args[0])
    code = code if call is followed.parent.node else f"({code})"
    changed = (call.func, "torch.stack") if followed.is_list else (call, code)
    second = replace_node(followed.parent.place, *changed)
    return fit._replace(more=(second,)) if second else fit
