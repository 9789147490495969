"""autograd.Function: operators with a forward and a backward of the user's own.

The object that ``forward`` and ``backward`` get as ``ctx`` is the recorded node itself, as in PyTorch.
"""

import functools
import inspect
import warnings

import numpy as np
from numpy import ndarray

from tensh.engine.clock import mode, owner, tick, written_after
from tensh.engine.graph import CUSTOM, AccumulateGrad, Node, Output, Parts, edge, second_time, see
from tensh.engine.tensor import Tensor, wrap


class FunctionCtx:
    """What ``forward`` and ``setup_context`` may tell a node, and ``backward`` may ask it."""

    __slots__ = ()
    __module__ = "torch.autograd.function"

    def save_for_backward(self, *tensors):
        """Keep tensors for ``backward``; there they are ``ctx.saved_tensors``.  Call it once, in ``forward``."""
        self.to_save = tensors

    def save_for_forward(self, *tensors):
        """Keep tensors for ``jvp``."""
        for number, t in enumerate(tensors):
            if not isinstance(t, Tensor) and t is not None:
                raise AssertionError(
                    "save_for_forward expects all arguments to be tensors; you should save non-tensors as attributes on ctx."
                )
        self.saved_for_forward = tensors

    def mark_dirty(self, *tensors):
        """Say which inputs ``forward`` changed in place; they must be among its outputs."""
        self.dirty_tensors = tensors

    def mark_non_differentiable(self, *tensors):
        """Say which outputs have no gradient."""
        self.non_differentiable = tensors

    def set_materialize_grads(self, value):
        """Whether ``backward`` gets zeros (True, the default) or None for an output without a gradient."""
        self.materialize_grads = value

    def mark_shared_storage(self, *pairs):
        warnings.warn(
            "mark_shared_storage is deprecated. Tensors with shared storages are automatically tracked. Note that calls to "
            "`set_()` are not tracked",
            FutureWarning,
            stacklevel=2,
        )


class BackwardCFunction(Node, FunctionCtx):
    """The node of a custom function.  ``places`` says which argument each entry of ``inputs`` was."""

    __slots__ = ("__dict__",)
    __module__ = "torch.autograd.function"
    function: type
    keeps_arrays = True

    def __init__(self):
        self.inputs = self.saved = self.to_save = self.dirty_tensors = self.non_differentiable = ()
        self.hooks, self.time, self.shape, self.dtype = None, tick(), (), None
        self.materialize_grads = True

    @property
    def saved_tensors(self):
        """The tensors given to ``save_for_backward``, as they were."""
        if self.saved is None:
            raise RuntimeError(second_time)
        self.check()
        return tuple(self._again(value) for value in self.saved)

    def _again(self, value):
        if not isinstance(value, SavedOutput):
            return value
        return wrap(value.array, None if value.index is None else self._output(value.index))

    def _output(self, index):
        return Output(self, index, self.shape[index]) if self.op.many else self

    def check(self):
        for value in self.saved or ():
            if isinstance(value, (Tensor, SavedOutput)) and written_after(self.time, value.array):
                own = isinstance(value, SavedOutput)
                node = self if own else edge(value)
                raise RuntimeError(self._modified_by(node, value.array))

    def _modified_by(self, node, array):
        self_inputs, self.inputs = self.inputs, (node,)
        try:
            return self._modified(0, array)
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
        incoming = self._incoming(g)
        user = self.function
        if user.backward is Function.backward and user.vjp is Function.vjp:
            raise NotImplementedError(
                "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
                "backward mode AD."
            )
        if user.backward is not Function.backward and user.vjp is not Function.vjp:
            raise RuntimeError(
                'Implementing both "backward" and "vjp" for a custom Function is not allowed. You should only implement one '
                "of them."
            )
        backward = user.vjp if user.backward is Function.backward else user.backward
        returned = backward(self, *incoming)
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
        return [self._checked(i, n, returned[p]) for i, (n, p) in enumerate(zip(self.inputs, self.places))]

    def _incoming(self, g):
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

    def _checked(self, index, n, g):
        if g is None or n is None:
            return None
        if not isinstance(g, Tensor):
            raise RuntimeError(f"expected Variable or None (got {type(g).__name__})")
        shape = g.array.shape
        if shape != n.shape:
            back = zip(reversed(n.shape), reversed(shape))
            if len(shape) < len(n.shape) or any(a != b and a != 1 for a, b in back):
                raise RuntimeError(
                    f"Function {self.name()} returned an invalid gradient at index {index} - got {list(shape)} but expected "
                    f"shape compatible with {list(n.shape)}"
                )
        return g

    def __getattr__(self, name):
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __repr__(self):
        return f"<torch.autograd.function.{type(self).__name__} object at {id(self):#x}>"


class SavedOutput:
    """A saved output: its array and number, not the tensor, which would keep its own node alive."""

    __slots__ = ("array", "index")

    def __init__(self, array, index):
        self.array, self.index = array, index


class Many:
    """Stands where declared operators have their ``op``: does the node have several outputs?"""

    def __init__(self, many):
        self.many = many


class Function:
    """A differentiable function written by the user: subclass it, and call ``apply``.

    ``forward(ctx, *args)`` computes; ``backward(ctx, *grads)`` returns a gradient (or None) for every argument.  With a
    ``setup_context(ctx, inputs, output)``, forward has no ``ctx``.

    >>> import tensh as torch
    >>> class Exp(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, i):
    ...         result = i.exp()
    ...         ctx.save_for_backward(result)
    ...         return result
    ...     @staticmethod
    ...     def backward(ctx, grad_output):
    ...         (result,) = ctx.saved_tensors
    ...         return grad_output * result
    >>> x = torch.tensor([1.0], requires_grad=True)
    >>> Exp.apply(x)
    tensor([2.7183], grad_fn=<ExpBackward>)
    """

    __module__ = "torch.autograd.function"
    generate_vmap_rule = False

    def __init__(self, *args, **options):
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should invoke "
            "them on the class itself. Instantiating an autograd function will raise an error in a future version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args, **options):
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function "
            "with static forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args, **options):
        """Compute the result; the first argument is ``ctx`` unless the class has a ``setup_context``."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Tell ``ctx`` what ``backward`` will need."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx, *grad_outputs):
        """The gradients of the arguments."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with backward "
            "mode AD."
        )

    vjp = staticmethod(lambda ctx, *grad_outputs: Function.backward(ctx, *grad_outputs))

    @staticmethod
    def jvp(ctx, *grad_inputs):
        """The forward derivative."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @classmethod
    def _node(cls):
        if "_node_class" not in cls.__dict__:
            cls._node_class = type(f"{cls.__name__}Backward", (BackwardCFunction,), {"function": cls})
        return cls._node_class()

    @classmethod
    def apply(cls, *args, **options):
        """Call the function; what it computes is recorded as one node."""
        if options:
            bound = inspect.signature(cls.forward).bind(*(args if cls._separate() else (None, *args)), **options)
            bound.apply_defaults()
            args = bound.args if cls._separate() else bound.args[1:]
        node = cls._node()
        node.places = tuple(i for i, a in enumerate(args) if isinstance(a, Tensor))
        edges = tuple(edge(args[i]) for i in node.places)
        node.needs_input_grad = tuple(isinstance(a, Tensor) and edge(a) is not None for a in args)
        recording = mode.grad and any(n is not None for n in edges)
        before, mode.grad = mode.grad, False
        try:
            if cls._separate():
                result = cls.forward(*args)
                cls.setup_context(node, args, result)
            else:
                result = cls.forward(node, *args)
        finally:
            mode.grad = before
        return _recorded(cls, node, args, edges if recording else None, result)

    @classmethod
    def _separate(cls):
        return cls.setup_context is not Function.setup_context


def _recorded(cls, node, args, edges, result):
    """The outputs of a custom function, connected to its node (unless ``edges`` is None: nothing is recorded)."""
    single = not isinstance(result, tuple)
    outputs = (result,) if single else result
    inputs = [a for a in args if isinstance(a, Tensor)]
    dirty = {id(t) for t in node.dirty_tensors}
    outputs = tuple(_own(cls, o, inputs, dirty, edges is not None) for o in outputs)
    if edges is not None:
        returned = (result,) if single else result
        _connect(node, outputs, returned, edges)
        _keep(node, outputs, returned)
    return outputs[0] if single else outputs


def _own(cls, o, inputs, dirty, recording):
    """The output as a tensor of its own: an input that is returned as it is becomes a locked view of itself."""
    if not isinstance(o, Tensor):
        return o
    if id(o) in dirty:
        if recording and type(o.node) is AccumulateGrad:
            raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
        return o
    source = next((i for i in inputs if i is o or owner(i.array) is owner(o.array)), None)
    if source is None:
        return o
    shown = wrap(o.array.view())
    return see(source, shown, CUSTOM)


def _connect(node, outputs, returned, edges):
    off = {id(t) for t in node.non_differentiable}
    tensors = [o for o in outputs]
    differentiable = [
        i
        for i, o in enumerate(tensors)
        if isinstance(o, Tensor) and o.array.dtype.kind in "fcV" and id(returned[i]) not in off
    ]
    node.inputs, node.time = edges, tick()
    node.op = Many(len(outputs) > 1)
    if node.op.many:
        node.shape = [(o.array.shape, o.array.dtype) if isinstance(o, Tensor) else None for o in outputs]
        for i in differentiable:
            outputs[i].node = Output(node, i, node.shape[i])
    elif differentiable:
        node.shape, node.dtype = outputs[0].array.shape, outputs[0].array.dtype
        outputs[0].node = node
    for o in outputs:
        if isinstance(o, Tensor) and o._view is not None:
            o._view.time = node.time


def _keep(node, outputs, returned):
    """Turn what was given to ``save_for_backward`` into what the node keeps."""
    for number, t in enumerate(node.to_save):
        if not isinstance(t, Tensor) and t is not None:
            raise TypeError(
                f"save_for_backward can only save variables, but argument {number} is of type {type(t).__name__}"
            )
    places = {id(r): i for i, r in enumerate(returned)} | {id(o): i for i, o in enumerate(outputs)}
    inputs = {id(n): n for n in node.inputs}
    node.saved = tuple(
        SavedOutput(t.array, places[id(t)] if outputs[places[id(t)]].node is not None else None)
        if id(t) in places and id(t) not in inputs
        else t
        for t in node.to_save
    )
    node.to_save = ()


def once_differentiable(fn):
    """Mark a ``backward`` that cannot be differentiated itself: a second derivative raises instead of being wrong."""

    @functools.wraps(fn)
    def wrapper(ctx, *args):
        before, mode.grad = mode.grad, False
        try:
            outputs = fn(ctx, *args)
        finally:
            mode.grad = before
        if not mode.grad or not any(isinstance(a, Tensor) and edge(a) is not None for a in args):
            return outputs
        several = isinstance(outputs, tuple)
        refused = [_refusing(o) for o in (outputs if several else (outputs,))]
        return tuple(refused) if several else refused[0]

    return wrapper


class NotDifferentiable(Node):
    """The node of a gradient that a ``once_differentiable`` backward computed."""

    __slots__ = ()

    def backward(self, g):
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")

    backward_graph = backward

    def name(self):
        return "torch::autograd::Error"


def _refusing(t):
    if not isinstance(t, Tensor):
        return t
    node = NotDifferentiable()
    node.inputs, node.saved, node.hooks = (), (), None
    node.time, node.shape, node.dtype = tick(), t.array.shape, t.array.dtype
    return wrap(t.array, node)


class InplaceFunction(Function):
    """A custom function whose first argument may be changed in place (kept for old programs)."""

    __module__ = "torch.autograd.function"

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace
