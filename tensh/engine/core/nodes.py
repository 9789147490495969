"""The recorded graph: nodes, the leaf that accumulates, and views that derive their node again when memory changes."""

import weakref

from numpy import ndarray

from tensh.engine.core.clock import mode, tick, version, version_at, written_after, written_by
from tensh.engine.core.hooks import hooks_of
from tensh.engine.core.tensor import wrap
from tensh.engine.dtypes.dtype import BY_NUMPY

FOREIGN = "foreign"
QUALIFIED = frozenset({"AccumulateGrad", "CopySlices", "CopyBackwards", "NotImplemented"})
"""Nodes whose names PyTorch says in full."""


class Node:
    """One recorded operation: where its gradients go and what its derivative reads.

    ``inputs`` are the nodes of the differentiable inputs (None where no gradient is wanted); ``saved`` are raw arrays
    and plain values; ``shape`` and ``dtype`` are those of the output, to which incoming gradients are fitted.
    ``roles`` says for every saved value which input it is, -1 - i for output i, FOREIGN for an array that no gradient
    goes to, None for what is no array.
    """

    __slots__ = ("inputs", "saved", "time", "shape", "dtype", "hooks", "__weakref__")
    roles: tuple = ()
    keeps_arrays = False  # is any saved value an array, to be given back after use?
    constant_edges = (0, 0)  # inputs before and after these that PyTorch's node has: constants here
    op = None

    def backward(self, g):
        """The gradients of the inputs for the gradient ``g`` of the output, all raw arrays."""
        raise NotImplementedError

    def backward_graph(self, g):
        """The same on tensors: what it computes is recorded."""
        raise NotImplementedError

    def release(self):
        """Give back the saved arrays; a node that saved none can be used again, as in PyTorch."""
        self.saved = None

    def check(self):
        """Raise if a saved array was written after it was saved; values that hooks have packed are not checked."""
        for role, value in zip(self.roles, plain(self.saved)):
            if role is not None:
                for array in value if type(value) is tuple else (value,):
                    if type(array) is ndarray and written_after(self.time, array):
                        raise RuntimeError(self._modified(role, array))

    def _modified(self, role, value):
        node = None if role == FOREIGN else self if role < 0 else self.inputs[role]
        leaf = node is None or type(node) is AccumulateGrad
        operation = self.operation() if node is self else written_by(value) or (None if leaf else node.operation())
        origin = "" if operation is None else f", which is output 0 of {operation},"
        return (
            "one of the variables needed for gradient computation has been modified by an inplace operation: "
            f"[{BY_NUMPY[value.dtype].class_of_tensors} {list(value.shape)}]{origin} is at version {version(value)}; "
            f"expected version {version_at(self.time, value)} instead. Hint: "
            + (
                "the backtrace further above shows the operation that failed to compute its gradient. "
                "The variable in question was changed in there or anywhere later. Good luck!"
                if mode.inspect is not None
                else "enable anomaly detection to find the operation that failed to compute its gradient, "
                "with torch.autograd.set_detect_anomaly(True, check_nan=False)."
            )
        )

    def unpack(self):
        """The saved values as tensors on the edges they came from, for a derivative that is recorded."""
        if self.saved is None:
            return None
        return [self._on_edge(role, value) for role, value in zip(self.roles, self.saved)]

    def _on_edge(self, role, value):
        return value if role is None or value is None or type(value) is tuple else wrap(value, self._edge(role))

    def constants(self):
        """The same without edges."""
        return [
            value if role is None or value is None or type(value) is tuple else wrap(value)
            for role, value in zip(self.roles, self.saved)
        ]

    def _edge(self, role):
        """The node that a saved array's gradient goes to."""
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
            if not live(n) or type(n) is NoGradView
            else (n.inputs[0], n.index)
            if type(n) is Output
            else (n, 0)
            for n in self.inputs
        )
        before, after = self.constant_edges
        return ((None, 0),) * before + edges + ((None, 0),) * after

    @property
    def metadata(self):
        """A dictionary of the user's own."""
        return hooks_of(self).metadata

    def name(self):
        """The name of the operation's derivative, such as ``MulBackward0``."""
        name = type(self).__name__
        return f"torch::autograd::{name}" if name in QUALIFIED else name

    def operation(self):
        """The operation whose derivative this is, as error messages call it: ``Mul``."""
        name = self.name()
        return name if "Backwards" in name else name.removesuffix("Backward0").replace("Backward", "")

    def _sequence_nr(self):
        return self.time

    def register_hook(self, hook):
        """Call ``hook(grad_inputs, grad_outputs)`` after this node has run; a returned tuple replaces ``grad_inputs``."""
        return hooks_of(self).add("after", hook)

    def register_prehook(self, hook):
        """Call ``hook(grad_outputs)`` before this node runs; a returned tuple replaces ``grad_outputs``."""
        return hooks_of(self).add("before", hook)

    def __repr__(self):
        return f"<{type(self).__name__} object at {id(self):#x}>"


def plain(saved):
    """The saved values of a node, unless it has none, or hooks have packed them: see autograd/packing.py."""
    return saved if type(saved) is tuple else ()


class AccumulateGrad(Node):
    """A leaf's end of the graph: it keeps the gradient itself, so tensor -> node is no cycle."""

    __slots__ = ("grad", "reference")

    def __init__(self, tensor):
        self.inputs = self.saved = ()
        self.time, self.shape, self.dtype = tick(), tensor.array.shape, tensor.array.dtype
        self.hooks = self.grad = None
        self.reference = weakref.ref(tensor)

    @property
    def variable(self):
        """The leaf tensor itself (None when it is gone)."""
        return self.reference()


class Output(Node):
    """One differentiable output of a node that has several; it hands its gradient on under its number."""

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
    """Stands for a value that has a tangent and needs no gradient: see autograd/tangent_levels.py."""

    __slots__ = ()

    def backward(self, g):
        return (None,)

    backward_graph = backward


def live(node):
    """Does a gradient that is sent to ``node`` arrive anywhere?"""
    return node is not None and type(node.inputs[0] if type(node) is Output else node) is not Dual


def track_temporary(t):
    """While tangents are carried: note that ``t`` may have the node of one, which it must not keep afterwards."""
    if mode.held is not None:
        mode.held[id(t)] = t


class Parts(dict):
    """Gradients of several outputs of one node on their way to it: number -> gradient."""

    shape = dtype = None


class NoGradView(Node):
    """The node of a view made while nothing was recorded: it requires grad with its base, but no gradient passes."""

    __slots__ = ()

    def __init__(self, array):
        self.inputs = self.saved = ()
        self.time, self.shape, self.dtype, self.hooks = tick(), array.shape, array.dtype, None

    def backward(self, g):
        return ()

    backward_graph = backward
