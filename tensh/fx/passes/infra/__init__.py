"""torch.fx.passes.infra: passes, and a manager that runs several.

Other names of this namespace in PyTorch are switched off.
"""

from tensh.engine.methods.namespaces import declare_namespace
from tensh.switched_off import lookup

SUBMODULES = ("partitioner", "pass_base", "pass_manager")
__all__ = list(SUBMODULES)

__getattr__, __dir__ = declare_namespace(
    "tensh.fx.passes.infra", globals(), {}, SUBMODULES, unsupported=lookup("torch.fx.passes.infra")
)
