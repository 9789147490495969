"""The layers of torch.nn, also under their names in torch.nn.modules."""

import importlib
import pkgutil

from tensh.engine.methods.unsupported import unsupported_name

SUBMODULES = {module.name: module.name for module in pkgutil.iter_modules(__path__)} | {"container": "containers"}


def __getattr__(name):
    from tensh import nn

    if name == "__all__":
        return [each for each, module in nn.PLACES.items() if module.startswith("tensh.nn.modules.")]
    if name in SUBMODULES:
        return importlib.import_module(f"tensh.nn.modules.{SUBMODULES[name]}")
    if name in nn.PLACES:
        return getattr(nn, name)
    raise unsupported_name("torch.nn.modules", name)
