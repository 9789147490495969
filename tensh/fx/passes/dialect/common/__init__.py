"""torch.fx.passes.dialect.common: passes over graphs of any operators.

Other names of this namespace in PyTorch are switched off.
"""

from tensh.engine.methods.namespaces import declare_namespace
from tensh.switched_off import lookup

SUBMODULES = ("cse_pass",)
__all__ = list(SUBMODULES)

__getattr__, __dir__ = declare_namespace(
    "tensh.fx.passes.dialect.common", globals(), {}, SUBMODULES, unsupported=lookup("torch.fx.passes.dialect.common")
)
