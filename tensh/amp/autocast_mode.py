"""torch.amp.autocast_mode: ``autocast`` under the name of PyTorch's module, and the calls that stand for it in graphs."""

from tensh.amp.custom import convert as _cast  # noqa: F401 (libraries import it from here)
from tensh.amp.custom import custom_bwd, custom_fwd
from tensh.amp.regions import autocast, is_autocast_available

__all__ = ["autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]


def _enter_autocast(*settings):
    """Enter a region with the settings of ``autocast``, and return it."""
    region = autocast(*settings)
    region.__enter__()
    return region


def _exit_autocast(region):
    """Leave a region."""
    region.__exit__(None, None, None)


_enter_autocast.__module__ = _exit_autocast.__module__ = "torch.amp.autocast_mode"
