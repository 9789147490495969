"""torch.distributed.algorithms: processes with different numbers of inputs; other names are switched off."""

from tensh.switched_off import lookup

__getattr__ = lookup("torch.distributed.algorithms")
