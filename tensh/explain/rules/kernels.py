"""Kernels and signals of `F.conv1d`, `F.conv2d` and `F.conv3d` with other numbers of dimensions."""

from tensh.explain.model import Explanation
from tensh.explain.rules.shared import name_or_phrase, operand
from tensh.explain.trials.fixes import append_to_expression, fits
from tensh.support.language import _

DIMS = {"conv1d": 1, "conv2d": 2, "conv3d": 3, "conv_transpose1d": 1, "conv_transpose2d": 2, "conv_transpose3d": 3}
SIZES = {1: "L", 2: "H, W", 3: "D, H, W"}


def explain_kernel_dims(call, text):
    """A convolution of images takes kernels [O, C, H, W], and images [N, C, H, W]."""
    dims = DIMS.get(call.name)
    if dims is None or call.module is not None or len(call.tensors) < 2:
        return None
    image, weight = call.tensors[:2]
    if weight.value.dim() == dims + 2 and image.value.dim() in (dims + 1, dims + 2):
        return None
    first, second = ("C", "O") if "transpose" in call.name else ("O", "C")  # as in the documentation of layers
    rule = _("{name} expects a weight [{first}, {second}, {sizes}] and an input [N, C, {sizes}]").format(
        name=call.name, first=first, second=second, sizes=SIZES[dims]
    )
    channels = image.value.shape[-dims - 1] if image.value.dim() > dims else 1
    changes = {
        image: add_in_front(image, dims + 2) if image.value.dim() <= dims else [image.text],
        weight: add_in_front(weight, dims + 2) + repeat_for_channels(weight, dims, channels),
    }
    codes = [
        call.rewrite({image: one, weight: two}) for one in changes[image] for two in changes[weight] if one and two
    ]
    found = fits(call, codes, most=1)
    advice = None if found else _("give {weight} the shape [{first}, {second}, {sizes}]")
    return Explanation(
        call.symbol, (operand(image), operand(weight)), rule, found,
        advice and advice.format(weight=name_or_phrase(weight, _("the weight")), first=first, second=second, sizes=SIZES[dims]),
    )  # fmt: skip


def add_in_front(argument, dims):
    """Return an operand with dimensions of size 1 in front: `k[None, None]`."""
    missing = dims - argument.value.dim()
    if not argument.text:
        return []
    if missing <= 0:
        return [argument.text]
    return [append_to_expression(argument.text, f"[{', '.join(['None'] * missing)}]")]


def repeat_for_channels(weight, dims, channels):
    """Return one kernel as the kernels of several channels, [1, channels, ...]: for images whose channels are summed."""
    if weight.value.dim() != dims or not weight.text or channels < 2:
        return []
    sizes = ", ".join(["-1"] * dims)
    return [append_to_expression(weight.text, f".expand(1, {channels}, {sizes})")]
