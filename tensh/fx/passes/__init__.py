"""torch.fx.passes: analyses and transformations of graphs.

Other names of this namespace in PyTorch are switched off.
"""

from tensh.engine.methods.namespaces import declare_namespace
from tensh.switched_off import lookup

SUBMODULES = (
    "dialect",
    "graph_drawer",
    "graph_manipulation",
    "infra",
    "operator_support",
    "pass_manager",
    "reinplace",
    "shape_prop",
    "split_module",
    "split_utils",
    "splitter_base",
    "tools_common",
    "utils",
)
__all__ = list(SUBMODULES)

__getattr__, __dir__ = declare_namespace(
    "tensh.fx.passes", globals(), {}, SUBMODULES, unsupported=lookup("torch.fx.passes")
)
