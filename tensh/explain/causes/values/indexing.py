"""Invalid indices: texts, negative steps, and tensors as indices of a list."""

import ast

from tensh.explain.model import Explanation
from tensh.explain.rules.indices import describe_dims
from tensh.explain.situation import first_explanation, operand_of
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.fixes import append_to_expression
from tensh.support.language import _


def explain_index(situation):
    """Return the Explanation of the first kind that applies."""
    path = situation.place.path()
    node = next((each for each in reversed(path) if isinstance(each, ast.Subscript)), None)
    if node is None:
        return None
    return first_explanation(
        (explain_text_for_number, explain_negative_step, explain_tensor_for_list, explain_item_beyond_last),
        situation,
        node,
    )


def explanation(situation, given, rule, node=None, new=None, advice=None):
    fit = replace_node(situation.place, node, new) if node is not None else None
    return Explanation("index", given, rule, (fit,) if fit else (), None if fit else advice)


def explain_text_for_number(situation, node):
    """Explain `m["0"]`, and a column of a table selected by name."""
    if not situation.says("invalid data type 'str'"):
        return None
    t, index = situation.tensor_of(node.value), situation.look_up(node.slice)
    index = node.slice.value if isinstance(node.slice, ast.Constant) else index
    if t is None or type(index) is not str:
        return None
    given, text = (operand_of(ast.unparse(node.value), t),), ast.unparse(node.slice)
    if index.strip().isdecimal():
        rule = _("{text} is a string; expected a whole number").format(text=text)
        new = index.strip() if isinstance(node.slice, ast.Constant) else f"int({text})"
        return explanation(situation, given, rule, node.slice, new)
    rule = _("rows and columns of a tensor have numbers, not names")
    return explanation(situation, given, rule, advice=_("use the number of the column: x[:, 2]"))


def explain_item_beyond_last(situation, node):
    """Explain `names[3]` of three names, and `x.shape[2]` of a matrix."""
    if not isinstance(situation.error, IndexError) or not situation.says("index out of range"):
        return None
    of_shape = isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
    t = situation.tensor_of(node.value.value) if of_shape else None
    values, text = situation.look_up(node.value) if t is None else tuple(t.shape), ast.unparse(node.value)
    if type(values) not in (list, tuple):
        return None
    given, count = (operand_of(ast.unparse(node.value.value), t),) if t is not None else (), len(values)
    if t is not None:
        rule = describe_dims(ast.unparse(node.value.value), t)
    elif count > 1:
        rule = _("{text} has {count} elements: indices are 0 to {last}, or -{count} to -1")
    else:
        rule = _("{text} has one element, whose index is 0") if count else _("{text} is empty")
    rule = rule.format(text=text, count=count, last=count - 1)
    if not count or not isinstance(node.slice, ast.Constant | ast.UnaryOp):
        return Explanation("index", given, rule)
    nearest = 0 if isinstance(node.slice, ast.UnaryOp) else count - 1
    return explanation(situation, given, rule, node.slice, str(nearest))


def explain_negative_step(situation, node):
    """Explain `x[::-1]`."""
    t = situation.tensor_of(node.value)
    if not situation.says("step must be greater than zero") or t is None:
        return None
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if not all(isinstance(part, ast.Slice) and part.lower is None and part.upper is None for part in parts):
        return None
    dims = [dim for dim, part in enumerate(parts) if part.step is not None]
    if any(ast.unparse(parts[dim].step) != "-1" for dim in dims):
        return None
    text = ast.unparse(node.value)
    rule = _("slices of tensors cannot have negative steps; flip reverses dimensions")
    new = append_to_expression(text, f".flip({', '.join(map(str, dims))})")
    return explanation(situation, (operand_of(text, t),), rule, node, new)


def explain_tensor_for_list(situation, node):
    """Explain `names[classes]` of a list, indexed by a tensor of integers or scores."""
    index, values = situation.tensor_of(node.slice), situation.look_up(node.value)
    if index is None or type(values) not in (list, tuple, str) or not isinstance(situation.error, TypeError):
        return None
    name, text = ast.unparse(node.value), ast.unparse(node.slice)
    given = (operand_of(text, index),)
    if index.is_floating_point() and not index.dim():
        rule = _("{text} holds {dtype}, but a list index must be a whole number").format(
            text=text, dtype=given[0].dtype
        )
        return explanation(situation, given, rule, node.slice, append_to_expression(text, ".long()"))
    if index.is_floating_point():
        if index.shape != (len(values),):
            return None
        rule = _(
            "{text} holds {dtype}, but a list index must be a whole number; argmax() gives the index of the largest element"
        )
        new = append_to_expression(text, ".argmax()")
        return explanation(situation, given, rule.format(text=text, dtype=given[0].dtype), node.slice, new)
    if index.dim() != 1:
        return None
    rule = _("{text} has {count} numbers, but a list index is a single number").format(text=text, count=index.numel())
    number = next(letter for letter in "ijkn" if letter not in (name, text))
    return explanation(situation, given, rule, node, f"[{name}[{number}] for {number} in {text}]")
