"""The recorder: a context in which every call of a public function on tensors becomes a node of a graph.

Note [Recording]
A program runs on example values. Each call of a public function is translated to the ``aten`` operator that PyTorch records
for it, and the result's node is remembered by the identity of the tensor. A function without a known operator becomes a node
that calls it, so that the graph computes exactly what the program computed. A node's meta holds the user's line
(``stack_trace``), the enclosing modules (``nn_module_stack``) and the example value (``val``).
"""

import operator
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, NamedTuple

from tensh._aten.calls import call_plain
from tensh._aten.kernels.table import kernel_of
from tensh._aten.overloads import Overload
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.numpy_numbers import as_python
from tensh.fx.branches import BranchRecorder
from tensh.fx.graph import Graph
from tensh.fx.names import snake_case
from tensh.fx.node import map_aggregate
from tensh.fx.patching import Patcher
from tensh.nn.modules import transformer
from tensh.nn.modules.cells import RNNCellBase
from tensh.nn.modules.module import Module
from tensh.nn.modules.rnn import RNNBase
from tensh.nn.utils import parametrizations, weight_norms
from tensh.overrides import TorchFunctionMode
from tensh.tracing import translation
from tensh.tracing.modes import watch_modes
from tensh.tracing.reading import watch_iteration
from tensh.tracing.recording import notes
from tensh.tracing.recording.makers import Makers
from tensh.tracing.recording.module_calls import number_calls, watch_assignments, watch_calls
from tensh.tracing.recording.naming import find_names
from tensh.tracing.recording.newness import Since
from tensh.tracing.recording.numbers import NumberRecorder, UntracedValue, watch_choices
from tensh.tracing.sizes.numbers import Comparison, TracedFloat, TracedInt, fix, plain_number
from tensh.tracing.sizes.unbacked import Condition
from tensh.tracing.steps.attention import padding_mask
from tensh.tracing.steps.casts import cast_first
from tensh.tracing.steps.table import compose, recording, run_cell, run_recurrent, scale_direction

READS = {
    "__bool__": "boolean", "__int__": "integer", "__float__": "float", "__index__": "index", "item": "number", "tolist": "list",
    "__complex__": "number", "__contains__": "boolean", "__len__": "length", "numpy": "array", "__array__": "array",
}  # fmt: skip
"""Functions that convert a tensor's elements to Python values -> kind of value."""
FACTS = frozenset("size stride dim numel is_contiguous storage_offset".split())
"""Operators that say what a tensor is, and that no graph has."""


class Origin(NamedTuple):
    """A constant's place: the node that it was made after, whether it is detached there, and the notes of a node there."""

    before: Any
    detached: bool
    notes: dict


class Recorder(NumberRecorder, BranchRecorder, TorchFunctionMode):
    """A mode that adds calls to ``graph``. ``members`` (id -> path) are the parameters and buffers of the root.

    With ``sizes``, sizes of tensors are nodes as well; without, they are the numbers of the example.
    ``on_read(kind, function)`` is called when Python reads elements, or makes tensors from data.
    With ``strict``, a tensor computed without being observed is an error; programs of tensh itself are not strict. Without
    ``branches``, a branch or loop that depends on elements is recorded as it runs on the example.
    """

    SCOPE = ("nodes", "constants")
    entered = ()  # the modules that are being called, as (key, path, class, module)
    preserved = ()  # paths of modules whose calls are noted
    root = None  # the module that is recorded
    as_called = False  # operators keep the names under which they are called
    whole_slices = False  # slices of whole dimensions are recorded: only later is known which sizes may be larger
    calls = ()  # the calls of submodules that are running, in traces that tell them apart
    keeps_numbers = False  # numbers that are written stay numbers
    table = {}  # overload -> the function that consists of other operators, called in its place
    called = None, (), {}  # the public function that is being called, and its arguments
    outer = None  # the public function that is being called from outside of all others
    describe = notes.describe
    read_item = None  # (recorder, tensor) -> the number that a program reads, where graphs can hold such numbers

    def __init__(self, members, sizes=False, on_read=None, strict=True, branches=True):
        self.strict = strict
        self.apart = branches  # what returns its argument gives another value than that
        if not branches:
            self.record_higher_order = None
        self.graph, self.members, self.sizes, self.on_read = Graph(), members, sizes, on_read
        if not branches:  # a trace of TorchScript, where Python reads sizes, too, and gives them names
            self.graph.reading, self.graph.note_number = on_read, self.note_number
        self.nodes, self.kept = {}, []  # id of a value -> its node; values kept alive for their ids
        self.constants, self.paths, self.names = {}, {}, []
        self.numbers = set()  # ids of tensors that stand for written numbers
        self.assigned = set()  # (id of a module's buffers, name) of those that the program assigns
        self.signatures = {}  # key of a call of such a module -> its signature
        self.counts = {}  # public function -> how often it was called
        self.since = None  # tests for new objects
        self.free = {}  # id of a tensor that depends on nothing traced -> its origin

    # ── values ───────────────────────────────────────────────────────────────
    def keep(self, value, node):
        """Register the node of a tensor."""
        self.nodes[id(value)] = node
        self.kept.append(value)

    def add_input(self, name, value):
        """Add an input for an example."""
        node = self.graph.placeholder(name)
        node.meta["val"] = value
        if isinstance(value, Tensor):
            self.keep(value, node)
        return node

    def stand_in(self, value, node):
        """Return a second tensor on an operand's elements, an input of the function that is being recorded."""
        with self.plainly():
            value = node.meta["val"] = value.detach().requires_grad_(value.requires_grad)
        self.keep(value, node)
        return value

    def keep_part(self, value, node):
        """Register a part of a result, and return it."""
        self.describe(node, value)
        self.keep(value, node)
        return value

    def example(self, value):
        """Return a value as operators take it."""
        return plain_number(value)

    def plainly(self):
        """Return a context without recording."""
        return recording(self, on=False)

    def to_argument(self, value):
        """Convert a value to an argument of a node, or of the graph's output."""
        if isinstance(value, Tensor):
            return self.node_of(value)
        if isinstance(value, (Comparison, TracedInt, TracedFloat)):
            return value.node if value.node.graph is self.graph else self.lifted_node(value, id(value.node))
        return value

    def lifted_node(self, value, key):
        """Return the input for a value from outside of the function that is being recorded."""
        return self.branch.lifted[key][1] if key in self.branch.lifted else self.lift(value, key)

    def knows(self, tensor):
        """Return True for a traced tensor, also one that is traced around the current function."""
        if id(tensor) in self.nodes:
            return True
        branch = self.branch
        while branch is not None:
            if id(tensor) in branch.before["nodes"]:
                return True
            branch = branch.before["branch"]
        return False

    def node_of(self, tensor):
        """Return the node of a tensor: recorded, a member of the root, or a new constant."""
        known = self.nodes.get(id(tensor))
        if known is not None:
            return known
        if self.branch is not None and id(tensor) not in self.branch.own:
            return self.lifted_node(tensor, id(tensor))
        path = self.members.get(id(tensor))
        if path is None:
            if self.since is not None and id(tensor) not in self.free and self.since.has(tensor):
                raise UntracedValue(
                    f"a tensor of shape {list(tensor.shape)} was computed during the trace by something other than an operator, such as "
                    "a torch.autograd.Function: write it with functions of torch"
                )
            if tensor.requires_grad and not tensor.is_leaf:
                raise UntracedValue(
                    "Cannot insert a Tensor that requires grad as a constant. Consider making it a parameter or input, or "
                    f"detaching the gradient\nTensor:\n{tensor!r}"
                )
            path = f"_tensor_constant{len(self.constants)}"
            self.constants[path] = tensor
        if self.branch is not None:  # a constant that the function makes
            node = self.graph.get_attr(path)
            self.describe(node, tensor)
        else:
            place = next((node for node in self.graph.nodes if node.op not in ("placeholder", "get_attr")), None)
            with self.graph.inserting_before(place) if place is not None else nullcontext():
                node = self.graph.get_attr(path)
            node.meta["val"] = tensor
        self.keep(tensor, node)
        return node

    def free_value(self, tensor, maker=None, detached=False):
        """Register a tensor that depends on nothing traced: a constant if it is used.

        ``maker`` is the function named in warnings; the result of ``torch.tensor`` is ``detached``.
        """
        if maker is not None and self.on_read:
            self.on_read("tensor", maker)
        self.kept.append(tensor)
        place = SimpleNamespace(op="constant", target=None, meta={})
        self.describe(place, tensor)
        self.free[id(tensor)] = Origin(next(reversed(self.graph.nodes), None), detached, place.meta)
        if self.branch is not None:
            self.branch.own.add(id(tensor))
        return tensor

    # ── operations ───────────────────────────────────────────────────────────────
    def record(self, target, args, kwargs, value, op="call_function", name=None):
        """Add the node of a call, and register it, or items of it, for the result."""
        self.refuse_transforms(value)
        names = None if self.apart else self.name_operands(args, kwargs)
        args, kwargs = map_aggregate((tuple(args), dict(kwargs)), self.to_argument)
        node = self.graph.create_node(op, target, args, kwargs, name=name or name_for(target))
        self.describe(node, value)
        if names:
            known = [(self.to_node(each), name) for each, name in names]
            node.meta["names"] = {each: name for each, name in known if each is not None}
        if isinstance(value, Tensor):
            self.keep(value, node)
        elif isinstance(value, (tuple, list)):
            self.keep_parts(value, node)
        return node

    def name_operands(self, args, kwargs):
        """Return (operand, its name where the operator is called) of those that have one."""
        values = []
        map_aggregate((tuple(args), dict(kwargs)), lambda each: values.append(each) if self.is_operand(each) else None)
        return [(each, name) for each, name in zip(values, find_names(values, *self.called)) if name]

    @staticmethod
    def is_operand(value):
        return isinstance(value, (Tensor, TracedInt, TracedFloat))

    def to_node(self, value):
        """Return the node of an operand that has one."""
        return value.node if isinstance(value, (TracedInt, TracedFloat)) else self.nodes.get(id(value))

    def keep_parts(self, values, node):
        for place, each in enumerate(values):
            if isinstance(each, (Tensor, tuple, list)):
                part = self.graph.call_function(operator.getitem, (node, place))
                self.describe(part, each)
                self.keep(each, part) if isinstance(each, Tensor) else self.keep_parts(each, part)

    def run(self, name, *args, **kwargs):
        """Compute an operator of ``aten`` and record it."""
        found = translation.choose(name, args, kwargs)
        if found is None:
            raise UntracedValue(f"aten::{name} takes no such arguments")
        return self.call_operator(*found) if self.table else self.run_overload(*found)

    def run_overload(self, overload, args, kwargs):
        """Compute an overload of an operator with bound arguments and record it."""
        numbers = map_aggregate((args, kwargs), plain_number)
        with recording(self, on=False):
            value = call_plain(kernel_of(overload), *unfreeze(numbers[0]), **dict(numbers[1]))
        self.record(overload, args, kwargs, value)
        return value

    def call_operator(self, overload, args, kwargs):
        """Record a call of ``torch.ops.aten``, or what its rule in ``table`` consists of."""
        if overload._opname == "sym_size":
            return self.size(*args)
        if overload._opname == "sym_numel":
            return self.numel(*args)
        if overload._opname in ("item", "_local_scalar_dense") and self.read_item is not None and self.knows(args[0]):
            return self.read_item(self, args[0])
        if overload._opname == "_assert_scalar" and isinstance(args[0], Condition):
            return args[0].record_check()
        rule = self.table.get(overload)
        if rule is not None:
            with recording(self):
                result = rule(*args, **kwargs)
            if result is not NotImplemented:
                return result
        return self.run_overload(overload, *overload.bind(tuple(args), kwargs))

    # ── calls ────────────────────────────────────────────────────────────────
    def __torch_function__(self, func, types, args=(), kwargs=None):
        args, kwargs = as_python((args, kwargs or {}))
        if isinstance(func, Overload):
            return self.call_operator(func, args, kwargs)
        if self.read_item is None and (result := cast_first(self, func, types, args, kwargs)) is not NotImplemented:
            return result
        with notes.calling(self, func, args, kwargs):
            return self.observe(func, args, kwargs)

    def observe(self, func, args, kwargs):
        """Call a public function, record it, and return its result."""
        name = translation.name_of(func)
        if name in ("shape", "size"):
            return self.size(args[0], args[1]) if len(args) > 1 and args[1] is not None else self.shape(args[0])
        if name in ("numel", "nelement"):
            return self.numel(args[0])
        if name == "__len__" and self.sizes and self.knows(args[0]) and args[0].array.ndim:
            fix(self.graph, len(args[0].array))
        if name == "item" and self.read_item is not None and self.knows(args[0]):
            return self.read_item(self, args[0])
        if name == "tolist" and self.read_item is not None and self.knows(args[0]) and args[0].array.ndim:
            return self.read_list(args[0])
        if name in READS and self.on_read and isinstance(args[0], Tensor) and self.knows(args[0]):
            self.on_read(READS[name], name)
        if (result := compose(self, name, func, args, kwargs)) is not NotImplemented:
            return result
        if self.table and name not in FACTS and (found := translation.translate(name, func, args, kwargs)) is not None:
            return self.call_operator(*found)
        plain_args, plain_kwargs = map_aggregate((tuple(args), dict(kwargs)), plain_number)
        result = func(*unfreeze(plain_args), **unfreeze(plain_kwargs))
        if not holds_tensors(result) or name in translation.SILENT:
            if name == "__setitem__" and self.knows(args[0]):
                raise UntracedValue(
                    f"a write by the index {args[1]!r:.80} is no operator: index by numbers, slices and tensors"
                )
            return result
        data = args[1:] if name in translation.DATA else args
        if not any(map(self.is_traced, (*data, *kwargs.values()))) and name in translation.CONSTANTS:
            return self.free_value(result, detached=name in translation.DETACHED)
        found = translation.translate(name, func, args, kwargs, self.as_called)
        same = not name.endswith("_") and any(result is each for each in args)
        if same and (found is None or name == "contiguous" and self.apart):
            return result  # the arguments
        if same and self.apart and name in ("dropout", "feature_dropout", "alpha_dropout"):
            with recording(self, on=False):
                result = result.view_as(result)
        if found is not None:
            self.record(*found, result)
        elif name in vars(Tensor) and not name.startswith("__") and func.__module__ != "torch.nn.functional":
            self.record(name, args, kwargs, result, "call_method")
        else:
            self.record(func, args, kwargs, result)
        return result

    def is_traced(self, value):
        """Return True for a traced value, and for a container with one."""
        if isinstance(value, (tuple, list)):
            return any(map(self.is_traced, value))
        return isinstance(value, (TracedInt, TracedFloat)) or isinstance(value, Tensor) and self.knows(value)

    # ── modules ──────────────────────────────────────────────────────────────
    def __enter__(self):
        def step(module, mode, input, states, names):
            return run_cell(self, module, mode, input, states, names)

        def compute(module, input, hx):
            return run_recurrent(self, module, input, hx)

        def scale(v, g, dim):
            return scale_direction(self, v, g, dim)

        if self.strict:
            self.since = Since().__enter__()
        self.makers = Makers(self).__enter__()
        self.patcher = Patcher().__enter__()
        self.patcher.patch_method(Module, "__call__", (number_calls if self.apart else watch_calls)(self))
        self.patcher.patch_method(Tensor, "__iter__", watch_iteration(self))
        self.patcher.patch_method(RNNBase, "_run", compute)
        self.patcher.patch_method(RNNCellBase, "_step", step)
        for each in (parametrizations, weight_norms):
            self.patcher.patch(vars(each), "scale_direction", scale)
        self.patcher.patch(vars(transformer), "float_mask", padding_mask)
        if self.sizes and self.apart and self.strict:
            watch_choices(self.patcher)
        if self.read_item is not None and self.strict:
            watch_modes(self)
            self.patcher.patch_method(Module, "__setattr__", watch_assignments(self))
        return super().__enter__()

    def __exit__(self, *failure):
        self.patcher.__exit__(*failure)
        self.makers.__exit__(*failure)
        if self.strict:
            self.since.__exit__(*failure)
            self.since = None
        return super().__exit__(*failure)


def unfreeze(value):
    """Return plain lists and dicts for a graph's immutable ones."""
    if isinstance(value, tuple) and not hasattr(value, "_fields") and type(value) is tuple:
        return tuple(map(unfreeze, value))
    if isinstance(value, list):
        return [unfreeze(each) for each in value]
    if isinstance(value, dict):
        return {key: unfreeze(each) for key, each in value.items()}
    return value


def holds_tensors(value):
    """Return True for a tensor, and for a sequence with one."""
    if isinstance(value, (tuple, list)):
        return any(map(holds_tensors, value))
    return isinstance(value, Tensor)


def name_for(target):
    """Return the name of a node: that of its operator, without the overload."""
    name = getattr(target, "_opname", None)
    return name if name is None else snake_case(name.removeprefix("__").removesuffix("__"))
