"""torch.nn.functional: what layers compute, as functions."""

import tensh.engine  # noqa: F401
from tensh.engine.functional.layers import LAYERS
from tensh.engine.table import function


def __getattr__(name):
    if name in LAYERS:
        value = globals()[name] = function(LAYERS[name])
        return value
    raise AttributeError(f"module 'torch.nn.functional' has no attribute '{name}'")


def __dir__():
    return sorted(LAYERS)
