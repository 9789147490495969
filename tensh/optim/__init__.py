"""torch.optim: optimizers, which update parameters by their gradients, and learning rate schedulers."""

from tensh.engine.methods.namespaces import declare_namespace

# Module -> the public names in it. Each module is loaded when one of its names is first asked for.
WHERE = {
    "tensh.optim.optimizer": "Optimizer",
    "tensh.optim.sgd": "SGD",
    "tensh.optim.adam": "Adam",
    "tensh.optim.sparse_adam": "SparseAdam",
    "tensh.optim.adamw": "AdamW",
    "tensh.optim.nadam": "NAdam",
    "tensh.optim.radam": "RAdam",
    "tensh.optim.adamax": "Adamax",
    "tensh.optim.adagrad": "Adagrad",
    "tensh.optim.adadelta": "Adadelta",
    "tensh.optim.rmsprop": "RMSprop",
    "tensh.optim.rprop": "Rprop",
    "tensh.optim.asgd": "ASGD",
    "tensh.optim.lbfgs": "LBFGS",
    "tensh.optim.adafactor": "Adafactor",
    "tensh.optim.muon": "Muon",
    "tensh.optim.swapping": "swap_in_optimizer_params_and_state",
}
PLACES = {name: module for module, names in WHERE.items() for name in names.split()}
SUBMODULES = ("lr_scheduler", "swa_utils")

__all__ = [*PLACES, *SUBMODULES]  # noqa: PLE0604 (they are strings)

__getattr__, __dir__ = declare_namespace("tensh.optim", globals(), PLACES, SUBMODULES)
