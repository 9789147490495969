"""Convolutions that take ``in_channels`` from the first input."""

from tensh.nn.modules import conv
from tensh.nn.modules.families import declare_lazy
from tensh.nn.modules.layer import adopt_methods
from tensh.nn.modules.lazy import LazyModuleMixin
from tensh.nn.parameter import UninitializedParameter


class _LazyConvXdMixin(LazyModuleMixin):
    """A convolution whose weight and bias are allocated at the first input."""

    def _make(self, out_channels, bias, device, dtype):
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_channels = out_channels
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self):
        """Initialise the parameters as the final layer does, once they exist."""
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()

    def initialize_parameters(self, input, *args, **kwargs):
        """Allocate a weight and a bias for the channels of ``input``."""
        if not self.has_uninitialized_params():
            return
        self.in_channels = self._channels_of(input)
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        self._materialize(weight=self._weight_shape(), bias=(self.out_channels,))
        self.reset_parameters()

    def _channels_of(self, input):
        alone = self._dimensions + 1
        if input.dim() not in (alone, alone + 1):
            raise RuntimeError(
                f"Expected {alone}D (unbatched) or {alone + 1}D (batched) input to {type(self).__name__}, but got input of "
                f"size: {input.shape}"
            )
        return input.shape[input.dim() - alone]


class _LazyConv(_LazyConvXdMixin):
    """A lazy convolution."""

    def __init__(self, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode="zeros",
                 device=None, dtype=None):  # fmt: skip
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype)
        self._make(out_channels, bias, device, dtype)


class _LazyConvTranspose(_LazyConvXdMixin):
    """A lazy transposed convolution."""

    def __init__(self, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True, dilation=1,
                 padding_mode="zeros", device=None, dtype=None):  # fmt: skip
        super().__init__(
            0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode, device, dtype
        )
        self._make(out_channels, bias, device, dtype)


CONVOLUTIONS = conv.Conv1d, conv.Conv2d, conv.Conv3d
TRANSPOSED = conv.ConvTranspose1d, conv.ConvTranspose2d, conv.ConvTranspose3d
LazyConv1d, LazyConv2d, LazyConv3d = map(
    adopt_methods, declare_lazy(__name__, _LazyConv, CONVOLUTIONS, "in_channels", "4, 3")
)
LazyConvTranspose1d, LazyConvTranspose2d, LazyConvTranspose3d = map(
    adopt_methods, declare_lazy(__name__, _LazyConvTranspose, TRANSPOSED, "in_channels", "4, 3")
)
