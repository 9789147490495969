"""torch.nn.functional: what layers compute, as functions."""

from tensh.engine import PUBLIC
from tensh.engine.functional.layers import LAYERS
from tensh.engine.table import function

SHARED = frozenset("relu relu_ sigmoid tanh softmax log_softmax".split())  # the same functions as in torch


def __getattr__(name):
    if name in LAYERS:
        return LAYERS[name]
    if name in SHARED and name in PUBLIC:
        return function(PUBLIC[name])
    raise AttributeError(f"module 'torch.nn.functional' has no attribute '{name}'")


def __dir__():
    return sorted({*LAYERS, *(SHARED & PUBLIC.keys())})
