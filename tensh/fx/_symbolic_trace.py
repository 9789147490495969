"""Symbolic tracing: from a module or a function to a graph module."""

from tensh.fx._compatibility import compatibility  # noqa: F401 (libraries import it from here)
from tensh.fx.arguments import PH, PHBase, _assert_is_none  # noqa: F401 (the code of graphs calls it here)
from tensh.fx.for_tracers import (  # noqa: F401 (libraries import them from here)
    FunctionType,
    Proxy,
    ScriptObject,
    _autowrap_check,
    _create_wrapped_func,
    _find_proxy,
    _orig_module_call,
    _orig_module_getattr,
    _patch_wrapped_functions,
    _Patcher,
    functools,
)
from tensh.fx.graph_module import GraphModule
from tensh.fx.tracer import ProxyableClassMeta, Tracer, is_fx_symbolic_tracing, is_fx_tracing
from tensh.fx.wrapping import wrap
from tensh.nn.modules.module import Module

__all__ = [
    "PH",
    "PHBase",
    "ProxyableClassMeta",
    "Tracer",
    "is_fx_symbolic_tracing",
    "is_fx_tracing",
    "symbolic_trace",
    "wrap",
]


def symbolic_trace(root, concrete_args=None):
    """Trace a module or a function into a ``GraphModule``, which computes the same and can be inspected and changed.

    Arguments are proxies during the trace: Python's loops and branches run then, once, and only operations on tensors
    remain. Arguments in ``concrete_args`` (name -> value) keep their values. Raise TraceError where the program needs
    an unknown value.

    >>> import tensh as torch
    >>> gm = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    >>> print(gm.code.strip())
    def forward(self, x):
        relu = torch.relu(x);  x = None
        add = relu + 1;  relu = None
        return add
    >>> gm(torch.tensor([-1., 1.]))
    tensor([1., 2.])
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, Module) else root.__name__
    return GraphModule(tracer.root, graph, name)
