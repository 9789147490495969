"""torch.nn.Parameter: a tensor that a module counts among its parameters."""

from tensh.engine.absent import lacking
from tensh.engine.graph import AccumulateGrad, edge
from tensh.engine.tensor import Tensor, wrap

__all__ = ["Parameter"]


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
        source = wrap(_empty()) if data is None else data
        self = object.__new__(cls)
        self.array, self.node, self._base, self._grad = source.array, None, None, None
        if requires_grad:
            self.requires_grad = True
        return self

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = type(self)(wrap(self.array.copy()), edge(self) is not None)
        return memo[id(self)]

    def __reduce_ex__(self, protocol):
        return _rebuild, (self.data, type(self.node) is AccumulateGrad)


def _empty():
    import numpy as np

    return np.empty(0, np.float32)


def _rebuild(data, requires_grad):
    return Parameter(data, requires_grad)


__getattr__ = lacking("torch.nn.parameter")
