"""torch.fx.passes.dialect: passes over graphs of operators.

Other names of this namespace in PyTorch are switched off.
"""

from tensh.engine.methods.namespaces import declare_namespace
from tensh.switched_off import lookup

SUBMODULES = ("common",)
__all__ = list(SUBMODULES)

__getattr__, __dir__ = declare_namespace(
    "tensh.fx.passes.dialect", globals(), {}, SUBMODULES, unsupported=lookup("torch.fx.passes.dialect")
)
