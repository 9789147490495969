"""torch.__future__: how modules convert their parameters.

Parameters of tensh stay the same objects when a module is converted, as with swapping in PyTorch; therefore
``set_swap_module_params_on_conversion`` has no effect.
"""

from tensh.nn.modules import conversion

__all__ = [
    "get_overwrite_module_params_on_conversion", "get_swap_module_params_on_conversion",
    "set_overwrite_module_params_on_conversion", "set_swap_module_params_on_conversion",
]  # fmt: skip


def set_overwrite_module_params_on_conversion(value):
    """Set whether ``module.to(...)`` creates new parameters in place of changing the existing ones.

    >>> import tensh as torch
    >>> layer = torch.nn.Linear(1, 1)
    >>> weight = layer.weight
    >>> layer.double().weight is weight
    True
    """
    conversion.overwrite = value


def get_overwrite_module_params_on_conversion():
    """Return the last value set; False at the start."""
    return conversion.overwrite


def set_swap_module_params_on_conversion(value):
    """Store the value, which has no effect: parameters stay the same objects."""
    conversion.swap = value


def get_swap_module_params_on_conversion():
    """Return the last value set; False at the start."""
    return conversion.swap
