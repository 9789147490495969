"""torch.nn: modules, parameters, and what layers compute."""

import importlib

from tensh.engine.absent import absent

# Where a name is found: module -> names. Each is loaded when it is first asked for.
WHERE = {
    "tensh.nn.parameter": "Parameter Buffer",
    "tensh.nn.modules.module": "Module",
    "tensh.nn.modules.containers": "Sequential ModuleList ModuleDict",
    "tensh.nn.modules.parameter_containers": "ParameterList ParameterDict",
    "tensh.nn.modules.linear": "Identity Linear",
}
PLACES = {name: module for module, names in WHERE.items() for name in names.split()}
SUBMODULES = ("functional", "init", "modules", "parameter")

__all__ = [*PLACES, *SUBMODULES]  # noqa: PLE0604 (they are strings)


def __getattr__(name):
    if name in SUBMODULES:
        return importlib.import_module(f"tensh.nn.{name}")
    if name not in PLACES:
        raise absent("torch.nn", name)
    value = globals()[name] = getattr(importlib.import_module(PLACES[name]), name)
    return value


def __dir__():
    return sorted(__all__)
