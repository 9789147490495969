"""Linear and bilinear layers."""

import math

from tensh.engine import find_public
from tensh.nn import functional as F
from tensh.nn import init
from tensh.nn.modules.lazy import LazyModuleMixin
from tensh.nn.modules.module import Module
from tensh.nn.parameter import Parameter, UninitializedParameter

__all__ = ["Bilinear", "Identity", "LazyLinear", "Linear"]


class Identity(Module):
    """A layer whose output is its input, whatever arguments the constructor got.

    Shapes: input and output [*].

    >>> import tensh as torch
    >>> torch.nn.Identity(54, unused=True)(torch.ones(2))
    tensor([1., 1.])
    """

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        """Return the input itself."""
        return input


class Linear(Module):
    """Linear map of the last dimension: ``input @ weight.T + bias``.

    Shapes: input [*, in_features], output [*, out_features]; ``weight`` [out_features, in_features] and ``bias``
    [out_features] start uniform within 1 / sqrt(in_features) of zero.

    >>> import tensh as torch
    >>> torch.nn.Linear(20, 30)(torch.ones(128, 20)).shape
    torch.Size([128, 30])
    """

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        made = {"device": device, "dtype": dtype}
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(find_public("empty")((out_features, in_features), **made))
        if bias:
            self.bias = Parameter(find_public("empty")(out_features, **made))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw new initial values."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input):
        """Map [*, in_features] to [*, out_features]."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class NonDynamicallyQuantizableLinear(Linear):
    """The Linear within MultiheadAttention, under PyTorch's name."""


class Bilinear(Module):
    """Bilinear map of the last dimensions: ``input1 @ weight[i] @ input2 + bias[i]`` for each output i.

    Shapes: inputs [*, in1_features] and [*, in2_features], output [*, out_features]; ``weight`` [out_features,
    in1_features, in2_features] and ``bias`` [out_features] start uniform within 1 / sqrt(in1_features) of zero. Raise
    ValueError unless in1_features is positive.

    >>> import tensh as torch
    >>> torch.nn.Bilinear(20, 30, 40)(torch.ones(128, 20), torch.ones(128, 30)).shape
    torch.Size([128, 40])
    """

    def __init__(self, in1_features, in2_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        made = {"device": device, "dtype": dtype}
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        self.weight = Parameter(find_public("empty")((out_features, in1_features, in2_features), **made))
        self.register_parameter("bias", Parameter(find_public("empty")(out_features, **made)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw new initial values."""
        if self.in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={self.in1_features})")
        bound = 1 / math.sqrt(self.weight.size(1))
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1, input2):
        """Return ``F.bilinear(input1, input2, weight, bias)``."""
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self):
        names = ("in1_features", "in2_features", "out_features")
        return ", ".join(f"{name}={getattr(self, name)}" for name in names) + f", bias={self.bias is not None}"


class LazyLinear(LazyModuleMixin, Linear):
    """Linear that takes ``in_features`` from the first input.

    The first call turns the layer into Linear. Shapes: input [*, in_features], output [*, out_features].

    >>> import tensh as torch
    >>> layer = torch.nn.LazyLinear(3)
    >>> layer.weight
    <UninitializedParameter>
    >>> layer(torch.ones(5, 4)).shape, layer
    (torch.Size([5, 3]), Linear(in_features=4, out_features=3, bias=True))
    """

    cls_to_become = Linear

    def __init__(self, out_features, bias=True, device=None, dtype=None):
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self):
        """Initialise the parameters as Linear does, once they exist."""
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input):
        """Allocate parameters for the features of ``input``."""
        if self.has_uninitialized_params():
            self.in_features = input.shape[-1]
            self._materialize(weight=(self.out_features, self.in_features), bias=(self.out_features,))
            self.reset_parameters()
        if self.in_features == 0:
            if input.shape[-1] != self.weight.shape[-1]:
                raise AssertionError(
                    f"The in_features inferred from input: {input.shape[-1]} is not equal to in_features from self.weight: "
                    f"{self.weight.shape[-1]}"
                )
            self.in_features = input.shape[-1]
