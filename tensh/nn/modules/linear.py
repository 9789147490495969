"""Layers that multiply with a matrix."""

import math

from tensh.engine import named
from tensh.nn import functional as F
from tensh.nn import init
from tensh.nn.modules.module import Module
from tensh.nn.parameter import Parameter


class Identity(Module):
    """The input, whatever is given to the constructor.

    >>> import tensh as torch
    >>> torch.nn.Identity(54, unused=True)(torch.ones(2))
    tensor([1., 1.])
    """

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        """The input itself."""
        return input


class Linear(Module):
    """``input @ weight.T + bias``: features in the last dimension.

    ``weight`` is [out_features, in_features]; both start uniform within 1 / sqrt(in_features) of zero.

    >>> import tensh as torch
    >>> torch.nn.Linear(20, 30)(torch.ones(128, 20)).shape
    torch.Size([128, 30])
    """

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        made = {"device": device, "dtype": dtype}
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(named("empty")((out_features, in_features), **made))
        if bias:
            self.bias = Parameter(named("empty")(out_features, **made))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw new starting values."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input):
        """[*, in_features] to [*, out_features]."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"
