"""torch.fx.experimental.proxy_tensor: traces on examples, including backward passes, as ``aten`` graphs."""

import functools
import inspect
import operator

from tensh._aten.overloads import Derivative, schemas
from tensh.engine.autograd.modes import no_grad
from tensh.engine.core.clock import mode
from tensh.engine.core.ports import Port
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override.state import call_disabled, state
from tensh.engine.dtypes.symbols import SymInt
from tensh.engine.methods.unsupported import unsupported_lookup
from tensh.func.trees import flatten, leaves_of, map_leaves, unflatten
from tensh.fx.branches import BranchRecorder, list_members
from tensh.fx.experimental.branch_gradients import BranchGradients
from tensh.fx.experimental.functionalizing import FunctionalRecorder
from tensh.fx.experimental.symbolic_sizes import free_input_sizes
from tensh.fx.graph import Graph
from tensh.fx.graph_module import GraphModule
from tensh.fx.immutable_collections import to_plain
from tensh.fx.pytree_codegen import PyTreeCodeGen, PyTreeInfo
from tensh.nn.modules.module import Module
from tensh.nn.parameter import is_parameter
from tensh.support.temporary import temporarily
from tensh.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

__all__ = ["get_proxy_mode", "make_fx"]

record_before_dispatch = Port("export.before_dispatch", "record_before_dispatch")
"""``record_before_dispatch(function, args, names)``: the graph of the operators that a function calls, and its result."""
REFUSED = (
    "It appears that you're trying to get value out of a tracing tensor with {} - erroring out! It's likely that this is caused by "
    "data-dependent control flow or similar.  It may be possible to trace this with dynamic shapes; try setting "
    "tracing_mode='symbolic' in your make_fx call."
)


class ProxyTensor(Tensor):
    """A tensor in a trace: a value and its node."""

    __torch_function__ = call_disabled

    @staticmethod
    def __new__(cls, value, node, recorder):
        leaf = value.requires_grad and value.is_leaf
        return Tensor._make_wrapper_subclass(
            cls, value.shape, dtype=value.dtype, strides=value.stride(), requires_grad=leaf
        )

    def __init__(self, value, node, recorder):
        self.value, self.proxy, self.recorder = value, node, recorder
        self.constant = None  # its value, if that does not depend on the inputs

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        first = next(each for each in leaves_of((args, kwargs)) if isinstance(each, ProxyTensor))
        return first.recorder.record(func, args, kwargs or {})


def read_member(graph, value, members, paths):
    """Return a new node that reads a tensor from outside, a member of the module under a path that both dictionaries keep."""
    if id(value) not in paths:
        kind = "_param_constant" if is_parameter(value) else "_tensor_constant"
        paths[id(value)] = path = f"{kind}{sum(each.startswith(kind) for each in members)}"
        members[path] = value
    node = graph.get_attr(paths[id(value)])
    node.meta["val"] = value
    return node


class OperatorRecorder(BranchGradients, FunctionalRecorder, BranchRecorder, TorchDispatchMode):
    """A mode that adds called operators to ``graph``; ``table`` maps operators to functions that decompose them."""

    SCOPE = ("constants", "paths")
    makes_wrappers = True  # wrappers whose history is that of the operators' arguments

    def __init__(self, table):
        super().__init__()
        self.graph, self.table, self.constants, self.paths = Graph(), table, {}, {}

    def add_input(self, value, name):
        """Return the proxy of a leaf of the arguments, or the leaf itself if it is not a tensor."""
        return self.stand_for(value, self.graph.placeholder(name))

    def stand_for(self, value, node):
        """Return the traced tensor for a value and its node."""
        node.meta["val"] = value
        return ProxyTensor(value, node, self) if isinstance(value, Tensor) else value

    def node_of(self, value):
        """Return a value as an argument of a node: tensors from outside become members of the module."""
        if not isinstance(value, Tensor):
            return value
        if isinstance(value, ProxyTensor) and value.proxy.graph is self.graph:
            return value.proxy
        if "written_number" in value.__dict__:
            return value.__dict__["written_number"]
        if self.branch is not None and id(value) not in self.branch.own:
            known = self.branch.lifted.get(id(value))
            return self.lift(value, id(value)) if known is None else known[1]
        if getattr(value, "hides_batches", False):
            raise NotImplementedError(
                "make_fx cannot trace an operator on samples: apply vmap to the function that make_fx returns"
            )
        return read_member(self.graph, value, self.constants, self.paths)

    def stand_in(self, value, node):
        """Return the traced tensor for an operand of a function that is being recorded."""
        return self.stand_for(value_of(value), node)

    to_argument, keep_part, plainly = node_of, stand_for, staticmethod(_disable_current_modes)

    def example(self, value):
        """Return the value of a traced tensor."""
        return value_of(value)

    def describe(self, node, value):
        """Note the value of a node."""
        node.meta["val"] = value

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return self.record(func, args, kwargs or {})

    def record(self, func, args, kwargs):
        """Compute an operator, and add its node."""
        if self.removed is not None:
            return self.record_functional(func, args, dict(kwargs))
        return self.record_plainly(func, args, kwargs)

    @staticmethod
    def is_traced(value):
        """Return True for a traced tensor."""
        return isinstance(value, ProxyTensor)

    def record_plainly(self, func, args, kwargs):
        """Compute an operator, and add its node, as it is."""
        if func in self.table:
            with self:
                result = self.table[func](*args, **kwargs)
            if result is not NotImplemented:
                return result
        if func._opname == "_local_scalar_dense" and isinstance(args[0], ProxyTensor):
            if args[0].constant is not None:
                return args[0].constant.item()
            raise RuntimeError(REFUSED.format(func))
        if func._opname == "lift_fresh":  # tensors in a graph must not be modified
            func = schemas()["lift_fresh_copy"]["default"]
            if self.branch is not None:
                self.branch.own.add(id(args[0]))
        given, named = map_leaves(value_of, (tuple(args), kwargs))
        with no_grad(), outside_transforms(), self.plainly():
            result = func(*given, **named)
        known, named = map_leaves(self.node_of, (tuple(args), kwargs))
        func = func.in_graph() if isinstance(func, Derivative) else func
        node = self.graph.create_node("call_function", func, known, named, name=func._opname)
        if isinstance(result, Tensor):
            made = self.stand_for(result, node)
            made.constant = constant_of(func, args, kwargs, result)
            if func._opname.endswith("_") and isinstance(args[0], ProxyTensor):
                args[0].value, args[0].proxy, args[0].constant = result, node, None
                if result.shape != args[0].shape:  # such as t_
                    args[0].array = made.array
                return args[0]
            return made
        node.meta["val"] = result
        if not isinstance(result, (tuple, list)):
            return result
        parts = [
            self.stand_for(each, self.graph.call_function(operator.getitem, (node, n))) for n, each in enumerate(result)
        ]
        for part, each in zip(parts, result):
            if isinstance(part, ProxyTensor):
                part.constant = constant_of(func, args, kwargs, each)
        return type(result)(parts)


def outside_transforms():
    """Return a context in which values are computed as outside of the calls of ``torch.func`` that run."""
    return temporarily(mode, transforms=())


def value_of(value):
    """Return the value of a traced tensor; other values unchanged."""
    return value.value if isinstance(value, ProxyTensor) else value


LARGEST = 64  # elements of a constant whose value is followed


def constant_of(func, args, kwargs, result):
    """Return the result of an operator if it does not depend on the inputs of a trace: Python may read its elements."""
    if func._opname == "lift_fresh_copy":
        return args[0].clone() if isinstance(args[0], Tensor) and not isinstance(args[0], ProxyTensor) else None
    tensors = [each for each in leaves_of((args, kwargs)) if isinstance(each, Tensor)]
    fixed = all(not isinstance(each, ProxyTensor) or each.constant is not None for each in tensors)
    known = tensors and fixed and isinstance(result, Tensor) and result.numel() <= LARGEST
    return result if known and not func._opname.endswith("_") else None


def make_fx(
    f, decomposition_table=None, tracing_mode="real", _allow_non_fake_inputs=False, *, pre_dispatch=False, record_module_stack=False,
    _allow_fake_constant=False, _error_on_data_dependent_ops=True, record_stack_traces=False, proxy_module_inputs=False,
):  # fmt: skip
    """Return a function that runs ``f`` on its arguments and returns the computation as a graph module.

    The nodes are PyTorch's ``aten`` operators; gradients that ``f`` computes are part of the graph, as are the
    operators of ``torch.func``. ``decomposition_table`` maps operators to functions that decompose them. Sizes are
    those of the example; with ``tracing_mode="symbolic"``, ``f`` runs again with other sizes, and the graph follows
    those that may differ. With ``pre_dispatch``, operators are those that ``f`` calls, such as ``linear``, and switches
    of modes are nodes. Raise RuntimeError if Python reads an element.

    >>> import tensh as torch
    >>> from tensh.fx.experimental.proxy_tensor import make_fx
    >>> made = make_fx(torch.func.grad(lambda x: x.sin().sum()))(torch.ones(2))
    >>> [node.name for node in made.graph.nodes]
    ['x_1', 'sin', 'sum_1', 'ones_like', 'expand', 'cos', 'mul', 'output']
    """
    if tracing_mode not in ("real", "fake", "symbolic"):
        raise AssertionError(f"tracing_mode should be one of 'real', 'fake', 'symbolic', got {tracing_mode}")

    def record(given, names, spec):
        if pre_dispatch and not decomposition_table:
            found = record_before_dispatch(f, unflatten(given, spec), names)
            if found is not None:
                return found
        recorder = OperatorRecorder(decomposition_table or {})
        proxies = [recorder.add_input(value, name) for value, name in zip(given, names, strict=True)]
        with recorder:
            result = f(*unflatten(proxies, spec))
        recorder.graph.output(map_leaves(recorder.node_of, result))
        return recorder, result

    @functools.wraps(f)
    def trace(*args):
        given, spec = flatten(args)
        given = [int(each) if isinstance(each, SymInt) else each for each in given]  # sizes of an example
        names, nested = list_names(f, args)
        recorder, result = record(given, names, spec)
        if tracing_mode == "symbolic":
            free_input_sizes(recorder.graph, given, lambda values: record(values, names, spec)[0].graph)
        if nested:
            structure = flatten(result)[1]
            output = recorder.graph.output_node()
            output.args = (flatten(to_plain(output.args[0]))[0],)
            recorder.graph.set_codegen(PyTreeCodeGen(PyTreeInfo(nested, spec, structure)))
        return GraphModule(list_members(recorder.graph), recorder.graph, getattr(f, "__name__", type(f).__name__))

    return trace


def list_names(f, args):
    """Return (names of the inputs, parameters of ``f`` if an argument is nested)."""
    try:
        bound = inspect.signature(f.__call__ if isinstance(f, Module) else f).bind(*args)
        kinds = [bound.signature.parameters[name].kind for name in bound.arguments]
        parameters = [] if inspect.Parameter.VAR_POSITIONAL in kinds else list(bound.arguments)
    except (TypeError, ValueError):
        parameters = []
    parameters = parameters if len(parameters) == len(args) else [f"arg{place}" for place in range(len(args))]
    if all(flatten(each)[1].is_leaf() for each in args):
        return [f"{name}_1" for name in parameters], []
    sizes = [len(flatten(each)[0]) for each in args]
    names = [f"{name}_{part}" for name, size in zip(parameters, sizes) for part in range(1, size + 1)]
    return names, parameters


def get_proxy_mode():
    """Return the innermost trace of ``make_fx`` running in this thread, or None.

    >>> from tensh.fx.experimental.proxy_tensor import get_proxy_mode
    >>> get_proxy_mode() is None
    True
    """
    return next((mode for mode in reversed(state.dispatch_modes) if isinstance(mode, OperatorRecorder)), None)


__getattr__ = unsupported_lookup("torch.fx.experimental.proxy_tensor")
