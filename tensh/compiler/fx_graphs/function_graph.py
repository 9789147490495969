"""The recorder for user-defined backends: calls of PyTorch's public functions become nodes of a ``torch.fx`` graph."""

import inspect
import operator
import sys
from contextlib import nullcontext

from tensh.amp import casting
from tensh.compiler.breaks import Break
from tensh.compiler.capture.reads import Reads
from tensh.compiler.capture.uses import find_call
from tensh.compiler.capture.watching import ending
from tensh.compiler.fx_graphs.inner_calls import look_inside
from tensh.compiler.fx_graphs.local_names import LocalNames, is_iteration
from tensh.compiler.fx_graphs.nested_calls import NestedCallRecorder
from tensh.compiler.fx_graphs.number_recording import NumberRecorder
from tensh.compiler.fx_graphs.operand_order import starts_with_number
from tensh.compiler.fx_graphs.region_recording import RegionRecorder
from tensh.compiler.fx_graphs.size_recording import SIZES, SizeRecorder, Symbol
from tensh.compiler.fx_graphs.step_recording import StepRecorder
from tensh.compiler.fx_graphs.written_inputs import InputRecorder
from tensh.compiler.programs.steps import DYNAMIC
from tensh.compiler.syntax.hoisting import is_stack_name
from tensh.compiler.syntax.instructions import instruction_at, is_discarded
from tensh.engine.arguments.caller import ARMED, list_call
from tensh.engine.autograd.modes import _set_grad_enabled
from tensh.engine.core.clock import mode
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.capture.places import find_place
from tensh.engine.dispatch.capture.recorder import READS
from tensh.engine.dtypes.device import default_device
from tensh.fx.graph import Graph
from tensh.fx.node import Node, base_types, map_aggregate
from tensh.nn.modules.containers import Sequential
from tensh.nn.parameter import Parameter
from tensh.overrides import TorchFunctionMode
from tensh.tracing.sizes.numbers import TracedFloat, TracedInt, plain_number
from tensh.tracing.translation import name_of

OPERATORS = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "floor_divide": operator.floordiv,
    "__floordiv__": operator.floordiv, "remainder": operator.mod, "pow": operator.pow, "matmul": operator.matmul, "__pow__": operator.pow, "__and__": operator.and_,
    "__or__": operator.or_, "__xor__": operator.xor, "__lshift__": operator.lshift, "__rshift__": operator.rshift, "eq": operator.eq,
    "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge, "__eq__": operator.eq, "__ne__": operator.ne, "neg": operator.neg,
    "__invert__": operator.invert, "bitwise_not": operator.invert, "__getitem__": operator.getitem, "__setitem__": operator.setitem,
    "add_": operator.iadd, "sub_": operator.isub, "mul_": operator.imul, "div_": operator.itruediv,
}  # fmt: skip
"""Function of a Python operator -> the operator."""
REFLECTED = {
    "__rsub__": operator.sub, "__rpow__": operator.pow, "__rtruediv__": operator.truediv, "__rdiv__": operator.truediv,
    "__rfloordiv__": operator.floordiv, "__rmod__": operator.mod, "__rmatmul__": operator.matmul, "__rand__": operator.and_,
    "__ror__": operator.or_, "__rxor__": operator.xor, "__rlshift__": operator.lshift, "__rrshift__": operator.rshift,
    "bitwise_and": operator.and_, "bitwise_or": operator.or_, "bitwise_xor": operator.xor,
}  # fmt: skip
"""Reflected function of a Python operator -> the operator."""
EITHER = frozenset(("add", "mul"))
"""Operators whose reflected method is the method itself."""
KINDS = ("BINARY_", "COMPARE_OP", "UNARY_", "STORE_SUBSCR", "STORE_SLICE")
"""Python instructions that are operators."""
RECORDED = "CompiledFunction.run_recorded"
"""The function that calls what is recorded."""
DERIVED = (int, float, complex, str)
"""Classes of constants that may have derived ones."""
SILENT = frozenset("requires_grad_ retain_grad grad_fn _base share_memory_ pin_memory __iter__ register_hook".split())
"""Functions whose results are not new values."""
COUNTING = SIZES | {"__len__", "__iter__", "unbind", "split", "chunk", "tensor_split"}
"""Functions that return a size, or as many values as a size is."""
CREATING = frozenset(
    "arange as_tensor empty empty_strided eye full linspace logspace ones rand randint randn randperm tensor zeros".split()
)
"""Functions that create a tensor on the default device."""


class FunctionRecorder(
    SizeRecorder, NumberRecorder, StepRecorder, RegionRecorder, NestedCallRecorder, InputRecorder, TorchFunctionMode
):
    """A mode that adds calls to ``graph``; ``reason`` is the Break at which the graph ends, or None.

    Tensors from outside become inputs on first use: ``used`` lists them in that order.
    """

    def __init__(self, members=()):
        self.members = frozenset(map(id, members))
        self.graph, self.nodes, self.parts, self.kept = Graph(), {}, [], []
        self.used, self.inputs = [], []
        self.reason, self.pending, self.grad = None, None, mode.grad
        self.reads, self.locals, self.named, self.sums = Reads(), LocalNames(), set(), set()
        self.dependent = set()  # ids of values whose shapes depend on elements
        self.branch = None  # every read of elements is a reason
        self.start_inputs()
        self.start_sizes()
        self.start_numbers()
        self.start_regions()
        self.start_scopes()

    # ── values ───────────────────────────────────────────────────────────────
    def find(self, tensor):
        """Return the node of a tensor; None if no call has made it."""
        return self.nodes.get(id(tensor))

    def node_of(self, tensor):
        """Return the node of a tensor, which becomes an input if no call has made it."""
        node = self.find(tensor)
        if node is None and getattr(tensor, "hides_batches", False):
            raise Break("a function within vmap is called")
        if node is None and self.scope is not None:
            return self.lift_tensor(tensor)
        if node is None:
            node = self.insert_input(f"L_input{len(self.used)}_", type(tensor))
            node.meta["example_value"] = tensor
            self.keep(tensor, node)
            self.add_used(tensor, node)
            self.remember(tensor)
        return node

    def insert_input(self, name, kind):
        """Add an input after the others; return its node."""
        first = next((each for each in self.graph.nodes if each.op != "placeholder"), None)
        with self.graph.inserting_before(first) if first is not None else nullcontext():
            return self.graph.placeholder(name, kind)

    def keep(self, tensor, node):
        self.nodes[id(tensor)] = node
        self.kept.append(tensor)

    def to_argument(self, value):
        """Return a value as an argument of a node."""
        if isinstance(value, Tensor):
            return self.node_of(value)
        if isinstance(value, (TracedInt, TracedFloat)):
            return value.node if value.node.graph is self.graph else self.lift(value.node)
        if isinstance(value, Node):
            return value
        if value is not None and value is not Ellipsis and not isinstance(value, base_types):
            raise Break(f"a function is called with a {type(value).__name__}")
        return make_simple(value)

    def is_member(self, tensor):
        """Return True for a parameter, and for another tensor that a module has registered."""
        return isinstance(tensor, Parameter) or id(tensor) in self.members or self.guards.is_registered(tensor)

    # ── calls ────────────────────────────────────────────────────────────────
    def stop(self, reason, own=True):
        self.reason = self.reason or Break(reason, find_place()[0], own=own)
        self.watch.abort()

    def stop_at_read(self, name, tensor):
        """Note that Python reads elements."""
        place, reason = find_place()[0], f"{name} reads the elements of a tensor"
        self.reason = self.reason or self.reads.find_break(name, tensor, place, reason) or Break(reason, place)
        self.watch.abort()

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs, name = kwargs or {}, name_of(func)
        if self.reason is not None:
            return func(*args, **kwargs)
        if id(func) in ending:
            self.stop(f"{name} is called", own=False)
        elif name in READS:
            self.stop_at_read(name, args[0] if args and isinstance(args[0], Tensor) else None)
        elif name == "grad":
            self.stop("the gradient of a tensor is read")
        if self.reason is not None or name in SILENT:
            return func(*args, **kwargs)
        if self.dependent and name in COUNTING and id(args[0]) in self.dependent:
            self.stop(f"a shape that depends on elements is read by {name}")
            return func(*args, **kwargs)
        if name in SIZES and self.follows(args[0]):
            return self.read_size(name, *args, **kwargs)
        try:
            for each in (*args, *kwargs.values()):  # attributes are read before the function is called
                if isinstance(each, Tensor) and self.is_member(each):
                    self.node_of(each)
            given = map_aggregate((self.fold_sizes(args), dict(kwargs)), self.to_argument)
        except Break as reason:
            self.stop(reason.reason)
            return func(*args, **kwargs)
        if self.dynamic:
            args, kwargs = map_aggregate((tuple(args), dict(kwargs)), plain_number)
        result = func(*args, **kwargs)
        tensors = [
            each for each in (result if isinstance(result, (tuple, list)) else [result]) if isinstance(each, Tensor)
        ]
        if not tensors and name != "__setitem__":  # sizes and similar results are guarded instead
            return result
        self.record(func, name, *given, result)
        if self.is_dependent(name, args, kwargs):
            self.dependent.update(id(each) for each in tensors if each.array.ndim)
        return result

    def is_dependent(self, name, args, kwargs):
        """Return True if the shape of what a function returns depends on elements, or may do so."""
        if name in DYNAMIC or name == "where" and len(args) + len(kwargs) == 1:
            return True
        if name == "__getitem__" and isinstance(args[1], (Tensor, tuple)):
            indices = args[1] if isinstance(args[1], tuple) else [args[1]]
            if any(isinstance(each, Tensor) and each.array.dtype.kind == "b" for each in indices):
                return True
        return bool(self.dependent) and any(id(each) in self.dependent for each in (*args, *kwargs.values()))

    def forget_unused_inputs(self):
        """Remove inputs that no call uses; a dynamic size stays with a tensor that has it."""
        unused = [place for place, node in enumerate(self.inputs) if not node.users]
        for place in reversed(unused):
            if not isinstance(self.used[place], Symbol):
                self.graph.erase_node(self.inputs.pop(place))
                self.before.pop(id(self.used.pop(place)), None)
        kept = set(map(id, self.used))
        for place in reversed([place for place, each in enumerate(self.used) if isinstance(each, Symbol)]):
            if not self.inputs[place].users and not any(id(each) in kept for each in self.used[place].owners):
                self.graph.erase_node(self.inputs.pop(place))
                del self.used[place]

    def record(self, func, name, args, kwargs, result):
        """Add the node of a call in PyTorch's form: an operator of Python, a method, or a function."""
        self.follow_grad()
        self.name_locals(sys._getframe(2))
        if name == "unbind" and is_iteration(sys._getframe(2)):
            for number, each in enumerate(result):
                self.keep(each, self.graph.call_function(operator.getitem, (args[0], number)))
                self.parts.append(self.nodes[id(each)])
            return
        place, modules = find_place(3)
        if place is not None and is_outside(place):
            place = None  # a layer itself is compiled
        kind, stored = instruction_at(place.code, place.instruction) if place else ("", None)
        owner = getattr(func, "__self__", None)
        is_sum = name == "add" and kind.startswith("CALL") and find_call(place) == "sum"
        if is_sum:
            is_start = not isinstance(args[1], Node) and args[0] not in self.sums
            op, target, args = "call_function", operator.add, args[::-1] if is_start else args
        elif isinstance(owner, property):
            op, target, args, kwargs = "call_function", getattr, (args[0], name), {}
        elif name in ("__getitem__", "__setitem__") or kind.startswith(KINDS) and name in OPERATORS:
            op, target, args, kwargs = "call_function", OPERATORS[name], (*args, *kwargs.values()), {}
            if name in EITHER and starts_with_number(place, args):
                args = args[::-1]
        elif name in REFLECTED and (name.startswith("__") or kind.startswith(KINDS)):
            op, target, args, kwargs = "call_function", REFLECTED[name], (*args, *kwargs.values())[::-1], {}
        elif func.__qualname__.startswith("Tensor.") or name.startswith("__"):
            op, target = "call_method", name
            if getattr(func, "written_in_python", False):
                args, kwargs = as_called(func, args, kwargs, is_method=True)
        else:
            op = "call_function"
            target, args, kwargs = look_inside(func, *as_called(func, args, kwargs))
            kwargs = add_device(name, kwargs)
        node = self.graph.create_node(op, target, args, kwargs)
        node.meta["example_value"] = result
        if is_sum:
            self.name_terms(node)
        if isinstance(result, Tensor):
            if target is not getattr and not is_discarded(place) or id(result) not in self.nodes:
                self.keep(result, node)
        else:
            self.keep_results(node, result)
        if place is not None:
            node.meta["stack_trace"] = f'  File "{place.filename}", line {place.line}, in {place.code.co_name}'
        within = (place and place[:2], modules) if self.is_within_call(place, modules) else None
        chain, inside = chained_call(place, modules)
        if self.pending is not None and chain and chain[: len(self.pending[1] or ())] == self.pending[1]:
            self.pending = None  # not the last node of its part
        if chain and (inside or stored is None):
            within, stored = chain, "input"
        self.name_node(node, within, stored)

    def keep_results(self, node, result):
        """Note the node of a result, and those of its parts if it has several."""
        if isinstance(result, Tensor):
            self.keep(result, node)
            return
        for number, each in enumerate(result if isinstance(result, (tuple, list)) else ()):
            if isinstance(each, Tensor):
                self.keep(each, self.graph.call_function(operator.getitem, (node, number)))
                self.parts.append(self.nodes[id(each)])

    def name_terms(self, node):
        """Name a sum by Python's ``sum``, and its next term, after the variables of PyTorch's loop."""
        if isinstance(node.args[1], Node) and node.args[1].op != "placeholder":
            self.rename(node.args[1], "element")
        self.rename(node, "value")
        self.sums.add(node)

    def is_within_call(self, place, modules):
        """Return True if the user's instruction calls a module, which may call more functions after this one."""
        return place is not None and bool(modules) and any(
            code.co_qualname == "Calls.__call__" for code, _ in place.trail[: place.trail.index((place.code, place.instruction))]
        )  # fmt: skip

    def name_node(self, node, within, stored):
        """Name a node after the variable to which its value is assigned; in a module call this is the last node."""
        if self.pending is not None and self.pending[1] != within:
            self.name_pending()
        if stored is not None:
            self.pending = node, within, stored
            if within is None:
                self.name_pending()

    def name_pending(self):
        if self.pending is not None:
            self.rename(self.pending[0], self.pending[2])
        self.pending = None

    def name_locals(self, frame):
        """Name nodes after the variables to which their values have been assigned since the last call."""
        for name, value in self.locals.find(frame):
            node = self.nodes.get(id(value))
            if node is not None and node.op != "placeholder" and (self.pending is None or node is not self.pending[0]):
                self.rename(node, name)

    def rename(self, node, name):
        """Name a node after a variable, unless it has such a name."""
        if node not in self.named and not is_stack_name(name):
            node._rename(name)
            self.named.add(node)

    def follow_grad(self):
        """Add a switch of gradient recording if the code has changed it; end the graph if autocast has changed."""
        if casting.state.lower != self.casting:
            self.stop("autocast is switched within the function")
        if mode.grad != self.grad:
            self.graph.call_function(_set_grad_enabled, (bool(mode.grad),))
            self.grad = mode.grad

    def finish(self, outputs):
        self.follow_grad()
        self.name_pending()
        self.locals.given.clear()
        self.graph.output(tuple(outputs))

    def remove_unused(self):
        """Remove what no call uses: parts of results, sizes, inputs."""
        self.remove_unused_sizes()
        for each in self.parts:
            if not each.users:
                self.graph.erase_node(each)
        self.forget_unused_inputs()


def make_simple(value):
    """Return a number or text whose class is derived from Python's, such as an IntEnum, as one of Python's."""
    kind = next((each for each in DERIVED if isinstance(value, each)), None)
    return value if kind is None or type(value) in (kind, bool) else kind.__new__(kind, value)


def is_outside(place):
    """Return True for an instruction that calls the compiled function, or is around that call."""
    codes = [code for code, _ in place.trail]
    return any(code.co_qualname == RECORDED for code in codes[: codes.index(place.code)])


def chained_call(place, modules):
    """Return (the call of a part of a Sequential that is running, or (), whether the user's instruction is outside of it).

    ``Sequential`` assigns what each of its parts gives to ``input``, unless the user's code has named it before.
    """
    inner = [number for number, each in enumerate(modules[:-1]) if type(each).forward is Sequential.forward]
    if not inner:
        return (), False
    trail = () if place is None else place.trail[place.trail.index((place.code, place.instruction)) + 1 :]
    around = sum(code.co_qualname == "Calls.__call__" for code, _ in trail)
    return ("chain", *map(id, modules[: inner[-1] + 2])), inner[-1] >= around


def add_device(name, kwargs):
    """Return the keywords of a function that creates a tensor with the default device, if there is one."""
    if name not in CREATING or kwargs.get("device") is not None or default_device().type == "cpu":
        return kwargs
    return kwargs | {"device": default_device()}


def as_called(func, args, kwargs, is_method=False):
    """Return the arguments of a function by position and by name as in the call itself, where that is known.

    Those of a method include its object, which the call does not count.
    """
    frame = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename != ARMED:
        frame = frame.f_back
    count, names = list_call(frame.f_back, False) if frame is not None else (None, None)
    count = count + is_method if count is not None else None
    if count is None or len(args) == count and {*names} == {*kwargs}:
        return args, kwargs
    try:
        parameters = list(inspect.signature(func).parameters)
        known = dict(zip(parameters, args)) | kwargs
        return tuple(known[each] for each in parameters[:count]), {each: known[each] for each in names}
    except (ValueError, KeyError):  # another signature than that of the call
        return args, kwargs
