"""torch.nn.Parameter and Buffer: tensors that a module counts among its own."""

from tensh.engine.absent import lacking
from tensh.engine.graph import AccumulateGrad, edge
from tensh.engine.tensor import Tensor, wrap

__all__ = ["Buffer", "Parameter", "is_parameter"]


class Parameter(Tensor):
    """A leaf tensor that requires grad and prints as a parameter.

    Operations on it return plain tensors; it shares memory with ``data``.

    >>> import tensh as torch
    >>> torch.nn.Parameter(torch.ones(2))
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """

    __slots__ = ()
    __module__ = "torch.nn.parameter"
    _heading = "Parameter containing:\n"  # the line above its printed form

    def __new__(cls, data=None, requires_grad=True):
        source = wrap(_empty()) if data is None else data.detach()
        self = object.__new__(cls)
        self.array, self.node, self._base, self._grad = source.array, None, None, None
        if requires_grad:
            if self.array.dtype.kind in "biu":
                raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
            self.requires_grad = True
        return self

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = type(self)(wrap(self.array.copy()), edge(self) is not None)
        return memo[id(self)]

    def __reduce_ex__(self, protocol):
        return _rebuild, (self.data, type(self.node) is AccumulateGrad)


class OfBuffers(type):
    """The type of Buffer: a buffer is a plain tensor that says so."""

    def __instancecheck__(cls, instance):
        return cls is Buffer and isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(Tensor, metaclass=OfBuffers):
    """A tensor that a module keeps as part of its state when it is assigned to it: a plain tensor that says so.

    >>> import tensh as torch
    >>> module = torch.nn.Module()
    >>> module.count = torch.nn.Buffer(torch.zeros(()))
    >>> list(module.state_dict())
    ['count']
    """

    __slots__ = ()
    __module__ = "torch.nn.parameter"

    def __new__(cls, data=None, *, persistent=True):
        source = wrap(_empty()) if data is None else data
        buffer = source.detach().requires_grad_(source.requires_grad)
        buffer.persistent, buffer._is_buffer = persistent, True
        return buffer


def is_parameter(value):
    """Is ``value`` a parameter, initialized or not?"""
    return isinstance(value, Parameter)


def _empty():
    import numpy as np

    return np.empty(0, np.float32)


def _rebuild(data, requires_grad):
    return Parameter(data, requires_grad)


__getattr__ = lacking("torch.nn.parameter")
