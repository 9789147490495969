"""The node of a custom function, and the ``ctx`` of its forward and backward."""

import numpy as np

from tensh.engine.autograd.packing import SavedTensor
from tensh.engine.core.clock import is_written_after, tick
from tensh.engine.core.nodes import UNDEFINED, Node, Output, Parts, unpacked_values
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

    __slots__ = (
        "op",
        "places",
        "edges",
        "facts",
        "needs_input_grad",
        "forwards",
        "to_save",
        "saved_for_forward",
        "dirty_tensors",
        "non_differentiable",
        "materialize_grads",
        "own",
    )
    __module__ = "torch.autograd.function"
    function: type
    context: type
    keeps_arrays = computes_all = True

    def __init__(self):
        self.inputs, self.saved, self.hooks, self.time, self.shape, self.dtype = (), (), None, tick(), (), None
        self.op = self.to_save = self.saved_for_forward = self.dirty_tensors = self.non_differentiable = None
        self.materialize_grads, self.forwards, self.own, self.needs_input_grad = True, False, {}, ()

    def __getattr__(self, name):
        try:
            return self.own[name]
        except KeyError:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'") from None

    def __reduce_ex__(self, protocol):
        raise TypeError(f"cannot pickle '{type(self).__name__}' object")

    def apply(self, *grads):
        """Call the function's ``backward``."""
        return self.function.derivative()(self.context(self), *grads)

    def apply_jvp(self, *tangents):
        """Call the function's ``jvp``."""
        return self.function.jvp(self.context(self), *tangents)

    requires_grad = True
    _forward_cls = property(lambda self: self.function)

    @property
    def saved_tensors(self):
        """The tensors given to ``save_for_backward``; in ``jvp``, those given to ``save_for_forward``."""
        if self.forwards:
            return self.saved_for_forward or ()
        if self.saved is NOTHING:
            raise RuntimeError(second_time)
        self._check_saved()
        return tuple(self._call_again(value) for value in self.saved)

    @property
    def _raw_saved_tensors(self):
        """The saved values as objects on which hooks can be registered."""
        if self.saved is NOTHING:
            raise RuntimeError(second_time)
        return tuple([SavedTensor(self, place) for place in range(len(self.saved))])

    @property
    def saved_variables(self):
        """An older name of ``saved_tensors``."""
        warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning)
        return self.saved_tensors

    def _call_again(self, value):
        if not isinstance(value, SavedOutput):
            return value
        return wrap(value.array, None if value.index is None else self._output(value.index))

    def _output(self, index):
        return Output(self, index, self.shape[index]) if self.op.many else self

    def __call__(self, *grads):
        raise TypeError(f"'{type(self).__name__}' object is not callable")

    def check(self):
        """Do nothing: the function's own code asks for what it saved, or does without."""

    def _check_saved(self):
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
        self.saved = NOTHING

    def backward(self, g):
        return [gi if gi is None else lend_array(gi.array) for gi in self._call(g, False)]

    def backward_graph(self, g):
        return self._call(g, True)

    def backward_undefined(self, graph):
        return self.backward_graph(UNDEFINED) if graph else self.backward(UNDEFINED)

    def _call(self, g, graph):
        """Run the user's backward; one gradient for each tensor argument."""
        incoming = self._take_gradient(g)
        backward = self.function.derivative()
        returned = backward(self.context(self), *incoming)
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
        outputs = self.shape if self.op.many else [(self.shape, self.dtype)]
        gs = (g,) if type(g) is not Parts else map(g.get, range(len(outputs)))
        return [
            wrap(np.zeros(*facts))
            if gi is None and self.materialize_grads and facts
            else gi
            if gi is None or isinstance(gi, Tensor)
            else wrap(gi)
            for gi, facts in zip(gs, outputs)
        ]

    def _check_gradient(self, index, n, g):
        if g is None:
            return None
        if not isinstance(g, Tensor):
            raise RuntimeError(f"expected Variable or None (got {type(g).__name__})")
        if n is not None and not expandable(n.shape, g.array.shape):
            raise invalid_gradient(self.name(), index, g.array.shape, n.shape)
        return g

    def __repr__(self):
        return f"<torch.autograd.function.{type(self).__name__} object at {id(self):#x}>"


def lend_array(array):
    """The array of a gradient that user code may have kept or returned twice, so that no ``.grad`` becomes its owner."""
    return array.view() if type(array) is np.ndarray else array.copy()


NOTHING = []
"""The saved values of a node that has been used: it can be used again, but not be asked for what it saved."""


class SavedOutput:
    """A saved output: its array and index, not the tensor, which would keep its own node alive."""

    __slots__ = ("array", "index")

    def __init__(self, array, index):
        self.array, self.index = array, index


class Many:
    """The ``op`` of a custom function's node, which records whether there are several outputs.

    It declares no derivative, because that is the user's code.
    """

    pointwise, view, derivatives, let = False, None, {}, {}

    def __init__(self, many):
        self.many = many


class Ctx(FunctionCtx):
    """The ``ctx`` of one call, which passes for the node: the user's attributes, with any name, and the node's public ones.

    The attributes are stored in the node, which has no reference back, so that an unused graph is freed immediately.
    """

    __slots__ = ("_node",)

    def __init__(self, node):
        self._node, self.__dict__ = node, node.own

    __class__ = property(lambda self: type(self._node))

    def __getattr__(self, name):
        node = self._node
        if name in SHOWN or name in node.__dict__:
            return getattr(node, name)
        if name == "materialize_grads":
            _refuse(name, "readable")()
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __eq__(self, other):
        return self._node is (other._node if isinstance(other, Ctx) else other)

    def __hash__(self):
        return hash(self._node)

    def __reduce_ex__(self, protocol):
        return self._node.__reduce_ex__(protocol)

    def __repr__(self):
        return repr(self._node)


SHOWN = frozenset(
    "name needs_input_grad register_hook register_prehook apply apply_jvp _sequence_nr _forward_cls".split()
)
"""Attributes of a node that its ``ctx`` shows, unless the user has set them."""

READ_ONLY = "saved_tensors saved_variables next_functions metadata requires_grad".split()

SETTINGS = {
    "to_save": "save_for_backward",
    "saved_for_forward": "save_for_forward",
    "dirty_tensors": "mark_dirty",
    "non_differentiable": "mark_non_differentiable",
}
"""Attributes of a node -> the methods that set them; programs may set them, too."""


def _refuse(name, verb):
    """Return a getter or setter that raises PyTorch's error."""

    def refuse(*_):
        raise AttributeError(f"attribute '{name}' of 'torch._C._FunctionBase' objects is not {verb}")

    return refuse


def _make_getter(name):
    return lambda self: getattr(self._node, name)


def _make_setter(name):
    return lambda self, value: setattr(self._node, name, value)


for _name in READ_ONLY:
    setattr(Ctx, _name, property(_make_getter(_name), _refuse(_name, "writable")))
for _name, _method in SETTINGS.items():
    setattr(Ctx, _name, property(_make_getter(_name), _make_setter(_name), doc=f"What ``{_method}`` sets."))
Ctx.materialize_grads = property(None, _make_setter("materialize_grads"), doc="What ``set_materialize_grads`` sets.")


def make_node_class(function, name):
    """Return the class of the nodes of a function, and that of their ``ctx``, which has its name."""
    named = {"__module__": "torch.autograd.function"}
    context = type(name, (Ctx,), named | {"__slots__": ()})
    return type(name, (BackwardCFunction,), named | {"function": function, "context": context})
