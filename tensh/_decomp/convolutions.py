"""Decompositions of convolutions, which are one operator of any number of dimensions."""

from tensh._aten.calls import aten
from tensh._decomp.rules import rule


def expand_setting(value, dims):
    """Return a setting for each dimension, from a number or a sequence of one or of all."""
    value = [value] if isinstance(value, int) else list(value)
    return value * dims if len(value) == 1 else value


def convolve(dims):
    """Return the rule for convolutions of a number of dimensions."""

    def decompose(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        stride, dilation = expand_setting(stride, dims), expand_setting(dilation, dims)
        if padding == "valid":
            padding = 0
        if padding == "same":
            spans = [d * (size - 1) for d, size in zip(dilation, weight.array.shape[2:])]
            if any(span % 2 for span in spans):
                edges = [side for span in reversed(spans) for side in (span // 2, span - span // 2)]
                input, padding = aten("constant_pad_nd", input, edges), 0
            else:
                padding = [span // 2 for span in spans]
        return call(
            dims, input, weight, bias, stride, expand_setting(padding, dims), dilation, False, [0] * dims, groups
        )

    return decompose


def transpose(dims):
    """Return the rule for transposed convolutions of a number of dimensions."""

    def decompose(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
        settings = [expand_setting(each, dims) for each in (stride, padding, dilation, output_padding)]
        return call(dims, input, weight, bias, *settings[:3], True, settings[3], groups)

    return decompose


def call(dims, input, weight, bias, *settings):
    """Call the operator, also for an input without a batch."""
    if input.dim() == dims + 2:
        return aten("convolution", input, weight, bias, *settings)
    return aten("squeeze", aten("convolution", aten("unsqueeze", input, 0), weight, bias, *settings), [0])


for _dims in (1, 2, 3):
    rule(f"conv{_dims}d")(convolve(_dims))
rule("conv_transpose1d")(transpose(1))
rule("conv_transpose2d")(transpose(2))
rule("conv_transpose3d")(transpose(3))
