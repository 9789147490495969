"""torch.fx.passes.infra: passes, and what runs several of them.

What else PyTorch has in this namespace is switched off.
"""

from tensh.namespace import declare_namespace
from tensh.switched_off import lookup

SUBMODULES = ("pass_base", "pass_manager")
__all__ = list(SUBMODULES)

__getattr__, __dir__ = declare_namespace(
    "tensh.fx.passes.infra", globals(), {}, SUBMODULES, unsupported=lookup("torch.fx.passes.infra")
)
