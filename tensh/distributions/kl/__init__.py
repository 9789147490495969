"""torch.distributions.kl: divergences of one distribution from another.

``within`` holds the formulas of one family, ``between`` those of two families on numbers, ``vectors`` those of normal
vectors, ``dispatch`` the choice among all that are registered.
"""

from tensh.distributions.kl import between, vectors, within  # noqa: F401 (what they register)
from tensh.distributions.kl.dispatch import kl_divergence, register_kl

__all__ = ["register_kl", "kl_divergence"]
