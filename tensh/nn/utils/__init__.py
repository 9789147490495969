"""torch.nn.utils: gradients clipped, parameters as one vector, weights reparametrized, sequences padded and packed."""

import importlib

from tensh.engine.absent import absent

# Where a name is found: module -> names. Each is loaded when it is first asked for.
WHERE = {
    "tensh.nn.utils.rnn": "",
}
PLACES = {name: module for module, names in WHERE.items() for name in names.split()}
SUBMODULES = tuple(module.rpartition(".")[2] for module in WHERE)

__all__ = [*PLACES, *SUBMODULES]  # noqa: PLE0604 (they are strings)


def __getattr__(name):
    if name in PLACES:
        value = globals()[name] = getattr(importlib.import_module(PLACES[name]), name)
        return value
    if name in SUBMODULES:
        return importlib.import_module(f"tensh.nn.utils.{name}")
    raise absent("torch.nn.utils", name)


def __dir__():
    return sorted(__all__)
