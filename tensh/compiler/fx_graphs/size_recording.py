"""Dynamic sizes of a graph for a back end: which sizes vary between calls, and what is computed of them.

Note [Dynamic sizes]
A call with other sizes is recorded again, as every call for which no graph fits. What differs is the back end: where the
record is, node by node, that of an earlier call, its function is called again with the new sizes. So a graph with sizes
that vary never has to be trusted: a comparison of sizes by Python, or by an operator, that turns out differently makes
another graph.
"""

import builtins
import contextlib
import math
import operator
import sys

from tensh.compiler.configuration.settings import read_setting
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.size import Size
from tensh.engine.dtypes.symbols import sym_sqrt
from tensh.engine.errors.warnings import is_tensh_file
from tensh.fx.patching import Patcher
from tensh.nn.parameter import Parameter
from tensh.tracing.recording.numbers import watch_choices
from tensh.tracing.sizes.numbers import TracedFloat, TracedInt

SIZES = frozenset("shape size numel nelement".split())
"""Functions that return sizes of a tensor."""
LEAST = 2
"""The smallest size that is dynamic: graphs for 0 and 1 are others, since operators broadcast and skip."""


class Symbol(TracedInt):
    """A dynamic size as an input of a graph, printed as its symbol.

    ``places`` are its (index of an input, dimension), ``owners`` the tensors that have the size.
    """

    def __new__(cls, value, node, places, owners):
        made = TracedInt.__new__(cls, value, node)
        made.places, made.owners = places, owners
        return made

    def __repr__(self):
        return str(self.node.target)

    __str__ = __repr__


Symbol.__name__ = "SymInt"  # the type that back ends print


class SizePolicy:
    """Tells which sizes and numbers of a function's calls are dynamic.

    All are with ``dynamic=True``; otherwise those that differed between calls, or whose tensor is marked.
    """

    def __init__(self, dynamic):
        self.dynamic, self.known, self.varying = dynamic, {}, set()
        if dynamic is None and not read_setting("assume_static_by_default"):
            self.dynamic = True

    def varies(self, path, dim, value):
        """Note a size or number of a call; return True if it has differed between calls."""
        key = path, dim
        if self.known.setdefault(key, value) != value:
            self.varying.add(key)
        return self.dynamic or key in self.varying and read_setting("automatic_dynamic_shapes")

    def find_dims(self, path, tensor, is_member):
        """Return the dynamic dimensions of a tensor; those of parameters and members of a module are static."""
        shape, marks = tensor.array.shape, tensor.__dict__
        marked = set().union(
            *(marks.get(f"_dynamo_{kind}_indices", ()) for kind in ("dynamic", "weak_dynamic", "unbacked"))
        )
        static = marks.get("_dynamo_static_indices", ())
        fixed = is_member or isinstance(tensor, Parameter) or self.dynamic is False
        varying = {dim for dim, size in enumerate(shape) if not fixed and self.varies(path, dim, size)}
        known = marked & set(range(len(shape))) | varying
        return frozenset(dim for dim in known if shape[dim] >= LEAST and dim not in static)

    def is_dynamic(self, source, value, is_fixed):
        """Return True for a number from outside that is no constant of the graph; integers may be fixed by their source."""
        if (
            self.dynamic is False
            or read_setting(f"specialize_{type(value).__name__}")
            or type(value) is int
            and is_fixed
        ):
            return False
        return self.varies(source, None, value) and math.isfinite(value)


class SizeRecorder:
    """The part of a ``FunctionRecorder`` that records sizes, once it has a ``policy`` and ``guards``."""

    def start_sizes(self):
        """Begin without dynamic sizes."""
        self.policy, self.dynamic, self.dims, self.whole = None, False, {}, {}
        self.watch = None  # what Python does meanwhile

    def follow_sizes(self, policy, guards):
        """Record the sizes that a policy calls dynamic; guards tell where tensors came from."""
        self.policy, self.guards = policy, guards
        self.graph.reading = lambda kind, node: None  # so that arithmetic with floats is recorded, too

    def find_dims(self, tensor):
        """Return the dynamic dimensions of a tensor from outside."""
        if self.policy is None or id(tensor) not in self.guards.tensors:
            return frozenset()
        return self.policy.find_dims(self.guards.tensors[id(tensor)][0], tensor, id(tensor) in self.members)

    def add_used(self, tensor, node):
        """Note an input of the graph."""
        self.used.append(tensor)
        self.inputs.append(node)
        self.dims[id(tensor)] = dims = self.find_dims(tensor)
        self.dynamic = self.dynamic or bool(dims)

    def follows(self, tensor):
        """Return True if sizes of a tensor are nodes: those of inputs with dynamic dimensions, and of values made later."""
        if self.policy is None or not isinstance(tensor, Tensor) or getattr(tensor, "hides_batches", False):
            return False
        if self.scope is not None:
            return False  # an inner graph is for one size
        if self.watch is not None and self.watch.reason is not None:
            return False  # there will be no graph, and the program may keep what it reads
        if id(tensor) not in self.nodes:
            return bool(self.find_dims(tensor))
        return bool(self.dims[id(tensor)]) if id(tensor) in self.dims else self.dynamic

    def read_size(self, name, tensor, dim=None):
        """Record that the program reads the shape of a tensor, one size, or the number of elements; return that."""
        node, shape = self.node_of(tensor), tensor.array.shape
        dims = self.dims.get(id(tensor), range(len(shape)))
        if name in ("numel", "nelement"):
            return self.add_size(self.graph.call_method(name, (node,)), tensor.array.size)
        if dim is not None:
            return (
                self.add_size(self.graph.call_method("size", (node, int(dim))), shape[dim])
                if dim % len(shape) in dims
                else shape[dim]
            )
        whole = self.graph.call_method("size", (node,))
        items = [
            self.add_size(self.graph.call_function(operator.getitem, (whole, n)), size) for n, size in enumerate(shape)
        ]
        result = tuple.__new__(Size, [item if n in dims else size for n, (item, size) in enumerate(zip(items, shape))])
        whole.meta.update(val=Size(shape), example_value=result)
        self.whole[id(result)] = result, whole
        return result

    def add_size(self, node, value):
        """Return the number of a node."""
        made = TracedInt(value, node)
        node.meta.update(val=value, example_value=made)
        return made

    def fold_sizes(self, args):
        """Return arguments with nodes in place of whole shapes."""
        if not self.dynamic:
            return tuple(args)
        return tuple(self.fold_size(each) if type(each) is Size else each for each in args)

    def fold_size(self, size):
        """Return the node of a shape that was read, or of one that consists of sizes."""
        if id(size) in self.whole:
            return self.whole[id(size)][1]
        if not any(isinstance(each, TracedInt) for each in size):
            return size
        node = self.graph.call_function(Size, ([getattr(each, "node", each) for each in size],))
        node.meta.update(val=Size([int(each) for each in size]), example_value=size)
        return node

    @contextlib.contextmanager
    def watching_numbers(self):
        """A context in which ``len``, ``max``, ``min`` and ``math.sqrt`` of the program record dynamic sizes."""
        if self.policy is None:
            yield
            return
        with Patcher() as patcher:
            watch_choices(patcher)
            patcher.patch(vars(builtins), "len", self.measuring(len))
            patcher.patch(vars(math), "sqrt", take_root)
            yield

    def measuring(self, plain):
        """Return ``len``, which records the first size of a tensor."""

        def measure(value, /):
            if type(value) is not Tensor or is_tensh_file(sys._getframe(1).f_code.co_filename):
                return plain(value)
            return self.read_size("size", value, 0) if value.array.ndim and self.follows(value) else plain(value)

        return measure

    def remove_unused_sizes(self):
        """Remove what is computed of sizes and not used."""
        for node in reversed(list(self.graph.nodes)):
            if "val" in node.meta and node.op != "placeholder" and not node.users:
                self.graph.erase_node(node)


plain_root = math.sqrt


def take_root(x, /):
    """Return a square root, recorded for a number of a graph."""
    if not isinstance(x, (TracedInt, TracedFloat)):
        return plain_root(x)
    value = plain_root(x)
    node = x.node.graph.call_function(sym_sqrt, (x.node,))
    node.meta["val"] = value
    return TracedFloat(value, node)
