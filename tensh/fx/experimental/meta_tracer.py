"""A tracer whose values know their shapes and dtypes, which are those of examples without elements."""

import copy

from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.warnings import warn
from tensh.fx.graph_module import GraphModule
from tensh.fx.node import map_aggregate
from tensh.fx.proxy import Proxy
from tensh.fx.tracer import Tracer
from tensh.nn.modules.module import Module

__all__ = ["MetaProxy", "MetaTracer", "symbolic_trace"]


class MetaProxy(Proxy):
    """A value of a trace with an example on the device "meta": its sizes and its dtype are those of the example."""

    def install_tensor_meta(self, tensor_meta):
        """Set the example."""
        self._tensor_meta = tensor_meta

    @property
    def shape(self):
        """The sizes of the example."""
        return self.read_example("shape", lambda example: example.shape)

    @property
    def dtype(self):
        """The dtype of the example."""
        return self.read_example("dtype", lambda example: example.dtype)

    @property
    def device(self):
        """The device of the value, read by a node of the graph: that of every example is "meta"."""
        return super().__getattr__("device")

    def size(self, dim=None):
        """Return the sizes of the example, or one of them."""
        given = () if dim is None else (dim,)
        return self.read_example("size", lambda example: example.size(*given), given)

    def dim(self):
        """Return the number of dimensions of the example."""
        return self.read_example("dim", lambda example: example.dim(), ())

    def read_example(self, name, read, given=None):
        """Return ``read(example)``; without an example, record the attribute, or the method with the arguments ``given``."""
        example = self.__dict__.get("_tensor_meta")
        if isinstance(example, Tensor):
            return read(example)
        return (
            super().__getattr__(name)
            if given is None
            else self.tracer.create_proxy("call_method", name, (self, *given), {})
        )


class MetaTracer(Tracer):
    """A tracer of ``MetaProxy`` values."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.meta_args = {}

    def proxy(self, node):
        """Return the value of a node."""
        return MetaProxy(node, self)

    def create_proxy(self, kind, target, args, kwargs, *more, **options):
        """Add a node, and compute the example of its value; warn where that fails."""
        made = super().create_proxy(kind, target, args, kwargs, *more, **options)
        if kind == "placeholder":
            example = self.meta_args.get(target)
        else:
            try:
                example = self.compute(kind, target, *map_aggregate((tuple(args), dict(kwargs)), find_example))
            except Exception as error:
                warn(f"Could not compute metadata for {kind} target {target}: {error}")
                return made
        if isinstance(made, MetaProxy) and example is not None:
            made.install_tensor_meta(example)
        return made

    def compute(self, kind, target, args, kwargs):
        """Return the example of a call."""
        if kind == "call_function":
            return target(*args, **kwargs)
        if kind == "call_method":
            return getattr(args[0], target)(*args[1:], **kwargs)
        if kind == "call_module":
            module = copy.deepcopy(self.root.get_submodule(target)).to("meta")
            return module.forward(*args, **kwargs)
        return None

    def trace(self, root, meta_args, concrete_args=None):
        """Return the graph of a function or module; ``meta_args`` are examples by the names of arguments."""
        self.meta_args = meta_args
        return super().trace(root, concrete_args)


def find_example(value):
    """Return the example of a value of the trace; others unchanged."""
    if not isinstance(value, Proxy):
        return value
    if "_tensor_meta" not in value.__dict__:
        raise ValueError(f"{value.node.name} has no example")
    return value.__dict__["_tensor_meta"]


def symbolic_trace(root, meta_args=None, concrete_args=None):
    """Trace a function or module that decides on sizes; ``meta_args`` are examples on "meta" by the names of arguments.

    >>> import tensh as torch
    >>> from tensh.fx.experimental.meta_tracer import symbolic_trace
    >>> made = symbolic_trace(lambda x: x.relu() if x.shape[0] > 1 else x, {"x": torch.empty(2, device="meta")})
    >>> [node.name for node in made.graph.nodes]
    ['x', 'relu', 'output']
    """
    tracer = MetaTracer()
    graph = tracer.trace(root, meta_args or {}, concrete_args)
    name = type(root).__name__ if isinstance(root, Module) else root.__name__
    return GraphModule(tracer.root, graph, name)
