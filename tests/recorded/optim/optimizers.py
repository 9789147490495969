"""Optimizers in several settings, and what becomes of parameters under them, on any module with PyTorch's interface."""

import numpy as np

SETTINGS = {
    "SGD": [{}, {"momentum": 0.9}, {"momentum": 0.9, "dampening": 0.3, "weight_decay": 0.1, "maximize": True},
            {"momentum": 0.8, "nesterov": True, "weight_decay": 0.01}, {"lr": 0.1, "foreach": True}, {"fused": True},
            {"lr": 0.0}, {"momentum": 0.9, "nesterov": True, "maximize": True, "foreach": False},
            {"momentum": 0.9, "fused": True}],
    "Adam": [{}, {"lr": 0.1, "betas": (0.8, 0.99), "eps": 1e-3}, {"weight_decay": 0.1, "maximize": True},
             {"amsgrad": True, "lr": 0.05}, {"decoupled_weight_decay": True, "weight_decay": 0.1}, {"foreach": True},
             {"fused": True}, {"betas": (0.4, 0.9)},
             {"amsgrad": True, "foreach": True, "weight_decay": 0.1, "maximize": True}, {"betas": (0.0, 0.0)},
             {"fused": True, "amsgrad": True, "weight_decay": 0.1}, {"eps": 0.0}],
    "AdamW": [{}, {"lr": 0.1, "weight_decay": 0.3, "amsgrad": True}, {"fused": True},
              {"foreach": True, "maximize": True}, {"betas": (0.5, 0.9), "eps": 1e-3}],
    "NAdam": [{}, {"lr": 0.1, "momentum_decay": 0.1, "weight_decay": 0.1},
              {"decoupled_weight_decay": True, "weight_decay": 0.1, "maximize": True}, {"foreach": True},
              {"betas": (0.5, 0.9), "eps": 1e-2, "momentum_decay": 0.5}],
    "RAdam": [{}, {"lr": 0.1, "betas": (0.8, 0.9), "weight_decay": 0.1},
              {"decoupled_weight_decay": True, "weight_decay": 0.1, "maximize": True}, {"foreach": True},
              {"betas": (0.5, 0.6), "eps": 1e-2}, {"betas": (0.9, 0.3)}],
    "Adamax": [{}, {"lr": 0.1, "weight_decay": 0.1, "maximize": True}, {"foreach": True}, {"betas": (0.5, 0.6), "eps": 1e-2}],
    "Adagrad": [{}, {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.5},
                {"maximize": True}, {"foreach": True}, {"fused": True, "lr_decay": 0.1, "weight_decay": 0.1},
                {"eps": 1e-2}],
    "Adadelta": [{}, {"lr": 0.5, "rho": 0.8, "weight_decay": 0.1, "maximize": True}, {"foreach": True},
                 {"eps": 1e-2, "rho": 0.5}],
    "RMSprop": [{}, {"momentum": 0.9, "centered": True}, {"centered": True, "weight_decay": 0.1, "alpha": 0.4},
                {"momentum": 0.5, "maximize": True}, {"foreach": True}, {"alpha": 0}],
    "Rprop": [{}, {"etas": (0.3, 1.5), "step_sizes": (1e-4, 0.1), "maximize": True}, {"foreach": True}, {"lr": 0.3}],
    "ASGD": [{}, {"lr": 0.1, "lambd": 0.1, "alpha": 0.5, "t0": 3, "weight_decay": 0.1}, {"maximize": True},
             {"t0": 0, "lr": 0.1}],
    "Adafactor": [{}, {"lr": 0.1, "eps": (1e-3, 1e-2), "d": 2.0, "weight_decay": 0.1, "maximize": True},
                  {"foreach": True, "beta2_decay": -0.5}],
    "Muon": [{}, {"lr": 0.1, "nesterov": False, "adjust_lr_fn": "match_rms_adamw"}, {"ns_steps": 3},
             {"weight_decay": 0.0, "momentum": 0.5}, {"ns_coefficients": (3.0, -4.0, 2.0)}],
    "LBFGS": [{"lr": 0.1}, {"max_iter": 4, "history_size": 3}, {"line_search_fn": "strong_wolfe"},
              {"line_search_fn": "strong_wolfe", "max_iter": 5, "max_eval": 7, "lr": 2},
              {"lr": 0.1, "max_iter": 3, "tolerance_grad": 0.1}, {"max_iter": 30, "tolerance_change": 0.1},
              {"line_search_fn": "strong_wolfe", "history_size": 2, "lr": 0.3}],
}  # fmt: skip
DTYPES = ("float32", "float64", "bfloat16", "float16", "complex64")
OF = {"Muon": DTYPES[:2], "Adafactor": DTYPES[:2], "LBFGS": ("float64", "complex128")}  # others take all
STEPS = {"LBFGS": 2}  # others take 10; it would arrive, and then rounding decides how

CASES = [
    (name, options, dtype)
    for name, settings in SETTINGS.items()
    for options in settings
    for dtype in OF.get(name, DTYPES)
    if not (dtype == "complex64" and options.get("fused"))
]


def trained(torch, name, options, dtype, steps=None, loads=False):
    """Return (parameters, optimizer) after some steps down a bent valley; matrices alone where only these are taken.

    With ``loads`` another optimizer continues from the state of the first, halfway.
    """
    generator = np.random.default_rng(0)
    shapes = [(3, 4), (4, 2)] if name == "Muon" else [(3, 4), (5,), ()]
    params, targets = [], []
    for shape in shapes:
        start, target = generator.normal(size=(2, *shape)), generator.normal(size=shape)
        value = start[0] + 1j * start[1] if dtype.startswith("complex") else start[0]
        params.append(torch.tensor(value, dtype=getattr(torch, dtype)).requires_grad_())
        targets.append(torch.tensor(target, dtype=getattr(torch, dtype)))
    optimizer = getattr(torch.optim, name)(params, **options)

    def closure():
        optimizer.zero_grad()
        loss = sum(((p - t).abs() ** 2).sum() * (i + 1) for i, (p, t) in enumerate(zip(params, targets)))
        loss = loss + 0.01 * sum((p.abs() ** 2).sum() for p in params) ** 2
        loss.backward()
        return loss

    count = steps or STEPS.get(name, 10)
    for step in range(count):
        if loads and step == count // 2:
            state, optimizer = optimizer.state_dict(), getattr(torch.optim, name)(params)
            optimizer.load_state_dict(state)
        optimizer.step(closure)
    return params, optimizer


def plain(value):
    """Tensors as (dtype, shape, numbers), in whatever holds them."""
    if hasattr(value, "detach"):
        value = value.detach()
        wide = value if value.is_complex() else value.double()
        return "tensor", str(value.dtype), list(value.shape), np.asarray(wide.tolist(), wide.numpy().dtype)
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value
