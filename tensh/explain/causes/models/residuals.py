"""A sum of an image and its convolution, which has cropped the edges: `x + self.conv(x)`."""

import ast

from tensh.explain.causes.models.layers import find_maker
from tensh.explain.model import Explanation
from tensh.explain.situation import operand_of
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _


def explain_residual(situation):
    """Explain the sum of an image and its convolution by the padding that would keep the size."""
    node = situation.place.node()
    if not isinstance(node, ast.BinOp) or not situation.says("must match the size of tensor"):
        return None
    sides = [situation.tensor_of(each) for each in (node.left, node.right)]
    if None in sides or len(sides[0].shape) != len(sides[1].shape):
        return None
    larger = sides[0].shape[-1] < sides[1].shape[-1]
    image, output = sides[larger], sides[not larger]
    calls = list_convolutions([node.left, node.right][not larger], situation)
    lost = [
        sum(d * (k - 1) for d, k in sizes) for sizes in zip(*(sizes_of(layer) for _node, layer in calls), strict=True)
    ]
    if not lost or [a - b for a, b in zip(image.shape[2:], output.shape[2:], strict=True)] != lost:
        return None
    fits = []
    for call, layer in calls:
        made, padding = find_maker(call.func, situation), padding_for(layer)
        fit = (
            replace_node(situation.place, made, f"{ast.unparse(made)[:-1]}, padding={padding})")
            if made and padding
            else None
        )
        if fit is None:
            return None
        fits.append(fit)
    fits.sort(key=lambda fit: fit.line)
    rule = _("a convolution without padding cuts off the edges: {one} becomes {two}").format(
        one=[*image.shape[2:]], two=[*output.shape[2:]]
    )
    operands = (operand_of(ast.unparse(node.left), sides[0]), operand_of(ast.unparse(node.right), sides[1]))
    symbol = "+" if isinstance(node.op, ast.Add) else "call"
    return Explanation(symbol, operands, rule, (fits[0]._replace(more=tuple(fits[1:])),))


def list_convolutions(node, situation):
    """Return (call, layer) of the convolutions in an expression if all have stride 1 and no padding; [] otherwise."""
    found = []
    for each in ast.walk(node):
        layer = situation.look_up(each.func) if isinstance(each, ast.Call) else None
        if is_module(layer) and hasattr(layer, "dilation") and hasattr(layer, "kernel_size"):
            if {*layer.stride} != {1} or layer.padding not in ((0,) * len(layer.stride), "valid"):
                return []
            found.append((each, layer))
    return found


def sizes_of(layer):
    """Return (dilation, kernel size) of each spatial dimension."""
    return [*zip(layer.dilation, layer.kernel_size, strict=True)]


def padding_for(layer):
    """Return the padding that keeps the size, as code; "" for a kernel of even size."""
    sides = [d * (k - 1) for d, k in sizes_of(layer)]
    if any(side % 2 for side in sides):
        return ""
    halves = tuple(side // 2 for side in sides)
    return str(halves[0] if len({*halves}) == 1 else halves)
