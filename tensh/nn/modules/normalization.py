"""Normalisation within each sample."""

import numbers

from tensh.engine import find_public
from tensh.nn import functional as F
from tensh.nn import init
from tensh.nn.modules.layer import Layer
from tensh.nn.modules.module import Module
from tensh.nn.parameter import Parameter

__all__ = ["GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]


class LayerNorm(Module):
    """Normalise the last dimensions to mean 0 and variance 1 (Ba et al., 2016), times ``weight``, plus ``bias``.

    Shapes: input and output [*, *normalized_shape]; ``weight`` (initially ones) and ``bias`` (zeros)
    [*normalized_shape]. ``normalized_shape`` is a shape, or the size of the last dimension; ``eps`` is added to the
    variance. ``elementwise_affine=False`` leaves out ``weight`` and ``bias``, ``bias=False`` only ``bias``.

    >>> import tensh as torch
    >>> torch.nn.LayerNorm(2)(torch.tensor([[1., 3.]])).round(decimals=3)
    tensor([[-1.,  1.]], grad_fn=<RoundBackward1>)
    """

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, device=None, dtype=None):
        super().__init__()
        self.normalized_shape = shape_of(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        made = {"device": device, "dtype": dtype}
        for name, wanted in (("weight", elementwise_affine), ("bias", elementwise_affine and bias)):
            self.register_parameter(
                name, Parameter(find_public("empty")(self.normalized_shape, **made)) if wanted else None
            )
        self.reset_parameters()

    def reset_parameters(self):
        """Set weights to 1 and biases to 0."""
        if self.elementwise_affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def forward(self, input):
        """Return ``F.layer_norm(input, normalized_shape, weight, bias, eps)``."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        affine = f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        return f"{self.normalized_shape}, eps={self.eps}, {affine}"


class RMSNorm(Module):
    """Divide the last dimensions by the root of the mean of their squares (Zhang and Sennrich, 2019), times ``weight``.

    Shapes: input and output [*, *normalized_shape]; ``weight`` (initially ones) [*normalized_shape]. ``eps`` is added
    to the mean; None means that of the input's dtype. ``elementwise_affine=False`` leaves out ``weight``.

    >>> import tensh as torch
    >>> torch.nn.RMSNorm(2)(torch.tensor([[1., 7.]])).round(decimals=3)
    tensor([[0.2000, 1.4000]], grad_fn=<RoundBackward1>)
    """

    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None):
        super().__init__()
        self.normalized_shape = shape_of(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        made = {"device": device, "dtype": dtype}
        weight = Parameter(find_public("empty")(self.normalized_shape, **made)) if elementwise_affine else None
        self.register_parameter("weight", weight)
        self.reset_parameters()

    def reset_parameters(self):
        """Set weights to 1."""
        if self.elementwise_affine:
            init.ones_(self.weight)

    def forward(self, x):
        """Return ``F.rms_norm(x, normalized_shape, weight, eps)``."""
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self):
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(Module):
    """Normalise groups of channels to mean 0 and variance 1 (Wu and He, 2018), times ``weight``, plus ``bias``.

    Shapes: input and output [N, C, *]; ``weight`` (initially ones) and ``bias`` (zeros) [C]. ``num_channels`` is C, in
    ``num_groups`` groups; ``eps`` is added to the variance, and ``affine=False`` leaves out ``weight`` and ``bias``.
    Raise ValueError if the channels cannot be divided into the groups.

    >>> import tensh as torch
    >>> torch.nn.GroupNorm(2, 4)(torch.ones(5, 4, 3)).shape
    torch.Size([5, 4, 3])
    """

    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True, device=None, dtype=None, *, bias=True):
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        made = {"device": device, "dtype": dtype}
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            self.register_parameter(name, Parameter(find_public("empty")(num_channels, **made)) if wanted else None)
        self.reset_parameters()

    def reset_parameters(self):
        """Set weights to 1 and biases to 0."""
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def forward(self, input):
        """Return ``F.group_norm(input, num_groups, weight, bias, eps)``."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self):
        affine = f"affine={self.affine}, bias={self.bias is not None}"
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, {affine}"


def shape_of(given):
    """Return a shape given as a number of elements or as a shape."""
    return (given,) if isinstance(given, numbers.Integral) else tuple(given)


class LocalResponseNorm(Layer, settings="size, alpha=1e-4, beta=0.75, k=1.0", shows=".size alpha beta k",
                        computes="local_response_norm(input, size, alpha, beta, k)"):  # fmt: skip
    """Divide each value by a power of the squares of ``size`` channels around it (Krizhevsky et al., 2012).

    Shapes: input and output [N, C, *]. The divisor is ``(k + alpha * mean of the squares) ** beta``.

    >>> import tensh as torch
    >>> torch.nn.LocalResponseNorm(2)(torch.ones(1, 4, 3)).shape
    torch.Size([1, 4, 3])
    """
