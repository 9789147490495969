"""torch.optim.lr_scheduler: schedules of learning rates."""

from tensh.engine.methods.namespaces import declare_namespace

# Module -> the public names in it. Each module is loaded when one of its names is first asked for.
WHERE = {
    "base": "LRScheduler _LRScheduler",
    "factors": "LambdaLR MultiplicativeLR",
    "plans": "StepLR MultiStepLR ConstantLR LinearLR ExponentialLR PolynomialLR CosineAnnealingLR",
    "restarts": "CosineAnnealingWarmRestarts",
    "cycles": "CyclicLR",
    "onecycle": "OneCycleLR",
    "together": "SequentialLR ChainedScheduler",
    "plateau": "ReduceLROnPlateau",
}
PLACES = {name: module for module, names in WHERE.items() for name in names.split()}

__all__ = [name for name in PLACES if name[0] != "_"]

__getattr__, __dir__ = declare_namespace("tensh.optim.lr_scheduler", globals(), PLACES)
