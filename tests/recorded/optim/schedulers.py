"""Schedulers of learning rates in several settings, and what they do in thirty steps, on PyTorch or its like."""

import math

# Expressions over `s` (the module of schedulers) and `o` (an optimizer with two groups).
CASES = [
    "s.LambdaLR(o, lambda step: 0.9**step)",
    "s.LambdaLR(o, [lambda step: 1 / (1 + step), lambda step: step % 3])",
    "s.MultiplicativeLR(o, lambda step: 0.95)",
    "s.StepLR(o, step_size=4, gamma=0.3)",
    "s.MultiStepLR(o, [3, 8, 8, 20])",
    "s.ConstantLR(o)",
    "s.ConstantLR(o, factor=0.5, total_iters=12)",
    "s.LinearLR(o)",
    "s.LinearLR(o, start_factor=1.0, end_factor=0.0, total_iters=25)",
    "s.ExponentialLR(o, gamma=0.9)",
    "s.PolynomialLR(o, total_iters=20, power=2.0)",
    "s.CosineAnnealingLR(o, T_max=7, eta_min=0.01)",
    "s.CosineAnnealingLR(o, T_max=40)",
    "s.CosineAnnealingWarmRestarts(o, T_0=5)",
    "s.CosineAnnealingWarmRestarts(o, T_0=3, T_mult=2, eta_min=0.01)",
    "s.CyclicLR(o, 0.01, 0.1, step_size_up=5)",
    "s.CyclicLR(o, [0.01, 0.02], [0.1, 0.3], step_size_up=5, step_size_down=3, mode='triangular2')",
    "s.CyclicLR(o, 0.01, 0.1, step_size_up=4, mode='exp_range', gamma=0.95, cycle_momentum=False)",
    "s.CyclicLR(o, 0.01, 0.1, step_size_up=4, scale_fn=lambda x: 0.5 ** (x - 1), scale_mode='iterations')",
    "s.OneCycleLR(o, max_lr=0.5, total_steps=31)",
    "s.OneCycleLR(o, max_lr=[0.5, 0.2], epochs=8, steps_per_epoch=4, anneal_strategy='linear', pct_start=0.4)",
    "s.OneCycleLR(o, max_lr=0.5, total_steps=35, three_phase=True, cycle_momentum=False, div_factor=10.0)",
    "s.SequentialLR(o, [s.ConstantLR(o, factor=0.1, total_iters=20), s.ExponentialLR(o, gamma=0.9)], [6])",
    "s.SequentialLR(o, [s.LinearLR(o, 0.1, total_iters=5), s.CosineAnnealingLR(o, 9), s.StepLR(o, 3)], [5, 17])",
    "s.ChainedScheduler([s.ConstantLR(o, factor=0.1, total_iters=3), s.ExponentialLR(o, gamma=0.9)])",
    "s.ReduceLROnPlateau(o, patience=2, factor=0.5, cooldown=1)",
    "s.ReduceLROnPlateau(o, mode='max', patience=0, threshold=0.5, threshold_mode='abs', min_lr=[1e-3, 1e-2])",
    "swa.SWALR(o, swa_lr=0.02, anneal_epochs=8)",
    "swa.SWALR(o, swa_lr=[0.02, 0.3], anneal_epochs=0, anneal_strategy='linear')",
]


def steps(torch, case, optimizer, is_tensor=False, count=30):
    """The state of the scheduler, rates and momenta after each step, and after one more of a scheduler that loaded it.

    Tensors count as numbers; with ``is_tensor`` the rates are tensors.
    """
    o = _optimizer(torch, optimizer, is_tensor)
    names = {"s": torch.optim.lr_scheduler, "o": o, "swa": torch.optim.swa_utils}
    scheduler = eval(case, names)
    for step in range(count):
        yield known(scheduler, o)
        o.step()
        scheduler.step(*[abs(math.sin(step)) * 3] * ("Plateau" in case))
    yield known(scheduler, o)
    o = _optimizer(torch, optimizer, is_tensor)
    again = eval(case, names | {"o": o})
    again.load_state_dict(scheduler.state_dict())
    again.step(*[1.0] * ("Plateau" in case))
    yield known(again, o)


def _optimizer(torch, name, is_tensor):
    groups = [{"params": [torch.ones(2).requires_grad_()]}, {"params": [torch.ones(1).requires_grad_()], "lr": 0.3}]
    options = {"momentum": 0.9} if name == "SGD" else {}
    return getattr(torch.optim, name)(groups, lr=torch.tensor(0.1) if is_tensor else 0.1, **options)


def known(scheduler, optimizer):
    groups = [{key: value for key, value in group.items() if key != "params"} for group in optimizer.param_groups]
    return plain({"state": scheduler.state_dict(), "last": scheduler.get_last_lr(), "groups": groups})


def plain(value):
    if hasattr(value, "item"):
        return value.item()
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value if isinstance(value, int | float | str | None) else type(value).__name__
