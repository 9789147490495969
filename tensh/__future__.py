"""torch.__future__: how modules convert their parameters.

Parameters of tensh stay the same objects when a module is converted, which is what swapping gives in PyTorch; so
``set_swap_module_params_on_conversion`` is kept and changes nothing.
"""

from tensh.nn.modules import conversion

__all__ = [
    "get_overwrite_module_params_on_conversion", "get_swap_module_params_on_conversion",
    "set_overwrite_module_params_on_conversion", "set_swap_module_params_on_conversion",
]  # fmt: skip


def set_overwrite_module_params_on_conversion(value):
    """True if ``module.to(...)`` gives a module new parameters, instead of changing those that it has.

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
    """Kept; parameters stay the same objects in any case."""
    conversion.swap = value


def get_swap_module_params_on_conversion():
    """Return the last value set; False at the start."""
    return conversion.swap
