"""torch.amp: operators that choose their precision (``autocast``), and the scaler of losses.

A program that never enters ``autocast`` pays nothing for it: see Note [Autocast] in casting.py.
"""

from tensh.amp.custom import custom_bwd, custom_fwd  # noqa: F401
from tensh.amp.regions import autocast, is_autocast_available  # noqa: F401
from tensh.amp.scaler import GradScaler  # noqa: F401
from tensh.amp.settings import is_autocast_enabled  # noqa: F401
from tensh.switched_off import lookup

__getattr__ = lookup("torch.amp")


def __dir__():
    return ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]
