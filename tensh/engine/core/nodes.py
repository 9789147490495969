"""Nodes of the recorded graph: operations, their outputs, and leaves that accumulate gradients."""

import weakref

from numpy import ndarray

from tensh.engine.core import ports
from tensh.engine.core.clock import find_last_write, is_written_after, mode, tick, version, version_at
from tensh.engine.core.hooks import hooks_of
from tensh.engine.core.tensor import wrap
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.errors.views import INDIRECTLY, MULTIPLE, saved_write_error, view_write_error

FOREIGN = "foreign"
QUALIFIED = frozenset({"AccumulateGrad", "CopySlices", "CopyBackwards", "NotImplemented"})
"""Nodes whose names PyTorch gives with their C++ namespace."""


class Node:
    """One recorded operation: the nodes that receive its gradients, and the values that its derivative reads.

    ``inputs`` are the nodes of the differentiable inputs (None where no gradient is wanted); ``saved`` are raw arrays
    and plain values; ``shape`` and ``dtype`` are those of the output, to which incoming gradients are fitted.
    ``roles`` gives for every saved value the number of its input, -1 - i for output i, FOREIGN for an array that no
    gradient goes to, None for a value that is not an array.
    """

    __slots__ = ("inputs", "saved", "time", "shape", "dtype", "hooks", "__weakref__")
    roles: tuple = ()
    keeps_arrays = False  # True if a saved value is an array, which is released after use
    constant_edges = (0, 0)  # number of inputs that only PyTorch's node has, before and after these
    computes_all = False  # True if hooks see the gradients that nobody asked for, too
    op = limit_to = None  # ``limit_to(node, needed, wanted)`` returns a twin that computes fewer gradients

    def backward(self, g):
        """The gradients of the inputs for the gradient ``g`` of the output, all raw arrays."""
        raise NotImplementedError

    def backward_graph(self, g):
        """The gradients of the inputs as recorded tensors, for derivatives of higher order."""
        raise NotImplementedError

    def backward_undefined(self, graph):
        """Return the gradients of the inputs if no output has one: none."""
        return (None,) * len(self.inputs)

    def release(self):
        """Drop the saved arrays; a node that saved none can be used again, as in PyTorch."""
        self.saved = None

    def check(self):
        """Raise if a saved array was written after it was saved; values packed by hooks are not checked."""
        for role, value in zip(self.roles, unpacked_values(self.saved)):
            if role is not None:
                for array in value if type(value) is tuple else (value,):
                    if type(array) is ndarray and is_written_after(self.time, array):
                        raise RuntimeError(self._modified_error(role, array))

    def _modified_error(self, role, value):
        node = None if role == FOREIGN else self if role < 0 else self.inputs[role]
        made = node.inputs[0] if type(node) is Output else node
        view = made is not None and made.op is not None and made.op.view
        if view and made is not node:
            return view_write_error(MULTIPLE, (node.index, node.operation()), INDIRECTLY)
        if node is self or view:  # PyTorch finds views that keep their dtype again, by as_strided
            operation = "AsStrided" if view is True else node.operation()
        else:
            leaf = node is None or type(node) in (AccumulateGrad, Dual)
            operation = find_last_write(value) or (None if leaf else node.operation())
        kind = BY_NUMPY[value.dtype].class_of_tensors
        versions = version(value), version_at(self.time, value)
        return saved_write_error(kind, value.shape, operation, versions, mode.inspect is not None)

    def unpack(self):
        """Return the saved values as tensors attached to their nodes, for a derivative that is recorded."""
        return None if self.saved is None else [*map(self._on_edge, self.roles, self.saved)]

    def _on_edge(self, role, value):
        return value if role is None or value is None or type(value) is tuple else wrap(value, self._edge(role))

    def constants(self):
        """Return the saved values as tensors without nodes."""
        return [
            value if role is None or value is None or type(value) is tuple else wrap(value)
            for role, value in zip(self.roles, self.saved)
        ]

    def _edge(self, role):
        """Return the node that receives the gradient of a saved array."""
        if role == FOREIGN:
            return None
        if role >= 0:
            return self.inputs[role]
        return Output(self, -1 - role, self.shape[-1 - role]) if self.op.many else self

    @property
    def next_functions(self):
        """The nodes that receive this node's gradients, each with the number of the output it stands for."""
        edges = tuple(
            (None, 0)
            if not uses_gradient(n) or type(n) is NoGradView
            else (n.inputs[0], n.index)
            if type(n) is Output
            else (n, 0)
            for n in self.inputs
        )
        before, after = self.constant_edges
        return ((None, 0),) * before + edges + ((None, 0),) * after

    @property
    def metadata(self):
        """A dictionary for the user's data."""
        return hooks_of(self).metadata

    def name(self):
        """Return the name of the operation's derivative, such as ``MulBackward0``."""
        name = type(self).__name__
        return f"torch::autograd::{name}" if name in QUALIFIED else name

    def operation(self):
        """Return the name of the recorded operation in error messages, such as ``Mul``, or ``Sum1`` for SumBackward1."""
        name = self.name()
        operation, _, number = name.rpartition("Backward")
        return name if number == "s" else operation + number.removeprefix("0")

    def __call__(self, *grads):
        """Return the gradients of the inputs for those of the outputs, one of which may be None; they are recorded."""
        return ports.call_node(self, *grads)

    def _sequence_nr(self):
        return self.time

    def register_hook(self, fn):
        """Call ``fn(grad_inputs, grad_outputs)`` after this node has run; a returned tuple replaces ``grad_inputs``."""
        return hooks_of(self).add("after", fn)

    def register_prehook(self, fn):
        """Call ``fn(grad_outputs)`` before this node runs; a returned tuple replaces ``grad_outputs``."""
        return hooks_of(self).add("before", fn)

    def __repr__(self):
        return f"<{type(self).__name__} object at {id(self):#x}>"


def unpacked_values(saved):
    """Return the saved values of a node; none if it is released or hooks packed them: see autograd/packing.py."""
    return saved if type(saved) is tuple else ()


class AccumulateGrad(Node):
    """The node of a leaf: it holds the gradient, the leaf's array and class, and refers to the tensor weakly (no cycle)."""

    __slots__ = ("grad", "reference", "array", "kind")

    def __init__(self, tensor):
        self.array, self.kind, self.reference = tensor.array, type(tensor), weakref.ref(tensor)
        self.inputs = self.saved = ()
        self.time, self.shape, self.dtype = tick(), self.array.shape, self.array.dtype
        self.hooks = self.grad = None

    @property
    def variable(self):
        """The leaf tensor, made again if only the graph has kept it; None if only that object knew its elements."""
        return ports.make_leaf(self) if (tensor := self.reference()) is None else tensor


class Output(Node):
    """One differentiable output of a node with several; passes its gradient on with the number of the output."""

    __slots__ = ("index",)

    def __init__(self, node, index, facts):
        self.inputs, self.saved, self.index, self.hooks = (node,), (), index, None
        self.time = tick()
        self.shape, self.dtype = facts

    def backward(self, g):
        return (Parts({self.index: g}),)

    backward_graph = backward

    def name(self):
        return self.inputs[0].name()

    def __repr__(self):
        return repr(self.inputs[0])


class Dual(Node):
    """Placeholder node of a value that has a tangent and needs no gradient: see autograd/tangent_levels.py."""

    __slots__ = ()

    def backward(self, g):
        return (None,)

    backward_graph = backward


def uses_gradient(node):
    """Return True if a gradient sent to ``node`` is used."""
    return node is not None and type(node.inputs[0] if type(node) is Output else node) is not Dual


def track_temporary(t):
    """Note, while tangents are carried, that ``t`` may have a node that must be dropped afterwards."""
    if mode.held is not None:
        mode.held[id(t)] = t


class Parts(dict):
    """Pending gradients of several outputs of one node: number of the output -> gradient."""

    shape = dtype = None


UNDEFINED = Parts()
"""The gradient of a node that a pass reaches, but with None only: nothing is added to it."""


class NoGradView(Node):
    """The node of a view made under ``no_grad``: the view requires grad if its base does, but no gradient passes."""

    __slots__ = ()

    def __init__(self, array):
        self.inputs = self.saved = ()
        self.time, self.shape, self.dtype, self.hooks = tick(), array.shape, array.dtype, None

    def backward(self, g):
        return ()

    backward_graph = backward
