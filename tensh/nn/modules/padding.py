"""Padding: more values on both sides of the last dimensions.

``padding`` is one number, or two for each dimension, from the last one on: (left, right, top, bottom, front, back).
Negative numbers cut values off.
"""

from tensh.nn import functional as F
from tensh.nn.modules.layer import Layer


def sides(n):
    """How the padding of n dimensions is kept: two numbers for each."""
    return {"padding": f"ntuple(padding, {2 * n})"}


# ── with a value ─────────────────────────────────────────────────────────────
class _ConstantPadNd(Layer, settings="padding, value", computes="pad(input, padding, 'constant', value)",
                     shows="padding value"):  # fmt: skip
    """One value on both sides."""


class ConstantPad1d(_ConstantPadNd, settings="padding, value", keeps=sides(1)):
    """A value on both sides of the last dimension.

    >>> import tensh as torch
    >>> torch.nn.ConstantPad1d(1, 7.)(torch.tensor([[1., 2., 3.]]))
    tensor([[7., 1., 2., 3., 7.]])
    """


class ConstantPad2d(_ConstantPadNd, settings="padding, value", keeps=sides(2)):
    """A value on both sides of the last two dimensions.

    >>> import tensh as torch
    >>> torch.nn.ConstantPad2d(1, 7.)(torch.ones(1, 3, 3)).shape
    torch.Size([1, 5, 5])
    """


class ConstantPad3d(_ConstantPadNd, settings="padding, value", keeps=sides(3)):
    """A value on both sides of the last three dimensions.

    >>> import tensh as torch
    >>> torch.nn.ConstantPad3d(1, 7.)(torch.ones(1, 3, 3, 3)).shape
    torch.Size([1, 5, 5, 5])
    """


class ZeroPad1d(ConstantPad1d, shows=".padding"):
    """Zeros on both sides of the last dimension.

    >>> import tensh as torch
    >>> torch.nn.ZeroPad1d(1)(torch.tensor([[1., 2., 3.]]))
    tensor([[0., 1., 2., 3., 0.]])
    """

    def __init__(self, padding):
        super().__init__(padding, 0.0)


class ZeroPad2d(ConstantPad2d, shows=".padding"):
    """Zeros on both sides of the last two dimensions.

    >>> import tensh as torch
    >>> torch.nn.ZeroPad2d(1)(torch.ones(1, 3, 3)).shape
    torch.Size([1, 5, 5])
    """

    def __init__(self, padding):
        super().__init__(padding, 0.0)


class ZeroPad3d(ConstantPad3d, shows=".padding"):
    """Zeros on both sides of the last three dimensions.

    >>> import tensh as torch
    >>> torch.nn.ZeroPad3d(1)(torch.ones(1, 3, 3, 3)).shape
    torch.Size([1, 5, 5, 5])
    """

    def __init__(self, padding):
        super().__init__(padding, 0.0)


# ── with values of the input ─────────────────────────────────────────────────
class _ReflectionPadNd(Layer, settings="padding", computes="pad(input, padding, 'reflect')", shows=".padding"):
    """The values next to each edge, mirrored at it."""


class ReflectionPad1d(_ReflectionPadNd, settings="padding", keeps=sides(1)):
    """The values next to each edge, mirrored at it, on both sides of the last dimension.

    >>> import tensh as torch
    >>> torch.nn.ReflectionPad1d(1)(torch.tensor([[1., 2., 3.]]))
    tensor([[2., 1., 2., 3., 2.]])
    """


class ReflectionPad2d(_ReflectionPadNd, settings="padding", keeps=sides(2)):
    """The values next to each edge, mirrored at it, on both sides of the last two dimensions.

    >>> import tensh as torch
    >>> torch.nn.ReflectionPad2d(1)(torch.ones(1, 3, 3)).shape
    torch.Size([1, 5, 5])
    """


class ReflectionPad3d(_ReflectionPadNd, settings="padding", keeps=sides(3)):
    """The values next to each edge, mirrored at it, on both sides of the last three dimensions.

    >>> import tensh as torch
    >>> torch.nn.ReflectionPad3d(1)(torch.ones(1, 3, 3, 3)).shape
    torch.Size([1, 5, 5, 5])
    """


class _ReplicationPadNd(Layer, settings="padding", computes="pad(input, padding, 'replicate')", shows=".padding"):
    """The value at each edge, again and again."""


class ReplicationPad1d(_ReplicationPadNd, settings="padding", keeps=sides(1)):
    """The value at each edge, again and again, on both sides of the last dimension.

    >>> import tensh as torch
    >>> torch.nn.ReplicationPad1d(1)(torch.tensor([[1., 2., 3.]]))
    tensor([[1., 1., 2., 3., 3.]])
    """


class ReplicationPad2d(_ReplicationPadNd, settings="padding", keeps=sides(2)):
    """The value at each edge, again and again, on both sides of the last two dimensions.

    >>> import tensh as torch
    >>> torch.nn.ReplicationPad2d(1)(torch.ones(1, 3, 3)).shape
    torch.Size([1, 5, 5])
    """


class ReplicationPad3d(_ReplicationPadNd, settings="padding", keeps=sides(3)):
    """The value at each edge, again and again, on both sides of the last three dimensions.

    >>> import tensh as torch
    >>> torch.nn.ReplicationPad3d(1)(torch.ones(1, 3, 3, 3)).shape
    torch.Size([1, 5, 5, 5])
    """


class _CircularPadNd(Layer, settings="padding", shows=".padding"):
    """The values at the other end of the dimension."""

    _dimensions = 1

    def forward(self, input):
        """``F.pad(input, padding, 'circular')``; ValueError for another number of dimensions."""
        if input.dim() not in (self._dimensions + 1, self._dimensions + 2):
            fitting = f"{self._dimensions + 1}D or {self._dimensions + 2}D"
            raise ValueError(f"expected {fitting} input (got {input.dim()}D input)")
        return F.pad(input, self.padding, "circular")


class CircularPad1d(_CircularPadNd, settings="padding", keeps=sides(1)):
    """The values at the other end on both sides of the last dimension.

    >>> import tensh as torch
    >>> torch.nn.CircularPad1d(1)(torch.tensor([[1., 2., 3.]]))
    tensor([[3., 1., 2., 3., 1.]])
    """

    _dimensions = 1


class CircularPad2d(_CircularPadNd, settings="padding", keeps=sides(2)):
    """The values at the other end on both sides of the last two dimensions.

    >>> import tensh as torch
    >>> torch.nn.CircularPad2d(1)(torch.ones(1, 3, 3)).shape
    torch.Size([1, 5, 5])
    """

    _dimensions = 2


class CircularPad3d(_CircularPadNd, settings="padding", keeps=sides(3)):
    """The values at the other end on both sides of the last three dimensions.

    >>> import tensh as torch
    >>> torch.nn.CircularPad3d(1)(torch.ones(1, 3, 3, 3)).shape
    torch.Size([1, 5, 5, 5])
    """

    _dimensions = 3
