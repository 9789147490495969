"""torch.fx.passes: what is computed of a graph.

What else PyTorch has in this namespace is switched off.
"""

from tensh.namespace import declare_namespace
from tensh.switched_off import lookup

SUBMODULES = ("infra", "shape_prop", "split_module", "utils")
__all__ = list(SUBMODULES)

__getattr__, __dir__ = declare_namespace(
    "tensh.fx.passes", globals(), {}, SUBMODULES, unsupported=lookup("torch.fx.passes")
)
