"""Convolutions: sums of products over a moving window, and their transposes.

``weight`` is [out_channels, in_channels / groups, *kernel_size], of a
transposed convolution [in_channels, out_channels / groups, *kernel_size]; it and the bias start uniform within
1 / sqrt(fan in) of zero.
"""

import math

from tensh.engine import find_public
from tensh.engine.arguments.checks import ntuple
from tensh.nn import functional as F
from tensh.nn import init
from tensh.nn.modules.families import family
from tensh.nn.modules.layer import adopt_methods
from tensh.nn.modules.module import Module
from tensh.nn.parameter import Parameter

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]

MODES = {"zeros", "reflect", "replicate", "circular"}
PADDINGS = {"same", "valid"}


class _ConvNd(Module):
    """The settings, weight and bias of a convolution."""

    _dimensions = 0
    transposed = False

    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, dilation, transposed, output_padding, groups,
                 bias, padding_mode, device=None, dtype=None):  # fmt: skip
        super().__init__()
        check(in_channels, out_channels, stride, padding, groups, padding_mode)
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride, self.padding, self.dilation = kernel_size, stride, padding, dilation
        self.transposed, self.output_padding, self.padding_mode = transposed, output_padding, padding_mode
        self._reversed_padding_repeated_twice = both_sides(padding, dilation, kernel_size)
        made = {"device": device, "dtype": dtype}
        self.weight = Parameter(find_public("empty")(self._weight_shape(), **made))
        if bias:
            self.bias = Parameter(find_public("empty")(out_channels, **made))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _weight_shape(self):
        first, second = self.out_channels, self.in_channels
        if self.transposed:
            first, second = second, first
        return first, second // self.groups, *self.kernel_size

    def reset_parameters(self):
        """Draw new initial values."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in != 0:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def extra_repr(self):
        n = len(self.kernel_size)
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        usual = {"padding": (0,) * n, "dilation": (1,) * n, "output_padding": (0,) * n, "groups": 1}
        for name, value in usual.items():
            if getattr(self, name) != value:
                text += f", {name}={getattr(self, name)}"
        if self.bias is None:
            text += ", bias=False"
        return text if self.padding_mode == "zeros" else f"{text}, padding_mode={self.padding_mode}"


def check(in_channels, out_channels, stride, padding, groups, padding_mode):
    """Raise ValueError for settings that do not fit together."""
    if groups <= 0:
        raise ValueError("groups must be a positive integer")
    if in_channels % groups != 0:
        raise ValueError("in_channels must be divisible by groups")
    if out_channels % groups != 0:
        raise ValueError("out_channels must be divisible by groups")
    if isinstance(padding, str):
        if padding not in PADDINGS:
            raise ValueError(f"Invalid padding string {padding!r}, should be one of {PADDINGS}")
        if padding == "same" and any(step != 1 for step in stride):
            raise ValueError("padding='same' is not supported for strided convolutions")
    if padding_mode not in MODES:
        raise ValueError(f"padding_mode must be one of {MODES}, but got padding_mode='{padding_mode}'")


def both_sides(padding, dilation, kernel_size):
    """Return the padding as F.pad takes it: two numbers for each dimension, the last dimension first."""
    if padding == "valid":
        return [0] * 2 * len(kernel_size)
    if padding == "same":
        totals = [d * (k - 1) for d, k in zip(reversed(dilation), reversed(kernel_size), strict=True)]
        return [side for total in totals for side in (total // 2, total - total // 2)]
    return tuple(side for side in reversed(padding) for _ in range(2))


# ── convolutions ─────────────────────────────────────────────────────────────
class _Conv(_ConvNd):
    """A convolution over ``_dimensions`` dimensions."""

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", device=None, dtype=None):  # fmt: skip
        n = self._dimensions
        super().__init__(
            in_channels, out_channels, ntuple(kernel_size, n), ntuple(stride, n),
            padding if isinstance(padding, str) else ntuple(padding, n), ntuple(dilation, n), False, ntuple(0, n), groups,
            bias, padding_mode, device, dtype,
        )  # fmt: skip

    def forward(self, input):
        """Convolve ``input`` with the weight, and add the bias."""
        return self._conv_forward(input, self.weight, self.bias)

    def _conv_forward(self, input, weight, bias):
        padding = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = (0,) * self._dimensions
        return getattr(F, self._function)(input, weight, bias, self.stride, padding, self.dilation, self.groups)


Conv1d, Conv2d, Conv3d = map(
    adopt_methods,
    family(
        "Conv{n}d",
        _Conv,
        """Convolution of {items}: sums of products with a weight over a moving window, plus a bias.

    {channels}
    A size s becomes floor((s + 2 padding - dilation (kernel_size - 1) - 1) / stride) + 1; ``padding`` "same" keeps it.
    ``weight`` [out_channels, in_channels / groups, *kernel_size] and ``bias`` [out_channels] start uniform within
    1 / sqrt(fan in) of 0.  ``padding_mode``: "zeros", "reflect", "replicate" or "circular".
    Raise ValueError if groups do not divide the channels, and for an unknown or unsuitable padding or mode.

    >>> import tensh as torch
    >>> torch.nn.Conv{n}d(3, 8, 3, stride=2)(torch.ones(4, 3, {each:9})).shape
    torch.Size([4, 8, {each:4}])
    """,
        members={"_function": "conv{}d".format},
    ),
)


# ── transposed ───────────────────────────────────────────────────────────────
class _ConvTransposeNd(_ConvNd):
    """The transpose of a convolution: the map from gradients of its outputs to gradients of its inputs."""

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True,
                 dilation=1, padding_mode="zeros", device=None, dtype=None):  # fmt: skip
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        n = self._dimensions
        super().__init__(
            in_channels, out_channels, ntuple(kernel_size, n), ntuple(stride, n), ntuple(padding, n), ntuple(dilation, n), True,
            ntuple(output_padding, n), groups, bias, padding_mode, device, dtype,
        )  # fmt: skip

    def forward(self, input, output_size=None):
        """Return the transposed convolution of ``input``; ``output_size`` selects a size that the stride allows."""
        if self.padding_mode != "zeros":
            raise ValueError(f"Only `zeros` padding mode is supported for {type(self).__name__}")
        more = self._output_padding(
            input, output_size, self.stride, self.padding, self.kernel_size, self._dimensions, self.dilation
        )
        function = getattr(F, self._function)
        return function(input, self.weight, self.bias, self.stride, self.padding, more, self.groups, self.dilation)

    def _output_padding(self, input, output_size, stride, padding, kernel_size, num_spatial_dims, dilation=None):
        """Return the output padding that gives the requested size; raise ValueError if there is none."""
        if output_size is None:
            return self.output_padding
        n, dilation = num_spatial_dims, dilation or (1,) * num_spatial_dims
        leading = 2 if input.dim() == n + 2 else 1
        if len(output_size) == leading + n:
            output_size = output_size[leading:]
        if len(output_size) != n:
            raise ValueError(
                f"ConvTranspose{n}D: for {input.dim()}D input, output_size must have {n} or {leading + n} elements (got "
                f"{len(output_size)})"
            )
        windows = zip(input.shape[leading:], stride, padding, dilation, kernel_size, strict=False)
        least = [(size - 1) * s - 2 * p + d * (k - 1) + 1 for size, s, p, d, k in windows]
        most = [size + s - 1 for size, s in zip(least, stride, strict=True)]
        for size, low, high in zip(output_size, least, most, strict=True):
            if not low <= size <= high:
                raise ValueError(
                    f"requested an output size of {output_size}, but valid sizes range from {least} to {most} (for an input of "
                    f"{input.size()[2:]})"
                )
        return [size - low for size, low in zip(output_size, least, strict=True)]


ConvTranspose1d, ConvTranspose2d, ConvTranspose3d = map(
    adopt_methods,
    family(
        "ConvTranspose{n}d",
        _ConvTransposeNd,
        """Transposed convolution of {items}: the map from gradients of a convolution's outputs to its inputs'.

    {channels}
    A size s becomes (s - 1) stride - 2 padding + dilation (kernel_size - 1) + output_padding + 1, or ``output_size`` if the
    call gives it.
    ``weight`` [in_channels, out_channels / groups, *kernel_size] and ``bias`` [out_channels] start as those of Conv{n}d.
    Raise ValueError if groups do not divide the channels, for an output size that cannot be reached, and for a
    ``padding_mode`` other than "zeros".

    >>> import tensh as torch
    >>> torch.nn.ConvTranspose{n}d(3, 2, 4, stride=2)(torch.ones(1, 3, {each:5})).shape
    torch.Size([1, 2, {each:12}])
    """,
        members={"_function": "conv_transpose{}d".format},
    ),
)
