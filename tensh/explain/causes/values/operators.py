"""Operators and attributes that a value lacks: a list beside a tensor, a shape beside a text, a key as an attribute."""

import ast
import re

from tensh.engine import find_public
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.size import Size
from tensh.explain.causes.values.beside import explain_beside_tensor
from tensh.explain.model import Explanation, Fit
from tensh.explain.situation import explain_replacement, first_explanation, message_of
from tensh.explain.source.pieces import SYMBOLS
from tensh.explain.source.replacing import replace_node
from tensh.explain.source.statements import find_assignment, place_of, statement_on
from tensh.explain.trials.fixes import append_to_expression
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _

PAIRS = ("max", "min", "median", "mode")
INDICES = {"argmax": "max", "argmin": "min"}


def explain_operator(situation):
    """Return the Explanation of the first kind that applies."""
    return first_explanation(
        (
            explain_two_results,
            explain_key_as_attribute,
            explain_beside_tensor,
            explain_list_beside_list,
            explain_masks_of_floats,
            explain_equal_for_elements,
            explain_index_by_sorted,
            explain_shape_beside_text,
            explain_format_of_one,
            explain_layer_given_data,
        ),
        situation,
        situation.place.node(),
    )


def explain_two_results(situation, node):
    """Explain `values, indices = x.max()`, and `= x.argmax(1)`."""
    tree = situation.place.tree()
    statement = statement_on(tree, situation.place.line) if tree else None
    match statement:
        case ast.Assign(
            targets=[ast.Tuple(elts=[_, _])],
            value=ast.Call(func=ast.Attribute(value=owner, attr=method), args=args) as call,
        ):
            pass
        case _:
            return None
    text = ast.unparse(owner)
    if method in PAIRS and not args and not call.keywords and situation.says("iteration over a 0-d tensor"):
        rule = _("{text}.{method}() is a single number; along a dimension it returns values and indices").format(
            text=text, method=method
        )
        return explain_replacement(situation, method, rule, call, append_to_expression(text, f".{method}(dim=-1)"))
    if method in INDICES and situation.says("values to unpack"):
        rule = _("{method} returns only indices; {function} along a dimension returns values and indices").format(
            method=method, function=INDICES[method]
        )
        given = ", ".join([*map(ast.unparse, args), *map(ast.unparse, call.keywords)])
        return explain_replacement(
            situation, method, rule, call, append_to_expression(text, f".{INDICES[method]}({given or 'dim=-1'})")
        )
    return None


def explain_key_as_attribute(situation, node):
    """Explain `d.x` of a dict with the key "x"."""
    if not isinstance(node, ast.Attribute) or not situation.says("'dict' object has no attribute"):
        return None
    value, text = situation.look_up(node.value), ast.unparse(node.value)
    if type(value) is not dict or node.attr not in value:
        return None
    return explain_replacement(
        situation,
        "attribute",
        _("{text} is a dict: {attr} is one of its keys").format(text=text, attr=node.attr),
        node,
        f'{text}["{node.attr}"]',
    )


def explain_list_beside_list(situation, node):
    """Explain `xs - ys` of two lists of numbers."""
    if not isinstance(node, ast.BinOp) or not situation.says("unsupported operand type", "'list' and 'list'"):
        return None
    sides = [situation.look_up(each) for each in (node.left, node.right)]
    if not all(type(each) is list and each and all(type(n) in (int, float) for n in each) for each in sides):
        return None
    one, two = ast.unparse(node.left), ast.unparse(node.right)
    symbol = SYMBOLS[type(node.op)]
    rule = _("lists do not support arithmetic; tensors made from them do")
    return explain_replacement(situation, "operator", rule, node, f"torch.tensor({one}) {symbol} torch.tensor({two})")


def explain_masks_of_floats(situation, node):
    """Explain `a & b` of masks that hold 0. and 1."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.BitAnd | ast.BitOr):
        return None
    sides = [situation.tensor_of(each) for each in (node.left, node.right)]
    if not situation.says("bitwise_", "not implemented for") or None in sides:
        return None
    if not all(t.is_floating_point() or t.dtype == find_public("bool") for t in sides):
        return None
    texts = [
        append_to_expression(ast.unparse(each), ".bool()" * t.is_floating_point())
        for each, t in zip((node.left, node.right), sides, strict=True)
    ]
    symbol = "&" if isinstance(node.op, ast.BitAnd) else "|"
    rule = _("{symbol} is for masks, which hold True and False").format(symbol=symbol)
    return explain_replacement(situation, symbol, rule, node, f"{texts[0]} {symbol} {texts[1]}")


def explain_equal_for_elements(situation, node):
    """Explain `torch.equal(a, b).float()`."""
    match node:
        case ast.Attribute(value=ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr="equal"), args=[a, b])):
            pass
        case _:
            return None
    if not situation.says("'bool' object has no attribute"):
        return None
    rule = _("torch.equal compares whole tensors; == compares element by element")
    return explain_replacement(situation, "==", rule, node.value, f"({ast.unparse(a)} == {ast.unparse(b)})")


def explain_index_by_sorted(situation, node):
    """Explain `x[x.sort()]`, where sort gives values and indices."""
    match node:
        case ast.Subscript(slice=ast.Call(func=ast.Attribute(attr="sort" | "topk")) as call):
            pass
        case _:
            return None
    if not isinstance(situation.error, IndexError | TypeError):
        return None
    text = ast.unparse(call)
    rule = _("{text} holds values and indices, which are two tensors").format(text=text)
    return explain_replacement(situation, "index", rule, call, f"{text}.indices")


def explain_shape_beside_text(situation, node):
    """Explain `"shape " + x.shape`."""
    if not isinstance(node, ast.BinOp) or not situation.says("can only concatenate str"):
        return None
    value, text = situation.evaluate(node.right), ast.unparse(node.right)
    value = situation.look_up(node.right) if value is None else value
    if type(value) in (int, float):
        kind = _("a number")
    elif isinstance(value, Size | Tensor):
        kind = _("a shape") if isinstance(value, Size) else _("a tensor")
    else:
        return None
    return explain_replacement(
        situation,
        "operator",
        _("{text} is {kind}, not a string").format(text=text, kind=kind),
        node.right,
        f"str({text})",
    )


def explain_format_of_one(situation, node):
    """Explain `print("%d %s" % epoch, loss)`, whose values must be one tuple."""
    match node:
        case ast.BinOp(left=ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod(), right=value)) if situation.says(
            "unsupported operand type", "'str' and"
        ):
            rest = ast.unparse(ast.BinOp(value, node.op, node.right))
            rule = _("% is evaluated first: put the computed value in parentheses")
            template = ast.get_source_segment(situation.place.source, node.left.left)
            return explain_replacement(situation, "format", rule, node, f"{template} % ({rest})")
    if not situation.says("not enough arguments for format string") or not isinstance(node, ast.BinOp):
        return None
    tree = situation.place.tree()
    for call in ast.walk(tree) if tree else ():
        match call:
            case ast.Call(args=[first, *others]) if first is node and others:
                template = ast.get_source_segment(situation.place.source, node.left)
                values = ", ".join(map(ast.unparse, (node.right, *others)))
                rule = _("% expects its values as a tuple, in parentheses")
                return explain_replacement(
                    situation, "format", rule, call, f"{ast.unparse(call.func)}({template} % ({values}))"
                )
    return None


def explain_layer_given_data(situation, node):
    """Explain `y = nn.ReLU(x)`, followed by `y + 1`: y is the layer."""
    is_shown = situation.says("Boolean value of Tensor")  # as one of its settings
    if node is None or not (is_shown or isinstance(situation.error, TypeError | AttributeError)):
        return None
    for each in ast.walk(node):
        layer = situation.names.get(each.id) if isinstance(each, ast.Name) else None
        if is_module(layer):
            made = find_assignment(situation.place, each.id)
            call = made.value if isinstance(made, ast.Assign) else None
            if not is_made_of_tensor(situation, call, layer):
                call = find_made_of_name(situation, layer) if holds_tensor(layer) else None
            if call is not None:
                kind, given = ast.unparse(call.func), ast.unparse(call.args[0])
                rule = _(
                    "{name} is a layer: {kind}(...) creates it (line {line}), then call it with the tensor"
                ).format(name=each.id, kind=kind, line=call.lineno)
                where = place_of(situation.place, call)
                return Explanation("call", (), rule, (replace_node(where, call, f"{write_layer(kind)}({given})"),))
    return None


def is_made_of_tensor(situation, call, layer):
    """Return True if a call makes a layer of its class from a tensor."""
    if not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords:
        return False
    if ast.unparse(call.func).rpartition(".")[2] != type(layer).__name__:
        return False
    return is_tensor(situation, call.args[0]) or holds_tensor(layer)


def find_made_of_name(situation, layer):
    """Return the only call in the source that makes a layer of a class; None if there are more."""
    tree = situation.place.tree()
    found = [
        node for node in (ast.walk(tree) if tree else ())
        if isinstance(node, ast.Call) and len(node.args) == 1 and isinstance(node.args[0], ast.Name) and not node.keywords
        and ast.unparse(node.func).rpartition(".")[2] == type(layer).__name__
    ]  # fmt: skip
    return found[0] if len(found) == 1 else None


ALONG = frozenset({"Softmax", "LogSoftmax", "Softmin"})
"""Layers that take a dimension."""


def write_layer(kind):
    """Return the code that makes a layer of a class."""
    return f"{kind}({'dim=-1' * (kind.rpartition('.')[2] in ALONG)})"


def holds_tensor(layer):
    """Return True if a tensor is one of the settings of a layer: `h = nn.ReLU(h)`."""
    return any(isinstance(value, Tensor) for value in vars(layer).values())


def is_tensor(situation, node):
    """Return True if an expression is a tensor, as far as names and shapes tell."""
    value = situation.look_up(node)
    return isinstance(situation.evaluate(node) if value is None else value, Tensor)


def explain_picked(situation):
    """Explain `x[mask] = values` with more values than the mask selects."""
    found = re.search(
        r"value tensor of shape (\[.*?\]) cannot be broadcast to indexing result of shape (\[.*?\])",
        message_of(situation.error),
    )
    if found is None:
        return None
    rule = _("the index picks {picked}, but the value is {given}").format(picked=found[2], given=found[1])
    return Explanation("index", (), rule, (), _("assign one number for all, or as many values as the index picks"))


def explain_batch_for_tensor(situation):
    """Explain `for x in loader: net(x)`, where each batch is a list of parts."""
    if situation.says("must be Tensor, not DataLoader"):
        return loader_for_tensor(situation)
    is_given = situation.says("must be Tensor, not list") or situation.says("must be Tensor, not tuple")
    if not is_given and not (
        situation.says("'list' object has no attribute") and hasattr(Tensor, situation.error.name or "")
    ):
        return None
    path, tree = situation.place.path(), situation.place.tree()
    given = [each.id for node in path[-1:] for each in ast.walk(node) if isinstance(each, ast.Name)]
    for loop in ast.walk(tree) if tree else ():
        if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name) or loop.target.id not in given:
            continue
        loader, value = situation.look_up(loop.iter), situation.names.get(loop.target.id)
        called = ast.unparse(loop.iter.func) if isinstance(loop.iter, ast.Call) else ""
        if (
            (hasattr(loader, "dataset") or called.endswith("DataLoader"))
            and type(value) in (list, tuple)
            and loop.lineno <= situation.place.line <= loop.end_lineno
        ):
            name, count = loop.target.id, len(value)
            rule = (
                _("{name} is a batch of 1 part: a loader yields it in a list")
                if count == 1
                else _("{name} is a batch of {count} parts: a loader yields them in a list")
            ).format(name=name, count=count)
            fit = replace_node(situation.place, loop.target, f"({name},)" if count == 1 else f"({name}, *_)")
            return Explanation("DataLoader", (), rule, (fit,) if fit else ())
    return None


def loader_for_tensor(situation):
    """Explain `net(loader)`."""
    path = situation.place.path()
    names = [each for each in ast.walk(path[-1]) if isinstance(each, ast.Name | ast.Attribute)] if path else []
    for each in names:
        loader = situation.look_up(each)
        if type(loader).__name__ != "DataLoader":
            continue
        text = ast.unparse(each)
        parts = getattr(loader.dataset, "tensors", None)
        target = ", ".join(["x", "y"][: len(parts)]) + "," * (len(parts) == 1) if parts and len(parts) < 3 else "batch"
        rule = _("{text} yields batches: each of them goes through the model").format(text=text)
        return Explanation("DataLoader", (), rule, (), f"for {target} in {text}: ...")
    return None


def explain_plain_parameter(situation):
    """Explain an optimizer of a model whose only tensor is not a parameter."""
    if not situation.says("optimizer got an empty parameter list"):
        return None
    tree = situation.place.tree()
    found = [
        each for each in (ast.walk(tree) if tree else ())
        if isinstance(each, ast.Assign) and len(each.targets) == 1 and isinstance(each.targets[0], ast.Attribute)
        and ast.unparse(each.targets[0]).startswith("self.") and isinstance(each.value, ast.Call)
        and ast.unparse(each.value.func) in ("torch.randn", "torch.rand", "torch.zeros", "torch.ones", "torch.tensor", "torch.empty")
    ]  # fmt: skip
    if len(found) != 1:
        return None
    (made,) = found
    call = ast.parse(ast.unparse(made.value), mode="eval").body
    call.keywords = [each for each in call.keywords if each.arg != "requires_grad"]
    target = ast.unparse(made.targets[0])
    rule = _("{target} is a tensor, not a parameter: parameters() yields only each nn.Parameter").format(target=target)
    return Explanation("optimizer", (), rule, (Fit(f"{target} = nn.Parameter({ast.unparse(call)})", "", made.lineno),))
