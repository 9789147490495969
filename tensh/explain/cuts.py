"""The cut in the history of a tensor: the piece of source that takes what requires grad and gives what does not.

The statements that gave names their values are followed backwards, and each expression in them is evaluated on stand-ins
that record graphs; where that is not possible, the forms that always cut (`.detach()`, `.item()`, ...) are known by sight.
"""

import ast
from typing import NamedTuple

from tensh.engine.autograd.modes import is_grad_enabled
from tensh.engine.core.tensor import Tensor
from tensh.explain.calls import names_in
from tensh.explain.causes.leaves import find_tensor_assignment
from tensh.explain.causes.situation import blocks_over, find_assignment, look_up, place_of, replace_node
from tensh.explain.model import Fit
from tensh.explain.place import FUNCTIONS, iterate_scope
from tensh.explain.shadow import Shadow, Unknown, is_module
from tensh.language import _

MOST_FOLLOWED = 30  # statements
SWITCHES = ("no_grad", "inference_mode", "set_grad_enabled")
NUMBERS = ("item", "tolist", "numpy")
CASTS = ("int", "long", "short", "round", "floor", "ceil", "sign")


class Cut(NamedTuple):
    """The cut as a sentence that goes on after the tensor's name, what mends it, and what else to do."""

    sentence: str
    fits: tuple[Fit, ...] = ()
    advice: str | None = None


class Followed(NamedTuple):
    """An expression, where it stands, the name that it gave its value to, the expression with that name, if it is a list."""

    node: ast.expr
    place: object
    name: str | None = None
    parent: "Followed | None" = None
    is_list: bool = False


def find_cut(node, situation):
    """The Cut in the history of an expression where code failed; None where none is certain."""
    for followed in history(node, situation):
        cut = locate_cut(followed, situation)
        if cut is not None:
            return cut
    if not is_grad_enabled():
        return Cut(_("was computed while gradients were off (no_grad, or set_grad_enabled(False))"))
    return None


def history(node, situation):
    """An expression, and those that gave the names in it their values, each once, the nearest first."""
    waiting, seen = [Followed(node, situation.place)], set()
    for followed in waiting:
        yield followed
        for name, made in statements_of(followed, situation):
            if made.lineno not in seen and len(waiting) < MOST_FOLLOWED:
                seen.add(made.lineno)
                is_list = isinstance(situation.names.get(name), list | tuple)
                place = place_of(situation.place, made)
                waiting.append(Followed(value_of(made, name), place, name, followed, is_list))


def statements_of(followed, situation):
    """(name, statement) of each name in an expression that a statement before it gave its value; of lists, what was appended."""
    tree = followed.place.tree()
    for name in sorted(names_in(ast.unparse(followed.node))):
        made = find_assignment(followed.place, name)
        statements = [made] if made is not None or tree is None else find_sums(tree, followed.place, name)
        for made in statements:
            if isinstance(made, ast.Assign | ast.AnnAssign | ast.AugAssign) and made.value is not None:
                yield name, made
        if tree is not None and type(situation.names.get(name)) is list:
            yield from ((name, statement) for statement in find_appends(tree, name))


def find_sums(tree, place, name):
    """The statements of loops before a place that add to a name."""
    for node in iterate_scope(tree):
        match node:
            case ast.AugAssign(target=ast.Name(id=target)) if target == name and node.end_lineno < place.line:
                yield node


def find_appends(tree, name):
    """The statements that append to a list."""
    for node in iterate_scope(tree):
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="append", value=ast.Name(id=owner)))) if owner == name:
                yield node


def value_of(statement, name):
    """The expression that a statement gives to a name."""
    match statement:
        case ast.Expr(value=ast.Call(args=[value])):
            return value
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(values):
            return next((v for t, v in zip(targets, values, strict=True) if ast.unparse(t) == name), statement.value)
    return statement.value


def names_before(node, situation):
    """The names of floating point leaves that an expression was computed from, first to last."""
    found = {}
    for followed in history(node, situation):
        for name in names_in(ast.unparse(followed.node)):
            value = situation.names.get(name)
            if (
                issubclass(type(value), Tensor)
                and value.is_leaf
                and value.is_floating_point()
                and name not in found.values()
            ):
                made = find_tensor_assignment(situation, name)
                if made is not None and not is_made_of_tensors(made, situation):
                    found[made.lineno] = name
    return [found[line] for line in sorted(found)]


def is_made_of_tensors(made, situation):
    """True if a statement computes its value from tensors with names, or from lists of tensors."""
    values = [situation.names.get(name) for name in names_in(ast.unparse(made.value))]
    return any(
        issubclass(type(value), Tensor)
        or (type(value) in (list, tuple, dict) and any(isinstance(each, Tensor) for each in value))
        for value in values
    )


def locate_cut(followed, situation):
    """The Cut in one expression, or by the block that it stands in."""
    tree = followed.place.tree()
    if tree is None:
        return None
    line = followed.place.line
    for block in blocks_over(tree, ast.Pass(lineno=line, end_lineno=line)) if followed.parent else ():
        for text in switches(block):
            return Cut(
                _("was computed under {text} (line {line})").format(text=text, line=block.lineno),
                (),
                _("compute it outside of {text}").format(text=text),
            )
    known = {name: value for name, value in situation.names.items() if name in names_in(ast.unparse(followed.node))}
    shadow = Shadow({}, known, grad=True)
    for node in inner_first(followed.node):
        cut = (
            find_cut_by_sight(node, followed, shadow)
            or find_cut_by_trial(node, followed, shadow)
            or find_cut_by_user(node, followed, situation)
        )
        if cut is not None:
            return cut
    return None


def switches(block):
    """The texts of the managers of a `with`, or of the decorators of a function, that switch gradients off."""
    if isinstance(block, FUNCTIONS):
        texts = [ast.unparse(each) for each in getattr(block, "decorator_list", ())]
    else:
        texts = [ast.unparse(item.context_expr) for item in getattr(block, "items", ())]
    return [text for text in texts if any(word in text for word in SWITCHES) and not text.endswith("(True)")]


def inner_first(node):
    """The expressions in an expression, each after those that it is made of."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.expr | ast.keyword | ast.comprehension):
            yield from inner_first(inner)
    if isinstance(node, ast.expr):
        yield node


def requires_grad(node, shadow):
    """True if an expression surely requires grad; None where that is not known."""
    try:
        value = shadow.evaluate(node)
    except (Unknown, Exception):
        return None
    return any(
        isinstance(t, Tensor) and t.requires_grad for t in (value if isinstance(value, list | tuple) else [value])
    )


def find_cut_by_sight(node, followed, shadow):
    """Find `.detach()`, `.data`, `.item()` or a similar end of a graph in the source."""
    match node:
        case ast.Call(func=function, keywords=options) if ast.unparse(function).endswith("autograd.grad"):
            return cut_in_gradient(node, options, followed)
        case ast.Call(func=ast.Attribute(attr="numpy" | "detach")) if (
            array := find_numpy_argument(node, followed)
        ) is not None:
            sentence = _("has no history: `{code}` on line {line} is an array, and NumPy records nothing").format(
                code=ast.unparse(array), line=followed.place.line
            )
            return Cut(sentence, (), _("compute it with torch: torch.sin(x) for np.sin(x)"))
        case ast.Call(func=ast.Attribute(attr=word, value=owner)) if word in NUMBERS or word == "detach":
            pass
        case ast.Attribute(attr="data" as word, value=owner):
            pass
        case _:
            return None
    is_own = isinstance(owner, ast.Name) and owner.id == followed.name and node is followed.node
    if not is_own and requires_grad(owner, shadow) is False or is_module_of_torch(owner):
        return None
    is_number = word in NUMBERS
    sentence = describe_end(word).format(code=ast.unparse(node), line=followed.place.line)
    if is_own:  # `loss = loss.item()`: what the name stood for before is lost
        return Cut(sentence, (Fit(f"{followed.name}_value = {ast.unparse(node)}", "", followed.place.line),))
    fit = drop_tensor(node, word, followed) if is_number else drop_step(node, word, followed.place)
    return Cut(sentence, (fit,) if fit else ())


def describe_end(word):
    """The sentence about a step that ends a graph, with places for its code and its line."""
    match word:
        case "item":
            return _("has no history: `{code}` on line {line} is a Python number")
        case "tolist":
            return _("has no history: `{code}` on line {line} is Python numbers")
        case "numpy":
            return _("has no history: `{code}` on line {line} is an array of NumPy")
        case "detach":
            return _("has no history: `{code}` on line {line}: detach() cuts the history")
    return _("has no history: `{code}` on line {line}: .data has no history")


def find_numpy_argument(node, followed):
    """The array, made by `numpy()` of what a node gives or of itself, that a function of NumPy's takes; None if there is none."""
    for each in ast.walk(followed.node):
        if isinstance(each, ast.Call) and ast.unparse(each.func).startswith(("np.", "numpy.")):
            for array in (inner for given in each.args for inner in ast.walk(given)):
                if is_numpy_call(array) and any(inner is node for inner in ast.walk(array)):
                    return array
    return None


def is_numpy_call(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "numpy"


def cut_in_gradient(node, options, followed):
    """`torch.autograd.grad` without a graph of the gradients."""
    if any(each.arg == "create_graph" for each in options):
        return None
    code = ast.unparse(node)
    fit = replace_node(followed.place, node, f"{code[:-1]}, create_graph=True)")
    sentence = _("has no history: `{code}` on line {line} records nothing of the gradients").format(
        code=code, line=followed.place.line
    )
    return Cut(sentence, (fit,) if fit else ())


def is_module_of_torch(node):
    return isinstance(node, ast.Name) and node.id in ("torch", "np", "numpy")


def drop_step(node, word, place, around=None):
    """The Fit of the line without one step, and without a call around it."""
    text = segment_of(node, place.source)
    return replace_node(place, around or node, text.rpartition(f".{word}")[0]) if text else None


def segment_of(node, source):
    return ast.get_source_segment(source, node)


def drop_tensor(node, word, followed):
    """Find the cut where numbers became a tensor again, on the same line or on one that was followed before."""
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


def find_cut_by_trial(node, followed, shadow):
    """An operation that takes what requires grad, and gives what does not."""
    if isinstance(node, ast.Name | ast.Constant) or requires_grad(node, shadow) is not False:
        return None
    inner = [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr)]
    inner += [node.func.value] if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else []
    if not any(requires_grad(each, shadow) for each in inner):
        return None
    result = shadow.evaluate(node)
    text = ast.unparse(node)
    if not isinstance(result, Tensor):
        return None
    kind = str(result.dtype).removeprefix("torch.")
    fits = restore_history(node, followed, shadow)
    if is_tensor_of_numbers(node):
        sentence = _("has no history: `{code}` on line {line} makes a new tensor of the numbers alone")
    elif result.is_floating_point():
        sentence = _("has no history: `{code}` on line {line} has no derivative")
    else:
        sentence = _("has no history: `{code}` on line {line} gives {kind}, which has no derivative")
    sentence = sentence.format(code=text, line=followed.place.line, kind=kind)
    return Cut(sentence, fits, None if fits else advice_for(result))


def is_tensor_of_numbers(node):
    return isinstance(node, ast.Call) and ast.unparse(node.func) in (
        "torch.tensor",
        "torch.Tensor",
        "torch.FloatTensor",
    )


def restore_history(node, followed, shadow):
    """The Fit without a cast to whole numbers, or with `torch.stack` for `torch.tensor` of tensors; nothing for other cuts."""
    match node:
        case ast.Call(func=ast.Attribute(attr=word, value=owner), args=[]) if word in CASTS:
            while isinstance(owner, ast.Call) and isinstance(owner.func, ast.Attribute) and owner.func.attr in CASTS:
                owner = owner.func.value  # `x.round().long()`
            fit = replace_node(followed.place, node, ast.unparse(owner))
        case ast.Call(args=[given]) if is_tensor_of_numbers(node):
            value = shadow_value(given, shadow)
            if isinstance(value, Tensor):
                new = ast.unparse(given)
            elif type(value) in (list, tuple) and value and all(isinstance(each, Tensor) for each in value):
                new = f"torch.stack({ast.unparse(given)})"
            else:
                return ()
            fit = replace_node(followed.place, node, new)
        case _:
            return ()
    return (fit,) if fit else ()


def shadow_value(node, shadow):
    """The value of an expression on shapes only; None where that is not known."""
    try:
        return shadow.evaluate(node)
    except (Unknown, Exception):
        return None


def advice_for(result):
    """Suggest another value to compute the loss from."""
    if str(result.dtype) == "torch.bool":
        return _("a loss of the values themselves (F.mse_loss, F.cross_entropy), not of a comparison")
    return (
        None
        if result.is_floating_point()
        else _("a loss of the scores themselves, as F.cross_entropy(scores, classes)")
    )


def find_cut_by_user(node, followed, situation):
    """A call of the user's own function, or model, whose code switches gradients off or detaches what it returns."""
    if not isinstance(node, ast.Call):
        return None
    value = look_up(node.func, situation.names)
    if is_module(value):
        frozen = [*value.parameters()]
        if frozen and not any(p.requires_grad for p in frozen):
            name = ast.unparse(node.func)
            mend = _("{name}.requires_grad_(True) for what is to be trained").format(name=name)
            return Cut(_("was computed by {name}, none of whose parameters requires grad").format(name=name), (), mend)
    code = getattr(value, "__name__", None) if not is_module(value) else "forward"
    owner = type(value).__name__ if is_module(value) else None
    definition = find_definition(followed.place.tree(), code, owner)
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
            for block in blocks_over(definition, inner):
                for text in switches(block):
                    return Cut(
                        _("was computed under {text} (line {line})").format(text=text, line=block.lineno),
                        (),
                        _("compute it outside of {text}").format(text=text),
                    )
            unknown = Shadow({}, {}, grad=True)
            for each in inner_first(inner.value):
                found = find_cut_by_sight(
                    each, Followed(inner.value, place_of(followed.place, inner), None, followed), unknown
                )
                if found is not None:
                    return found
    return None


def find_definition(tree, name, owner):
    """The definition of a function, or of a method of a class."""
    if tree is None or name is None:
        return None
    scopes = [tree] if owner is None else [n for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and n.name == owner]
    found = [n for scope in scopes for n in scope.body if isinstance(n, ast.FunctionDef) and n.name == name]
    return found[-1] if found else None
