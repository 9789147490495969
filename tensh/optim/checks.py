"""Checks of optimizers' arguments: each declared once, with PyTorch's message."""

from tensh.engine.core.tensor import Tensor

BETA = "Invalid beta parameter at index {}: {}"

CAPTURING = ["cuda", "xpu", "hpu", "privateuseone", "xla"]  # devices that can capture their work


def check_minimum(least):
    return lambda value: least <= value


def check_maximum(most):
    return lambda value: most >= value


# Argument -> (condition, message for other values).
REQUIRED = {
    "lr": (check_minimum(0.0), "Invalid learning rate: {}"),
    "eps": (check_minimum(0.0), "Invalid epsilon value: {}"),
    "momentum": (check_minimum(0.0), "Invalid momentum value: {}"),
    "weight_decay": (check_minimum(0.0), "Invalid weight_decay value: {}"),
    "momentum_decay": (check_minimum(0.0), "Invalid momentum_decay value: {}"),
    "lr_decay": (check_minimum(0.0), "Invalid lr_decay value: {}"),
    "initial_accumulator_value": (check_minimum(0.0), "Invalid initial_accumulator_value value: {}"),
    "alpha": (check_minimum(0.0), "Invalid alpha value: {}"),
    "rho": (lambda value: 0.0 <= value <= 1.0, "Invalid rho value: {}"),
    "beta1": (lambda value: 0.0 <= value < 1.0, BETA.format(0, "{}")),
    "beta2": (lambda value: 0.0 <= value < 1.0, BETA.format(1, "{}")),
}

# The oldest optimizer accepts nan.
REQUIRED_OF_SGD = {
    name: (lambda value: not value < 0.0, REQUIRED[name][1]) for name in ("lr", "momentum", "weight_decay")
}

# Newer optimizers have another message.
REQUIRED_OF_YOUNG = {
    "lr": (check_minimum(0.0), "Learning rate should be >= 0 but is: {}"),
    "momentum": (check_minimum(0.0), "momentum should be >= 0 but is: {}"),
    "beta2_decay": (check_maximum(0.0), "beta2_decay should be <= 0 but is: {}"),
    "epsilon1": (lambda value: value is None or check_minimum(0.0)(value), "epsilon1 should be >= 0 but is: {}"),
    "epsilon2": (check_minimum(0.0), "epsilon2 should be >= 0 but is: {}"),
    "d": (check_minimum(1.0), "Clipping threshold d should be >= 1 but is: {}"),
    "weight_decay": (check_minimum(0.0), "weight_decay should be >= 0 but is: {}"),
    "decay": (check_minimum(0.0), "weight decay should be >= 0 but is: {}"),
}


def refuse_sparse_gradients(name):
    """Raise the RuntimeError of the optimizer of this name."""
    name = name.removesuffix("W")  # AdamW is Adam with another decay
    instead = ", please consider SparseAdam instead" if name == "Adam" else ""
    raise RuntimeError(f"{name} does not support sparse gradients{instead}")


def require(declared=REQUIRED, **values):
    """Raise ValueError for the first of the values, in their order, that is invalid.

    ``betas`` stands for ``beta1`` and ``beta2``; a tensor among the values must have one element.
    """
    for name, value in values.items():
        if name == "betas":
            require(declared, beta1=value[0])
            require(declared, beta2=value[1])
            continue
        if name == "lr" and isinstance(value, Tensor) and value.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        holds, message = declared[name]
        if not holds(value):
            raise ValueError(message.format(value))


def require_one_way(fused, foreach, differentiable):
    """Raise RuntimeError for implementations of PyTorch's update that exclude each other."""
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


def require_fusible(params):
    """Raise RuntimeError for parameters that have a gradient, but no fused update in PyTorch."""
    for p in params:
        if p.grad is not None and not p.is_floating_point():
            raise RuntimeError(
                "`fused=True` requires all the params to be floating point Tensors of supported devices: "
                f"['mps', 'cuda', 'xpu', 'hpu', 'cpu', 'mtia', 'privateuseone'] but {p.dtype} and {p.device}"
            )
