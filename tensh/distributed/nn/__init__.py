"""torch.distributed.nn: differentiable collectives."""

from tensh.distributed.nn.functional import *  # noqa: F403
from tensh.distributed.nn.functional import __all__  # noqa: F401
from tensh.switched_off import lookup

__getattr__ = lookup("torch.distributed.nn")
