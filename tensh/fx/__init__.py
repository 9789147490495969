"""torch.fx: programs as graphs that Python code can inspect and change: trace, transform, and run the result.

Other names of this namespace in PyTorch are switched off.
"""

from tensh.engine.methods.namespaces import declare_namespace
from tensh.switched_off import lookup

WHERE = {
    "tensh.fx._symbolic_trace": "PH ProxyableClassMeta Tracer symbolic_trace",
    "tensh.fx.wrapping": "wrap",
    "tensh.fx.codegen": "CodeGen",
    "tensh.fx.graph": "Graph",
    "tensh.fx.graph_module": "GraphModule",
    "tensh.fx.interpreter": "Interpreter Transformer",
    "tensh.fx.node": "Node has_side_effect map_arg",
    "tensh.fx.proxy": "Proxy",
    "tensh.fx.subgraph_rewriter": "replace_pattern",
}
"""Module -> its public names."""

NAMES = {name: module for module, names in WHERE.items() for name in names.split()}
__all__ = [name for name in NAMES if name != "PH"]
SUBMODULES = (
    "_pytree", "_symbolic_trace", "annotate", "experimental", "graph", "graph_module", "immutable_collections", "interpreter", "node", "operator_schemas",
    "passes", "proxy", "subgraph_rewriter", "tensor_type", "traceback",
)  # fmt: skip

__getattr__, __dir__ = declare_namespace("tensh.fx", globals(), NAMES, SUBMODULES, unsupported=lookup("torch.fx"))
