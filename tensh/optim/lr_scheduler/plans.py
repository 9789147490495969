"""Rates that are a function of the step.

Each scheduler has two forms: ``get_lr`` continues from the present rates, so that several schedulers can be combined,
and ``_get_closed_form_lr`` computes them from the initial rates.
"""

import math
from bisect import bisect_right
from collections import Counter

from tensh.optim.lr_scheduler.base import LRScheduler


class StepLR(LRScheduler):
    """Multiply learning rates by ``gamma`` every ``step_size`` steps.

    >>> import tensh as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    >>> for _ in range(4):
    ...     optimizer.step(); scheduler.step()
    >>> scheduler.get_last_lr()
    [0.25]
    """

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        self._require_step()
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return self._read_rates()
        return self._times(self.gamma)

    def _get_closed_form_lr(self):
        return [lr * self.gamma ** (self.last_epoch // self.step_size) for lr in self.base_lrs]


class MultiStepLR(LRScheduler):
    """Multiply learning rates by ``gamma`` at each of the ``milestones``.

    >>> import tensh as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[1, 3], gamma=0.5)
    >>> for _ in range(4):
    ...     optimizer.step(); scheduler.step()
    >>> scheduler.get_last_lr()
    [0.25]
    """

    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1):
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        self._require_step()
        if self.last_epoch not in self.milestones:
            return self._read_rates()
        return self._times(self.gamma ** self.milestones[self.last_epoch])

    def _get_closed_form_lr(self):
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [lr * self.gamma**passed for lr in self.base_lrs]


class ConstantLR(LRScheduler):
    """Multiply learning rates by ``factor`` for the first ``total_iters`` steps.

    Raise ValueError for a factor outside [0, 1].

    >>> import tensh as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=2)
    >>> scheduler.get_last_lr()
    [0.5]
    """

    def __init__(self, optimizer, factor=1.0 / 3, total_iters=5, last_epoch=-1):
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        self._require_step()
        if self.last_epoch == 0:
            return self._times(self.factor)
        return self._times(1.0 / self.factor) if self.last_epoch == self.total_iters else self._read_rates()

    def _get_closed_form_lr(self):
        factor = self.factor + (self.last_epoch >= self.total_iters) * (1 - self.factor)
        return [lr * factor for lr in self.base_lrs]


class LinearLR(LRScheduler):
    """Multiply learning rates by a factor that goes from ``start_factor`` to ``end_factor`` in ``total_iters`` equal steps.

    Raise ValueError for factors outside [0, 1] and for a start at 0.

    >>> import tensh as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=2)
    >>> optimizer.step(); scheduler.step()
    >>> scheduler.get_last_lr()
    [0.75]
    """

    def __init__(self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5, last_epoch=-1):
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        self._require_step()
        if self.last_epoch == 0:
            return self._times(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._read_rates()
        way = self.end_factor - self.start_factor
        return self._times(1.0 + way / (self.total_iters * self.start_factor + (self.last_epoch - 1) * way))

    def _get_closed_form_lr(self):
        way = self.end_factor - self.start_factor
        factor = self.start_factor + way * min(self.total_iters, self.last_epoch) / self.total_iters
        return [lr * factor for lr in self.base_lrs]


class ExponentialLR(LRScheduler):
    """Multiply learning rates by ``gamma`` at each step.

    >>> import tensh as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> optimizer.step(); scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    def __init__(self, optimizer, gamma, last_epoch=-1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        self._require_step()
        return self._read_rates() if self._is_initial else self._times(self.gamma)

    def _get_closed_form_lr(self):
        return [lr * self.gamma**self.last_epoch for lr in self.base_lrs]


class PolynomialLR(LRScheduler):
    """Multiply learning rates by ``(1 - step / total_iters) ** power``: down to zero in ``total_iters`` steps.

    >>> import tensh as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=2)
    >>> optimizer.step(); scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    def __init__(self, optimizer, total_iters=5, power=1.0, last_epoch=-1):
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        self._require_step()
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._read_rates()
        now, before = (1.0 - step / self.total_iters for step in (self.last_epoch, self.last_epoch - 1))
        return self._times((now / before) ** self.power)

    def _get_closed_form_lr(self):
        remaining = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [lr * remaining**self.power for lr in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """Move learning rates to ``eta_min`` along half a cosine of ``T_max`` steps, and back again.

    >>> import tensh as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=2)
    >>> optimizer.step(); scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        self._require_step()
        step, span, least = self.last_epoch, self.T_max, self.eta_min
        if self._is_initial:
            return self._read_rates()
        if self._step_count == 1 and step > 0:
            return [least + (base - least) * (1 + math.cos(step * math.pi / span)) / 2 for base in self.base_lrs]
        lrs = [group["lr"] for group in self.optimizer.param_groups]
        if (step - 1 - span) % (2 * span) == 0:  # at the lowest point there is no ratio
            return [
                lr + (base - least) * (1 - math.cos(math.pi / span)) / 2
                for base, lr in zip(self.base_lrs, lrs, strict=True)
            ]
        ratio = (1 + math.cos(math.pi * step / span)) / (1 + math.cos(math.pi * (step - 1) / span))
        return [ratio * (lr - least) + least for lr in lrs]

    def _get_closed_form_lr(self):
        height = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        return [self.eta_min + (lr - self.eta_min) * height / 2 for lr in self.base_lrs]
