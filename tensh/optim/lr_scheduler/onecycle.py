"""Rates that rise once, and fall almost to zero."""

import math

from tensh.optim.lr_scheduler.base import LRScheduler, distribute_to_groups, require_optimizer
from tensh.optim.lr_scheduler.momentum import Momentum


def _anneal_cosine(start, end, part):
    return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)


def _anneal_linear(start, end, part):
    return (end - start) * part + start


ANNEALING = {"cos": _anneal_cosine, "linear": _anneal_linear}


class OneCycleLR(Momentum, LRScheduler):
    """Raise learning rates from ``max_lr / div_factor`` to ``max_lr``, then lower them to the first / ``final_div_factor``.

    Called after each batch. ``pct_start`` is the share of rising steps. With ``three_phase`` the fall first mirrors the
    rise. Momentum changes in the opposite direction. Smith and Topin, Super-convergence (2018). The steps are
    ``total_steps``, or ``epochs`` times ``steps_per_epoch``. With ``cycle_momentum``, the default, momentum moves
    between ``max_momentum`` and ``base_momentum``. Raise ValueError for a part outside [0, 1], an unknown
    ``anneal_strategy``, and without a number of steps.

    >>> import tensh as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0, momentum=0.9)
    >>> scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1.0, total_steps=10)
    >>> for _ in range(2):
    ...     optimizer.step(); scheduler.step()
    >>> scheduler.get_last_lr()
    [1.0]
    """

    def __init__(
        self, optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None, pct_start=0.3,
        anneal_strategy="cos", cycle_momentum=True, base_momentum=0.85, max_momentum=0.95, div_factor=25.0,
        final_div_factor=1e4, three_phase=False, last_epoch=-1,
    ):  # fmt: skip
        self.optimizer = require_optimizer(optimizer)
        self.total_steps = _total(total_steps, epochs, steps_per_epoch)
        self._schedule_phases = _phases(self.total_steps, pct_start, three_phase)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ANNEALING:
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = anneal_strategy
        max_lrs = distribute_to_groups("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for group, largest in zip(optimizer.param_groups, max_lrs, strict=True):
                group["initial_lr"], group["max_lr"] = largest / div_factor, largest
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._require_momentum()
            high = distribute_to_groups("max_momentum", optimizer, max_momentum)
            low = distribute_to_groups("base_momentum", optimizer, base_momentum)
            if last_epoch == -1:
                self._begin_momentum(low, high)
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """Compute the rates of this step; set the momentum, too.  Raise ValueError after the last."""
        self._require_step()
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The specified number of total steps is {self.total_steps}")
        between = ANNEALING[self._anneal_func_type]
        phases = self._schedule_phases
        number = next((i for i, phase in enumerate(phases) if step <= phase["end_step"]), len(phases) - 1)
        phase, start = phases[number], phases[number - 1]["end_step"] if number else 0.0
        part = (step - start) / (phase["end_step"] - start)
        lrs = []
        for group in self.optimizer.param_groups:
            lrs.append(between(group[phase["start_lr"]], group[phase["end_lr"]], part))
            if self.cycle_momentum:
                self._set_momentum(group, between(group[phase["start_momentum"]], group[phase["end_momentum"]], part))
        return lrs


def _total(total_steps, epochs, steps_per_epoch):
    """Return the number of steps, from either form of arguments."""
    if total_steps is not None:
        return _positive(total_steps, "total_steps")
    if epochs is not None and steps_per_epoch is not None:
        return _positive(epochs, "epochs") * _positive(steps_per_epoch, "steps_per_epoch")
    raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")


def _positive(value, name):
    if value <= 0 or not isinstance(value, int):
        raise ValueError(f"Expected positive integer {name}, but got {value}")
    return value


def _phases(total, part, three_phase):
    """Return the phases: the end of each, and the options of a group that are its first and last rate and momentum."""
    up, last = float(part * total) - 1, total - 1
    names = ("end_step", "start_lr", "end_lr", "start_momentum", "end_momentum")
    phases = [(up, "initial_lr", "max_lr", "max_momentum", "base_momentum")]
    if three_phase:
        down = float(2 * part * total) - 2
        phases.append((down, "max_lr", "initial_lr", "base_momentum", "max_momentum"))
        phases.append((last, "initial_lr", "min_lr", "max_momentum", "max_momentum"))
    else:
        phases.append((last, "max_lr", "min_lr", "base_momentum", "max_momentum"))
    return [dict(zip(names, phase)) for phase in phases]
