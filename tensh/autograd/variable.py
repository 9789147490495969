"""torch.autograd.Variable: the former wrapper of tensors that record gradients."""

from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.warnings import warn
from tensh.support.naming import name_type

__all__ = ["Variable"]


class _VariableMeta(type):
    def __instancecheck__(cls, value):
        return isinstance(value, Tensor)


class Variable(metaclass=_VariableMeta):
    """Kept for old programs: ``Variable(t, requires_grad=True)`` is a tensor.

    >>> import tensh as torch
    >>> torch.autograd.Variable(torch.ones(2), requires_grad=True)
    tensor([1., 1.], requires_grad=True)
    """

    __module__ = "torch.autograd.variable"

    def __new__(cls, data=None, requires_grad=False, volatile=None):
        if volatile:
            warn("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")
        if data is None:
            import tensh

            data = tensh.empty(0)
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {name_type(data)}")
        return data.detach().requires_grad_(requires_grad)
