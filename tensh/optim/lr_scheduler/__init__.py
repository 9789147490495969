"""torch.optim.lr_scheduler: learning rates that follow a plan."""

import importlib

from tensh.engine.methods.unsupported import unsupported_name

# Where a name is found: module -> names. Each is loaded when it is first asked for.
WHERE = {
    "base": "LRScheduler",
    "factors": "LambdaLR MultiplicativeLR",
    "plans": "StepLR MultiStepLR ConstantLR LinearLR ExponentialLR PolynomialLR CosineAnnealingLR",
    "restarts": "CosineAnnealingWarmRestarts",
    "cycles": "CyclicLR",
    "onecycle": "OneCycleLR",
    "together": "SequentialLR ChainedScheduler",
    "plateau": "ReduceLROnPlateau",
}
PLACES = {name: module for module, names in WHERE.items() for name in names.split()}
OLD = {"_LRScheduler": "LRScheduler"}

__all__ = list(PLACES)


def __getattr__(name):
    known = OLD.get(name, name)
    if known not in PLACES:
        raise unsupported_name("torch.optim.lr_scheduler", name)
    value = globals()[name] = getattr(importlib.import_module(f"{__name__}.{PLACES[known]}"), known)
    return value


def __dir__():
    return sorted(__all__)
