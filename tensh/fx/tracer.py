"""The tracer: a function or module runs on proxies, and its operations become a graph."""

import functools
import inspect
import math
import threading
from collections import OrderedDict, defaultdict
from types import FunctionType

from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override.points import Search
from tensh.func.trees import TreeSpec
from tensh.fx.arguments import create_inputs
from tensh.fx.graph import Graph
from tensh.fx.patching import Patcher, find_proxy
from tensh.fx.proxy import ParameterProxy, Scope, ScopeContextManager, TracerBase
from tensh.nn.modules.containers import Sequential
from tensh.nn.modules.module import Module
from tensh.nn.parameter import is_parameter

PROXYABLE = set()
CONSTANTS = {Tensor: "_tensor_constant", TreeSpec: "_tree_spec_constant"}
"""Type of a value that becomes an attribute of the module -> prefix of the attribute's name."""


class RunningTraces(threading.local):
    """The running traces of a thread."""

    depth = 0


running = RunningTraces()


def is_fx_tracing():
    """Return True if a symbolic trace is running in this thread."""
    return running.depth > 0


is_fx_symbolic_tracing = is_fx_tracing


class ProxyableClassMeta(type):
    """The metaclass of classes whose construction from proxies becomes a node.

    >>> import tensh as torch
    >>> class Pair(metaclass=torch.fx.ProxyableClassMeta):
    ...     def __init__(self, left, right):
    ...         self.left, self.right = left, right
    >>> graph = torch.fx.Tracer().trace(lambda x: Pair(x, x).left)
    >>> [node.name for node in graph.nodes]
    ['x', 'pair', 'getattr_1', 'output']
    """

    def __init__(cls, name, bases, attrs):
        PROXYABLE.add(cls)
        super().__init__(name, bases, attrs)

    def __call__(cls, *args, **kwargs):
        proxy = find_proxy(args, kwargs) if is_fx_tracing() else None
        if proxy is not None:
            return proxy.tracer.create_proxy("call_function", cls, args, kwargs)
        return super().__call__(*args, **kwargs)


class Tracer(TracerBase):
    """Traces functions and modules; subclasses may override its methods.

    ``autowrap_modules`` and ``autowrap_functions`` are leaves without ``wrap``: the functions of Python modules, and
    single functions. With ``param_shapes_constant``, shapes of parameters are known while tracing.

    >>> import tensh as torch
    >>> class Deep(torch.fx.Tracer):
    ...     def is_leaf_module(self, m, module_qualified_name):
    ...         return False
    >>> graph = Deep().trace(torch.nn.Sequential(torch.nn.ReLU()))
    >>> [node.op for node in graph.nodes]
    ['placeholder', 'call_function', 'output']
    """

    def __init__(self, autowrap_modules=(math,), autowrap_functions=(), param_shapes_constant=False):
        self._autowrap_search = list(autowrap_modules)
        self._autowrap_function_ids = {id(function) for function in autowrap_functions} | {
            id(value)
            for module in autowrap_modules
            for name, value in vars(module).items()
            if not name.startswith("_") and callable(value)
        }
        self.param_shapes_constant = param_shapes_constant
        self.submodule_paths, self.root_module_name = None, ""
        self.scope = Scope("", None)
        self.module_stack, self.num_calls, self.node_name_to_scope = OrderedDict(), {}, {}
        self._constants = defaultdict(int)

    # ── what is traced, and how ──────────────────────────────────────────────

    def is_leaf_module(self, m, module_qualified_name):
        """Return True if a call of module ``m`` is one node, as for layers of ``torch.nn`` except Sequential."""
        return m.__module__.startswith(("torch.nn", "torch.ao.nn")) and not isinstance(m, Sequential)

    def path_of_module(self, mod):
        """Return the path of a module below the root, such as ``"encoder.0"``.  Raise NameError if it is no submodule."""
        paths = self.submodule_paths or {each: name for name, each in self.root.named_modules()}
        if mod not in paths:
            raise NameError("module is not installed as a submodule")
        return paths[mod]

    def call_module(self, m, forward, args, kwargs):
        """Call module ``m``: return the proxy of a node for a leaf, otherwise the result of the traced ``forward``."""
        path = self.path_of_module(m)
        with ScopeContextManager(self.scope, Scope(path, type(m))) as scope:
            calls = self.num_calls.get(path, 0)
            self.num_calls[path] = calls + 1
            key = f"{path}@{calls}" if calls else path
            self.module_stack[key] = path, scope.module_type
            try:
                if self.is_leaf_module(m, path):
                    return self.create_proxy("call_module", path, args, kwargs)
                return forward(*args, **kwargs)
            finally:
                self.module_stack.popitem()

    def getattr(self, attr, attr_val, parameter_proxy_cache):
        """Return the value of an attribute of a module; a parameter becomes a proxy, made once."""
        members = ()
        if is_parameter(attr_val):
            members = self.root.named_parameters()
        elif self.proxy_buffer_attributes and isinstance(attr_val, Tensor):
            members = self.root.named_buffers()
        path = next((name for name, value in members if value is attr_val), None)
        if path is None:
            return attr_val
        if path not in parameter_proxy_cache:
            factory = (lambda node: ParameterProxy(self, node, path, attr_val)) if self.param_shapes_constant else None
            parameter_proxy_cache[path] = self.create_proxy("get_attr", path, (), {}, proxy_factory_fn=factory)
        return parameter_proxy_cache[path]

    def create_arg(self, a):
        """Return ``a`` as an argument of a node: members by their path, other tensors as new attributes."""
        if is_parameter(a):
            path = next((name for name, value in self.root.named_parameters() if value is a), None)
            if path is None:
                raise NameError("parameter is not a member of this module")
            return self.create_node("get_attr", path, (), {})
        for kind, members in ((Tensor, "named_buffers"), (Module, "named_modules")):
            if isinstance(a, kind):
                path = next((name for name, value in getattr(self.root, members)() if value is a), None)
                if path is not None:
                    return self.create_node("get_attr", path, (), {})
        if isinstance(a, tuple) and hasattr(a, "_fields"):
            return self.create_node("call_function", type(a), tuple(map(self.create_arg, a)), {})
        if isinstance(a, tuple(CONSTANTS)):
            return self.create_node("get_attr", self._add_constant(a), (), {})
        if type(a) in PROXYABLE:
            path = self.get_fresh_qualname(f"_{type(a).__name__}_constant_")
            setattr(self.root, path, a)
            return self.create_node("get_attr", path, (), {})
        return super().create_arg(a)

    def _add_constant(self, value):
        """Return the attribute of the root that is ``value``; add one if there is none."""
        path = next((path for path, each in self._attributes.items() if each is value), None)
        if path is None:
            path = self.get_fresh_qualname(next(name for kind, name in CONSTANTS.items() if isinstance(value, kind)))
            self._attributes[path] = value
            setattr(self.root, path, value)
        return path

    def get_fresh_qualname(self, prefix):
        """Return an unused attribute name of the root: ``prefix`` and a number."""
        number = 0 if not hasattr(self.root, f"{prefix}0") else self._constants[prefix]
        while hasattr(self.root, f"{prefix}{number}"):
            number += 1
        self._constants[prefix] = number
        return f"{prefix}{number}"

    # ── the trace ────────────────────────────────────────────────────────────

    def trace(self, root, concrete_args=None):
        """Return the ``Graph`` of a module or function.  Values in ``concrete_args`` (name -> value) are not traced.

        Raise TraceError if the program needs an unknown value, as ``if x.sum() > 0`` does.
        """
        is_module = isinstance(root, Module)
        if is_module:
            self.root = root
            if not hasattr(type(root), self.traced_func_name):
                raise AssertionError(f"traced_func_name={self.traced_func_name} doesn't exist in {type(root).__name__}")
            function = getattr(type(root), self.traced_func_name)
            self.root_module_name = root._get_name()
            self.submodule_paths = {module: name for name, module in root.named_modules()}
        else:
            self.root, function = Module(), root
        self.graph = Graph(tracer_cls=type(self))
        if code := getattr(function, "__code__", None):
            self.graph._co_fields = {name: getattr(code, name) for name in ("co_name", "co_filename", "co_firstlineno")}
        self._attributes = {
            f"{path}.{name}" if path else name: value
            for path, module in self.root.named_modules()
            for name, value in vars(module).items()
            if isinstance(value, tuple(CONSTANTS))
        }
        if not isinstance(function, FunctionType):
            raise AssertionError(f"Expected FunctionType, got {type(function)}")
        running.depth += 1
        try:
            with Search():
                self._run(function, is_module, concrete_args)
        finally:
            running.depth -= 1
        self.submodule_paths = None
        return self.graph

    def _run(self, function, is_module, concrete_args):
        """Call the function on proxies of its parameters, and add the output."""
        names = function.__globals__
        called, args = self.create_args_for_root(function, is_module, concrete_args)
        with Patcher() as patcher:
            get_member, call, proxies, thread = Module.__getattr__, Module.__call__, {}, threading.get_ident()

            @functools.wraps(get_member)
            def traced_getattr(module, name):
                value = get_member(module, name)
                return self.getattr(name, value, proxies) if threading.get_ident() == thread else value

            @functools.wraps(call)
            def traced_call(module, *args, **kwargs):
                if threading.get_ident() != thread:
                    return call(module, *args, **kwargs)
                forward = getattr(module, "forward", module)
                patcher.patch_functions(getattr(forward, "__globals__", {}), self._autowrap_function_ids)
                return self.call_module(module, functools.partial(call, module), args, kwargs)

            patcher.patch_method(Module, "__getattr__", traced_getattr)
            patcher.patch_method(Module, "__call__", traced_call)
            patcher.patch_wrapped()
            for each in (names, *map(vars, self._autowrap_search)):
                patcher.patch_functions(each, self._autowrap_function_ids)
            result = self.create_arg(called(*args))
            annotation = inspect.get_annotations(inspect.unwrap(function)).get("return")
            self.create_node("output", "output", (result,), {}, type_expr=annotation)

    def create_args_for_root(self, root_fn, is_module, concrete_args=None):
        """Return (function, its arguments), with inputs of the graph for the parameters of the traced function."""
        return create_inputs(self, root_fn, is_module, concrete_args)
