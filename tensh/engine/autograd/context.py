"""The node of a custom function, and the ``ctx`` of its forward and backward."""

import numpy as np

from tensh.engine.core.clock import is_written_after, tick
from tensh.engine.core.nodes import Node, Output, unpacked_values
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.core.views import refresh_node
from tensh.engine.dispatch.override.state import is_wrapper
from tensh.engine.errors.messages import expandable, invalid_gradient, second_time
from tensh.engine.errors.warnings import warn


class FunctionCtx:
    """The ``ctx`` of a Function: saves tensors in ``forward`` and passes them to ``backward``.

    Values other than tensors are saved as attributes.

    >>> import tensh as torch
    >>> class Scale(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x, factor):
    ...         ctx.factor = factor
    ...         return x * factor
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         return g * ctx.factor, None
    >>> x = torch.tensor(1.0, requires_grad=True)
    >>> Scale.apply(x, 3.0).backward()
    >>> x.grad
    tensor(3.)
    """

    __slots__ = ()
    __module__ = "torch.autograd.function"

    def save_for_backward(self, *tensors):
        """Keep tensors for ``backward``; there they are ``ctx.saved_tensors``.  Call it once, in ``forward``."""
        self.to_save = tensors

    def save_for_forward(self, *tensors):
        """Keep tensors for ``jvp``."""
        for t in tensors:
            if not isinstance(t, Tensor) and t is not None:
                raise AssertionError(
                    "save_for_forward expects all arguments to be tensors; you should save non-tensors as attributes on ctx."
                )
        self.saved_for_forward = tensors

    def mark_dirty(self, *tensors):
        """Mark the inputs that ``forward`` changed in place; they must be among its outputs."""
        self.dirty_tensors = tensors

    def mark_non_differentiable(self, *tensors):
        """Mark the outputs without a gradient."""
        self.non_differentiable = tensors

    def set_materialize_grads(self, value):
        """Set whether ``backward`` receives zeros (True, the default) or None for an output without a gradient."""
        if not isinstance(value, bool):
            raise TypeError(
                "set_materialize_grads received an invalid combination of arguments - got (), but expected (bool)"
            )
        self.materialize_grads = value

    def mark_shared_storage(self, *pairs):
        warn(
            "mark_shared_storage is deprecated. Tensors with shared storages are automatically tracked. Note that calls to "
            "`set_()` are not tracked",
            FutureWarning,
        )


class BackwardCFunction(Node, FunctionCtx):
    """The node of a custom function.  ``places`` has the argument index of each entry of ``inputs``.

    >>> import tensh as torch
    >>> class Copy(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return x.clone()
    >>> y = Copy.apply(torch.ones(1, requires_grad=True))
    >>> isinstance(y.grad_fn, torch.autograd.function.BackwardCFunction)
    True
    """

    __slots__ = ("__dict__",)
    __module__ = "torch.autograd.function"
    function: type
    keeps_arrays = True

    def __init__(self):
        self.inputs = self.saved = self.to_save = self.dirty_tensors = self.non_differentiable = ()
        self.hooks, self.time, self.shape, self.dtype = None, tick(), (), None
        self.materialize_grads, self.forwards, self.saved_for_forward = True, False, ()
        self.own = {}

    def __getattr__(self, name):
        own = self.__dict__.get("own", {})
        if name in own:
            return own[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @property
    def saved_tensors(self):
        """The tensors given to ``save_for_backward``; in ``jvp``, those given to ``save_for_forward``."""
        if self.forwards:
            return self.saved_for_forward
        if self.saved is None:
            raise RuntimeError(second_time)
        self.check()
        return tuple(self._call_again(value) for value in self.saved)

    def _call_again(self, value):
        if not isinstance(value, SavedOutput):
            return value
        return wrap(value.array, None if value.index is None else self._output(value.index))

    def _output(self, index):
        return Output(self, index, self.shape[index]) if self.op.many else self

    def check(self):
        for value in unpacked_values(self.saved):
            known = isinstance(value, (Tensor, SavedOutput)) and not is_wrapper(value)
            if known and is_written_after(self.time, value.array):
                own = isinstance(value, SavedOutput)
                node = self if own else refresh_node(value)
                raise RuntimeError(self._modified_by(node, value.array))

    def _modified_by(self, node, array):
        self_inputs, self.inputs = self.inputs, (node,)
        try:
            return self._modified_error(0, array)
        finally:
            self.inputs = self_inputs

    def release(self):
        if self.saved:
            self.saved = None

    def backward(self, g):
        gs = self._call(g, False)
        return [gi if gi is None else gi.array for gi in gs]

    def backward_graph(self, g):
        return self._call(g, True)

    def _call(self, g, graph):
        """Run the user's backward; one gradient for each tensor argument."""
        incoming = self._take_gradient(g)
        backward = self.function.derivative()
        returned = backward(Ctx(self), *incoming)
        returned = tuple(returned) if isinstance(returned, (tuple, list)) else (returned,)
        expected = len(self.needs_input_grad)
        if len(returned) < expected or any(extra is not None for extra in returned[expected:]):
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected {expected}, got {len(returned)})"
            )
        for number, gi in enumerate(returned[:expected]):
            if gi is not None and number not in self.places:
                raise RuntimeError(
                    f"function {self.name()} returned a gradient different than None at position {number + 1}, but the "
                    "corresponding forward input was not a Variable"
                )
        return [self._check_gradient(i, n, returned[p]) for i, (n, p) in enumerate(zip(self.inputs, self.places))]

    def _take_gradient(self, g):
        gs = [g] if not self.op.many else [g.get(i) for i in range(len(self.shape))]
        zeros = lambda facts: wrap(np.zeros(*facts))  # noqa: E731
        return [
            (zeros(facts) if self.materialize_grads and facts else None)
            if gi is None
            else gi
            if isinstance(gi, Tensor)
            else wrap(gi)
            for gi, facts in zip(gs, self.shape if self.op.many else [None])
        ]

    def _check_gradient(self, index, n, g):
        if g is None or n is None:
            return None
        if not isinstance(g, Tensor):
            raise RuntimeError(f"expected Variable or None (got {type(g).__name__})")
        if not expandable(n.shape, g.array.shape):
            raise invalid_gradient(self.name(), index, g.array.shape, n.shape)
        return g

    def __repr__(self):
        return f"<torch.autograd.function.{type(self).__name__} object at {id(self):#x}>"


class SavedOutput:
    """A saved output: its array and index, not the tensor, which would keep its own node alive."""

    __slots__ = ("array", "index")

    def __init__(self, array, index):
        self.array, self.index = array, index


class Many:
    """The ``op`` of a custom function's node, which records whether there are several outputs.

    It declares no derivative, because that is the user's code.
    """

    pointwise, derivatives, let = False, {}, {}

    def __init__(self, many):
        self.many = many


class Ctx(FunctionCtx):
    """The ``ctx`` of one call: the user's attributes, with any name, and the node's methods.

    The attributes are stored in the node, which has no reference back, so that an unused graph is freed immediately.
    """

    __slots__ = ("_node", "__dict__")

    def __init__(self, node):
        self._node, self.__dict__ = node, node.own

    saved_tensors = property(lambda self: self._node.saved_tensors, doc=BackwardCFunction.saved_tensors.__doc__)

    def __getattr__(self, name):
        return getattr(self._node, name)

    def __repr__(self):
        return repr(self._node)


SETTINGS = {
    "to_save": "save_for_backward",
    "saved_for_forward": "save_for_forward",
    "dirty_tensors": "mark_dirty",
    "non_differentiable": "mark_non_differentiable",
    "materialize_grads": "set_materialize_grads",
}
"""Attributes of a node -> the methods that set them; programs may set them, too."""


def _make_setting(name, method):
    def get(self):
        return getattr(self._node, name)

    def set(self, value):
        setattr(self._node, name, value)

    return property(get, set, doc=f"What ``{method}`` sets.")


for _each in SETTINGS.items():
    setattr(Ctx, _each[0], _make_setting(*_each))
