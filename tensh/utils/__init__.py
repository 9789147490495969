"""torch.utils: what training programs use beside layers and optimisers."""

import importlib
import importlib.util

from tensh.engine.absent import absent

SUBMODULES = ("checkpoint", "data", "safetensors")


def __getattr__(name):
    if name in SUBMODULES and importlib.util.find_spec(f"tensh.utils.{name}"):
        return importlib.import_module(f"tensh.utils.{name}")
    raise absent("torch.utils", name)


def __dir__():
    return sorted(name for name in SUBMODULES if importlib.util.find_spec(f"tensh.utils.{name}"))
