"""Gradients that fail, or end: nodes that raise when a gradient arrives, and a node that passes none on."""

import functools

from tensh.engine.core.clock import mode, tick
from tensh.engine.core.nodes import AccumulateGrad, Node, Output
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.core.views import refresh_node
from tensh.support.naming import OfTorch

TWICE = "trying to differentiate twice a function that was marked with @once_differentiable"


class Error(Node):
    """A node that raises RuntimeError when a gradient arrives."""

    __slots__ = ("message",)

    def __init__(self, inputs, message):
        self.inputs, self.message, self.saved, self.hooks = inputs, message, (), None
        self.time, self.shape, self.dtype = tick(), (), None

    def backward(self, g):
        raise RuntimeError(self.message)

    backward_graph = backward

    def name(self):
        return "torch::autograd::Error"


class UndefinedGradBackward(Node):
    """A node that passes no gradient on, not even zeros."""

    __slots__ = ()

    def __init__(self, inputs, array):
        self.inputs, self.saved, self.hooks = inputs, (), None
        self.time, self.shape, self.dtype = tick(), array.shape, array.dtype

    def backward(self, g):
        return (None,)

    backward_graph = backward

    def name(self):
        return "torch::autograd::UndefinedGradBackward"


def refuse_gradients(tensors, inputs, message):
    """Return the tensors as outputs of one node that raises ``message``; values of other types stay as they are."""
    node = Error(inputs, message)
    facts = [(t.array.shape, t.array.dtype) if isinstance(t, Tensor) else None for t in tensors]
    if len(tensors) > 1:
        node.shape = facts
        nodes = [fact and Output(node, number, fact) for number, fact in enumerate(facts)]
    else:
        node.shape, node.dtype = facts[0] or ((), None)
        nodes = [node]
    return tuple([wrap(t.array, n) if isinstance(t, Tensor) else t for t, n in zip(tensors, nodes, strict=True)])


def once_differentiable(fn):
    """Mark a ``backward`` that cannot be differentiated: a second derivative raises RuntimeError instead of being wrong.

    >>> import tensh as torch
    >>> class Square(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...     @staticmethod
    ...     @torch.autograd.function.once_differentiable
    ...     def backward(ctx, g):
    ...         return 2 * g * ctx.saved_tensors[0]
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> Square.apply(x).backward()
    >>> x.grad
    tensor(6.)
    """

    @functools.wraps(fn)
    def wrapper(ctx, *args):
        before, mode.grad = mode.grad, False
        try:
            outputs = fn(ctx, *args)
        finally:
            mode.grad = before
        if not mode.grad or not any(isinstance(a, Tensor) and refresh_node(a) is not None for a in args):
            return outputs
        several = isinstance(outputs, tuple)
        outputs = outputs if several else (outputs,)
        leaves = tuple([AccumulateGrad(o) if isinstance(o, Tensor) else None for o in outputs])
        refused = refuse_gradients(outputs, leaves, TWICE)
        return refused if several else refused[0]

    return wrapper


class DelayedError(metaclass=OfTorch):
    """A function of ``number`` tensors that returns them as they are, and whose backward pass raises ``message``."""

    __module__ = "torch._C._functions"

    def __init__(self, *given):
        if len(given) != 2:
            raise RuntimeError(f"Requires two arguments, got {len(given)}")
        self.message, self.number = given

    def __call__(self, *tensors):
        require_tensors(tensors, self.number)
        nodes = tuple(map(refresh_node, tensors))
        if mode.grad and any(node is not None for node in nodes):
            tensors = refuse_gradients(tensors, nodes, self.message)
        else:
            tensors = tuple([wrap(t.array) for t in tensors])
        return tensors if len(tensors) > 1 else tensors[0]


class UndefinedGrad(metaclass=OfTorch):
    """A function that returns a tensor as it is, and whose backward pass passes no gradient on."""

    __module__ = "torch._C._functions"

    def __call__(self, *tensors):
        require_tensors(tensors, 1)
        node = refresh_node(tensors[0])
        if not mode.grad or node is None:
            return wrap(tensors[0].array)
        return wrap(tensors[0].array, UndefinedGradBackward((node,), tensors[0].array))


def require_tensors(given, number):
    if len(given) != number:
        raise TypeError(f"expected {number} arguments, got {len(given)} instead")
    for place, each in enumerate(given):
        if not isinstance(each, Tensor):
            raise TypeError(f"argument {place} is not a Variable")
