"""torch.amp: operators that choose their precision (``autocast``), and the scaler of losses.

A program that never enters ``autocast`` pays nothing for it: see Note [Autocast] in casting.py.
"""

from tensh.amp.custom import custom_bwd, custom_fwd
from tensh.amp.regions import autocast, is_autocast_available
from tensh.amp.scaler import GradScaler
from tensh.amp.settings import is_autocast_enabled  # noqa: F401
from tensh.switched_off import lookup

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]

__getattr__ = lookup("torch.amp")


def __dir__():
    return ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]
