"""torch.distributions.kl: Kullback-Leibler divergences between distributions.

``within`` holds the formulas for one family, ``between`` those for two families of numbers, ``vectors`` those for
normal vectors, ``dispatch`` the choice among all registered functions.
"""

from tensh.distributions.kl import between, vectors, within  # noqa: F401 (what they register)
from tensh.distributions.kl.dispatch import _KL_REGISTRY, kl_divergence, register_kl  # noqa: F401

__all__ = ["register_kl", "kl_divergence"]
