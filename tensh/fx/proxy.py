"""Values of a traced program: operations on them become nodes of the graph."""

import copy
import dataclasses
import dis
import enum
import operator
import sys
import traceback
from bisect import bisect_left
from collections import OrderedDict
from types import FunctionType

from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override.points import armed, keep_armed
from tensh.fx import traceback as fx_traceback
from tensh.fx.codegen import MAGIC, REFLECTABLE
from tensh.fx.names import name_of_function
from tensh.fx.node import base_types, map_aggregate, map_arg

__all__ = [
    "Attribute",
    "GraphAppendingTracer",
    "ParameterProxy",
    "Proxy",
    "Scope",
    "ScopeContextManager",
    "TraceError",
    "TracerBase",
]

COPIED = ("nn_module_stack", "source_fn_stack", "from_node", "custom")
"""The entries of ``meta`` that a traced node copies from the running node."""


class TraceError(ValueError):
    """The program needs something that a graph cannot express, such as branching on an unknown value."""


class Scope:
    """The module whose ``forward`` is being traced: its path and its class."""

    def __init__(self, module_path, module_type):
        self.module_path, self.module_type = module_path, module_type


class ScopeContextManager:
    """A context in which ``scope`` is ``current_scope``."""

    def __init__(self, scope, current_scope):
        self._scope, self._before = scope, copy.copy(scope)
        scope.module_path, scope.module_type = current_scope.module_path, current_scope.module_type

    def __enter__(self):
        return self._scope

    def __exit__(self, *failure):
        self._scope.module_path, self._scope.module_type = self._before.module_path, self._before.module_type


class TracerBase:
    """Adds nodes to ``graph``, and determines what a proxy does where Python needs a value."""

    record_stack_traces = False
    check_mutable_operations = False
    trace_asserts = False
    proxy_buffer_attributes = False
    traced_func_name = "forward"

    def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):
        """Add a node whose arguments are nodes already; subclasses may refuse or change it."""
        node = self.graph.create_node(kind, target, args, kwargs, name, type_expr)
        self.node_name_to_scope[node.name] = self.scope.module_path, self.scope.module_type
        if fx_traceback.has_preserved_node_meta():
            meta = fx_traceback.get_current_meta()
            node.meta.update({key: copy.copy(meta[key]) for key in COPIED if key in meta})
            if meta.get("stack_trace"):
                node.stack_trace = meta["stack_trace"]
        elif self.module_stack:
            node.meta["nn_module_stack"] = copy.copy(self.module_stack)
        if self.record_stack_traces and not node.stack_trace:
            frames = traceback.extract_stack()
            first = next((place for place, frame in enumerate(frames) if frame.name == "forward"), len(frames))
            own = __file__.rpartition("tensh")[0] + "tensh"
            user = [frame for frame in frames[first:] if not frame.filename.startswith(own)]
            if user:
                node.stack_trace = "".join(traceback.format_list(user)).strip()
        return node

    def proxy(self, node):
        """Return the proxy of a node."""
        return Proxy(node, self)

    def create_proxy(self, kind, target, args, kwargs, name=None, type_expr=None, proxy_factory_fn=None):
        """Add a node for arguments of any kind, and return its proxy."""
        node = self.create_node(kind, target, self.create_arg(args), self.create_arg(kwargs), name, type_expr)
        return (proxy_factory_fn or self.proxy)(node)

    def create_arg(self, a):
        """Return ``a`` with nodes in place of proxies.  Raise NotImplementedError for unsupported values."""
        if isinstance(a, Proxy):
            return a.node
        if hasattr(a, "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, tuple):
            values = [self.create_arg(each) for each in a]
            return type(a)(*values) if hasattr(a, "_fields") else type(a)(values)
        if isinstance(a, list):
            return [self.create_arg(each) for each in a]
        if isinstance(a, dict):
            return {self._create_key(key): self.create_arg(value) for key, value in a.items()}
        if isinstance(a, (slice, range)):
            return type(a)(*(self.create_arg(each) for each in (a.start, a.stop, a.step)))
        if dataclasses.is_dataclass(a):
            values = {field.name: self.create_arg(getattr(a, field.name)) for field in dataclasses.fields(a)}
            return self.create_node("call_function", type(a), (), values)
        if isinstance(a, (*base_types, enum.Enum)) or a is None or a is ...:
            return a
        raise NotImplementedError(f"argument of type: {type(a)}")

    def _create_key(self, key):
        """Return a key of a dictionary, which cannot be a node."""
        if isinstance(key, str):
            return key

        def refuse(node):
            raise RuntimeError(f"Keys for dictionaries used as an argument cannot contain a Node. Got key: {node}")

        key = self.create_arg(key)
        map_arg(key, refuse)
        return key

    def to_bool(self, obj):
        """Raise TraceError for the truth value of a proxy; subclasses may return one."""
        raise TraceError("symbolically traced variables cannot be used as inputs to control flow")

    def iter(self, obj):
        """Raise TraceError for the iterator of a proxy; subclasses may return one."""
        raise TraceError(
            "Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a *args or **kwargs "
            "function argument. See the torch.fx docs on pytorch.org for a more detailed explanation of what types of control flow "
            "can be traced, and check out the Proxy docstring for help troubleshooting Proxy iteration errors"
        )

    def keys(self, obj):
        """Return a proxy for the keys of a proxy, which ``**`` requests."""
        return Attribute(obj, "keys")()


class GraphAppendingTracer(TracerBase):
    """The tracer of proxies that are made for nodes of an existing graph."""

    def __init__(self, graph):
        self.graph = graph
        self.scope = Scope("", None)
        self.module_stack, self.node_name_to_scope = OrderedDict(), {}


def assert_fn(x):
    """Raise AssertionError unless ``x`` is true; traced ``assert`` statements call this."""
    if not x:
        raise AssertionError("Assertion failed")


def current_instruction(frame):
    """Return (the instructions of a frame, the index of the current one)."""
    found = list(dis.get_instructions(frame.f_code))
    return found, bisect_left(found, frame.f_lasti, key=lambda each: each.offset)


class Proxy:
    """An unknown value in place of a tensor: functions, methods and operators on it add nodes to the graph.

    ``Proxy(node)`` adds them to the node's graph, at its insertion point. Loops over a proxy, ``len``, and branches on
    one raise TraceError, because a graph cannot express them. Unpacking to a known number of names works.

    >>> import tensh as torch
    >>> graph = torch.fx.Graph()
    >>> y = torch.relu(torch.fx.Proxy(graph.placeholder("x"))) + 1
    >>> y
    Proxy(add)
    >>> y.node.args
    (relu, 1)
    """

    def __init__(self, node, tracer=None):
        self.tracer = GraphAppendingTracer(node.graph) if tracer is None else tracer
        self.node = node
        if not armed.now:  # outside of a trace; during one, the functions are armed
            keep_armed()

    def __repr__(self):
        return f"Proxy({self.node.name})"

    def __getattr__(self, k):
        return Attribute(self, k)

    def __getstate__(self):
        return self.__dict__

    def __setstate__(self, state):
        self.__dict__ = state

    def __deepcopy__(self, memo):
        made = object.__new__(Proxy)
        for name, value in self.__dict__.items():
            try:
                made.__dict__[name] = copy.deepcopy(value, memo)
            except Exception:  # a tracer refers to modules of Python, which cannot be copied
                made.__dict__[name] = copy.copy(value)
        return made

    def __call__(self, *args, **kwargs):
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self):
        instructions, place = current_instruction(sys._getframe(1))
        if instructions[place].opname == "UNPACK_SEQUENCE":
            return (self[number] for number in range(instructions[place].argval))
        return self.tracer.iter(self)

    def __abs__(self):
        return self.tracer.create_proxy("call_function", operator.abs, (self,), {})

    def __bool__(self):
        if self.tracer.trace_asserts:
            instructions, place = current_instruction(sys._getframe(1))
            steps = [each.opname for each in instructions[place : place + 4] if each.opname not in SILENT_STEPS]
            if "POP_JUMP" in steps[0] and steps[1:2] and steps[1] in ASSERTION_STEPS:
                self.tracer.create_proxy("call_function", assert_fn, (self,), {})
                return True
        return self.tracer.to_bool(self)

    def keys(self):
        """Return the keys, for ``**``: a proxy."""
        return self.tracer.keys(self)

    def __len__(self):
        raise RuntimeError(
            "'len' is not supported in symbolic tracing by default. If you want this call to be recorded, please call "
            "torch.fx.wrap('len') at module scope"
        )

    @classmethod
    def __torch_function__(cls, orig_method, types, args=None, kwargs=None):
        args, kwargs, tracers = args or (), kwargs or {}, {}

        def find_tracer(value):
            if isinstance(value, Proxy):
                tracers[value.tracer] = None

        map_aggregate((args, kwargs), find_tracer)
        if len(tracers) > 1:
            raise RuntimeError(
                f"Found multiple different tracers {list(tracers)} while trying to trace operations {orig_method}"
            )
        (tracer,) = tracers
        if method := find_method(orig_method):
            return tracer.create_proxy("call_method", method, args, kwargs)
        name = tracer.graph._target_to_str(name_of_function(orig_method))
        return tracer.create_proxy("call_function", orig_method, args, kwargs, name=name)


SILENT_STEPS = ("COMPARE_OP", "TO_BOOL", "NOT_TAKEN")  # around a jump since Python 3.13, where comparisons give a bool
# first instruction of a failing assertion; the second is from 3.14
ASSERTION_STEPS = ("LOAD_ASSERTION_ERROR", "LOAD_COMMON_CONSTANT")
METHODS = {"__eq__": "eq"}
"""Methods of tensors that have another name in PyTorch."""
CALL_METHODS = ("sigmoid", "tanh")
"""Functions of ``torch.nn.functional`` that call the method with their name."""


def find_method(function):
    """Return the name of a tensor method, or of a property's accessor; None for other functions."""
    name = getattr(function, "__name__", None)
    if not isinstance(function, FunctionType):
        return name if isinstance(getattr(function, "__self__", None), property) else None
    if function.__module__ == "torch.nn.functional" and name in CALL_METHODS:
        return name
    is_member = function.__qualname__.startswith("Tensor.") or any(each is function for each in vars(Tensor).values())
    return METHODS.get(name, name) if is_member else None


class Attribute(Proxy):
    """An attribute of a proxy: a method to call, or, if used otherwise, a value read by ``getattr``."""

    def __init__(self, root, attr):
        self.root, self.attr, self.tracer = root, attr, root.tracer
        self._node = None

    @property
    def node(self):
        if self._node is None:  # added on demand: most attributes are called
            self._node = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {}).node
        return self._node

    def __call__(self, *args, **kwargs):
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


class ParameterProxy(Proxy):
    """The proxy of a parameter, whose shape is known while tracing."""

    def __init__(self, tracer, node, name, param):
        super().__init__(node, tracer)
        self.param, self.name = param, name

    def __repr__(self):
        return f"ParameterProxy({self.name})"

    shape = property(lambda self: self.param.shape)
    ndim = property(lambda self: self.param.ndim)

    def size(self):
        return self.param.size()

    def dim(self):
        return self.param.dim()

    def numel(self):
        return self.param.numel()

    nelement = numel


def define_operator(name, reflected=False):
    """Let one of Python's operators on proxies add a node."""
    function = getattr(operator, name, None)
    if function is None:  # Python 2's division
        return

    def apply(*args):
        return args[0].tracer.create_proxy("call_function", function, args[::-1] if reflected else args, {})

    apply.__name__ = apply.__qualname__ = f"__{'r' if reflected else ''}{name.strip('_')}__"
    setattr(Proxy, apply.__name__, apply)


for each in MAGIC:
    define_operator(each)
for each in REFLECTABLE:
    define_operator(each, reflected=True)
