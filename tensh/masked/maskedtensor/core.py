"""MaskedTensor: a tensor whose operations ignore the elements where its mask is False."""

import tensh as torch
from tensh.engine.codegen.public_forms import name_in_space
from tensh.engine.dispatch.override.points import keep_armed
from tensh.engine.errors.warnings import warn
from tensh.masked.maskedtensor.printing import format_tensor

__all__ = ["MaskedTensor", "is_masked_tensor"]

PROTOTYPE = (
    "The PyTorch API of MaskedTensors is in prototype stage and will change in the near future. Please open a Github issue "
    "for features requests and see our documentation on the torch.masked module for further information about the project."
)


RULES: dict = {}
"""Name of a function -> its rule for masked tensors: see rules.py."""


class MaskedTensor(torch.Tensor):
    """A tensor with a mask of its shape, True for valid elements; made by ``masked_tensor``.

    Operations compute with its elements, and results have masks again: elementwise functions keep the mask, operands
    with masks must have equal ones, reductions use the valid elements.  Gradients have the mask, too. A function
    without a rule raises TypeError.

    >>> import tensh as torch
    >>> t = torch.masked.masked_tensor(torch.tensor([1., 2., 6.]), torch.tensor([True, False, True]))
    >>> t + 1
    MaskedTensor(
      [  2.0000,       --,   7.0000]
    )
    >>> t.mean()
    MaskedTensor(  3.5000, True)
    """

    def __new__(cls, data, mask, requires_grad=False):
        require_fitting(data, mask)
        return attach_mask(data.detach().clone().requires_grad_(requires_grad), mask.clone())

    def __init__(self, data, mask, requires_grad=False):
        pass  # everything is done in __new__

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if not all(issubclass(cls, each) or issubclass(each, torch.Tensor) for each in types):
            return NotImplemented
        rule = RULES.get(name_in_space(func), refuse_function)
        with torch.DisableTorchFunctionSubclass():
            return rule(func, *args, **(kwargs or {}))

    def get_mask(self):
        """Return the mask: True for valid elements."""
        return self._masked_mask

    def get_data(self):
        """Return all elements, including invalid ones, as an ordinary tensor. Differentiable."""
        with torch.DisableTorchFunctionSubclass():
            return self.as_subclass(torch.Tensor)

    def to_tensor(self, value):
        """Return an ordinary tensor with ``value`` for invalid elements. Differentiable."""
        return self.get_data().masked_fill(~self._masked_mask, value)

    def __repr__(self, *, tensor_contents=None):
        return format_tensor(self.get_data().detach(), self._masked_mask)

    def __format__(self, spec):
        return format(repr(self), spec)

    def _repr_html_(self):
        return None  # notebooks show the text


def attach_mask(data, mask):
    """Turn an unshared ordinary tensor into a masked one, with the same node."""
    keep_armed()
    warn(PROTOTYPE)
    data.__class__ = MaskedTensor
    data._masked_mask = mask
    return data


def is_masked_tensor(obj, /):
    """Return True if an object is a MaskedTensor.

    >>> import tensh as torch
    >>> torch.masked.is_masked_tensor(torch.ones(2))
    False
    """
    return isinstance(obj, MaskedTensor)


def refuse_function(func, *args, **kwargs):
    """The fallback for a function without a rule."""
    raise TypeError(f"{func.__name__} is not implemented for MaskedTensor")


def require_fitting(data, mask):
    """Refuse data and masks that cannot form a masked tensor."""
    if not isinstance(data, torch.Tensor) or is_masked_tensor(data):
        raise TypeError("data must be a Tensor")
    if not isinstance(mask, torch.Tensor) or is_masked_tensor(mask):
        raise TypeError("mask must be a Tensor")
    if data.layout is not mask.layout:
        raise TypeError(f"data and mask must have the same layout (found {data.layout} and {mask.layout})")
    if data.layout is not torch.strided:
        raise TypeError(f"data layout of {data.layout} is not supported.")
    if mask.dtype is not torch.bool:
        raise TypeError("mask must have dtype bool.")
    if data.is_complex():
        raise TypeError(f"{data.dtype} is not supported in MaskedTensor.")
    if data.dim() != mask.dim():
        raise ValueError("data.dim() must equal mask.dim()")
    if data.size() != mask.size():
        raise ValueError("data.size() must equal mask.size()")
