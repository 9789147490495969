"""torch.fx.experimental: transformations of graphs.

Other names of this namespace in PyTorch are switched off.
"""

from tensh.engine.methods.namespaces import declare_namespace
from tensh.switched_off import lookup

SUBMODULES = (
    "const_fold", "merge_matmul", "meta_tracer", "normalize", "optimization", "proxy_tensor", "rewriter", "schema_type_annotation", "symbolic_shapes",
)  # fmt: skip
__all__ = list(SUBMODULES)

__getattr__, __dir__ = declare_namespace(
    "tensh.fx.experimental", globals(), {}, SUBMODULES, unsupported=lookup("torch.fx.experimental")
)
