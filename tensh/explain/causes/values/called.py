"""Values called, counted or indexed like others: `dataset(0)`, `loader.batch_size()`, `range(x)`, `net[5]`."""

import ast

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation, Fit
from tensh.explain.situation import first_explanation
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _

LITERALS = ast.List | ast.Tuple | ast.Set | ast.Dict | ast.JoinedStr


def explain_called(situation):
    """Return the Explanation of the first kind that applies."""
    path = situation.place.path()
    if not path:
        return None
    kinds = (
        explain_missing_sign,
        explain_called_number,
        explain_called_dataset,
        explain_count_of_rows,
        explain_layer_beyond_last,
    )
    return first_explanation(kinds, situation, path[-1])


def explain_missing_sign(situation, node):
    """Explain `[[1, 2] [3, 4]]`, where a comma is missing, and `2(x + 1)`, where a product was meant."""
    written = written_before(node)
    if not isinstance(situation.error, TypeError | IndexError) or not isinstance(written, ast.Constant | LITERALS):
        return None
    after = situation.place.source.split("\n")[written.end_lineno - 1].encode()[written.end_col_offset :]
    if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Tuple) and after.startswith(b"["):
        return None  # `[1, 2, 3][i]`
    sign, rule = ", ", _("a comma is missing between two of the elements")
    if isinstance(written, ast.Constant) and type(written.value) in (int, float, complex):
        sign, rule = " * ", _("a product is written with *")
    ends = [written]
    for outer in reversed(situation.place.path()[:-1]):  # more elements without commas
        if sign == ", " and written_before(outer) is node:
            ends.append(node)
            node = outer
    return Explanation("call", (), rule, put_behind(situation.place, ends, sign))


def written_before(node):
    """Return what is called or indexed; None for other code."""
    return node.func if isinstance(node, ast.Call) else node.value if isinstance(node, ast.Subscript) else None


def put_behind(place, nodes, sign):
    """Return the Fit that puts a sign after each of some nodes, in front of whatever stands there."""
    lines, fits = place.source.split("\n"), {}
    for node in sorted(nodes, key=lambda each: (each.end_lineno, -each.end_col_offset)):
        line = fits.get(node.end_lineno, lines[node.end_lineno - 1].encode())
        rest = line[node.end_col_offset :].lstrip(b" ")
        fits[node.end_lineno] = line[: node.end_col_offset] + (sign if rest else sign.rstrip()).encode() + rest
    first, *more = (Fit(line.decode().strip(), "", number) for number, line in fits.items())
    return (first._replace(more=tuple(more)),)


def explain_called_number(situation, node):
    """Explain `loader.batch_size()`, which is a number or a text."""
    if not isinstance(node, ast.Call) or node.args or node.keywords or not isinstance(node.func, ast.Attribute):
        return None
    value, text = situation.look_up(node.func), ast.unparse(node.func)
    if type(value) not in (int, float, str, bool) or not situation.says("object is not callable"):
        return None
    rule = _("{text} is already the value {value}, not a method").format(text=text, value=repr(value))
    fit = replace_node(situation.place, node, text)
    return Explanation("call", (), rule, (fit,)) if fit else None


def explain_called_dataset(situation, node):
    """Explain `dataset(0)` for one sample."""
    if not isinstance(node, ast.Call) or len(node.args) != 1 or node.keywords or not isinstance(node.func, ast.Name):
        return None
    value = situation.names.get(node.func.id)
    has_items = hasattr(type(value), "__getitem__") and not isinstance(value, type | dict)
    if not has_items or not situation.says("object is not callable"):
        return None
    rule = _("{text} is a {kind}: index its elements with square brackets").format(
        text=node.func.id, kind=type(value).__name__
    )
    fit = replace_node(situation.place, node, f"{node.func.id}[{ast.unparse(node.args[0])}]")
    return Explanation("call", (), rule, (fit,)) if fit else None


def explain_count_of_rows(situation, node):
    """Explain `range(x)` of a tensor with several rows."""
    match node:
        case ast.Call(func=ast.Name("range"), args=[each], keywords=[]):
            pass
        case _:
            return None
    value = situation.evaluate(each)
    if not isinstance(value, Tensor) or value.dim() == 0 or value.numel() == 1:
        return None
    text = ast.unparse(each)
    rule = _("{text} is {shape}, but range expects a number").format(text=text, shape=[*value.shape])
    fit = replace_node(situation.place, node, f"range(len({text}))")
    return Explanation("range", (), rule, (fit,)) if fit else None


def explain_layer_beyond_last(situation, node):
    """Explain `net[5]` of a Sequential of three layers."""
    if not isinstance(node, ast.Subscript) or not isinstance(situation.error, IndexError):
        return None
    model, text = situation.look_up(node.value), ast.unparse(node.value)
    if not is_module(model) or type(model).__name__ not in ("Sequential", "ModuleList"):
        return None
    count = len(model)
    if count < 2:
        rule = _("{text} has no parts") if count == 0 else _("{text} has one part, whose index is 0")
    else:
        rule = _("{text} has {count} parts: indices are 0 to {last}, or -{count} to -1")
    rule = rule.format(text=text, count=count, last=count - 1)
    return Explanation("index", (), rule)
