"""Half cosines, one after another."""

import math

from tensh.engine.arrays.uninterrupted import without_interrupts
from tensh.optim.lr_scheduler.base import LRScheduler


class CosineAnnealingWarmRestarts(LRScheduler):
    """Lower learning rates to ``eta_min`` along half a cosine, and restart, each time for ``T_mult`` times as long.

    Loshchilov and Hutter, SGDR: Stochastic gradient descent with warm restarts (2017). Raise ValueError unless ``T_0``
    and ``T_mult`` are positive integers and ``eta_min`` is a number.

    >>> import tensh as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
    >>> for _ in range(3):
    ...     optimizer.step(); scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0.0, last_epoch=-1):
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, float | int):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0, self.T_i, self.T_mult, self.eta_min, self.T_cur = T_0, T_0, T_mult, eta_min, last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        self._require_step()
        height = 1 + math.cos(math.pi * self.T_cur / self.T_i)
        return [self.eta_min + (lr - self.eta_min) * height / 2 for lr in self.base_lrs]

    @without_interrupts
    def step(self, epoch=None):
        """Set the next rates, or those of any ``epoch``, which may be a fraction."""
        if epoch is None and self.last_epoch >= 0:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        else:
            epoch = epoch or 0
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self._find(epoch)
        self.last_epoch = math.floor(epoch)
        self._set_lrs()

    def _find(self, epoch):
        """Set the length of the cycle that an epoch is in, ``T_i``, and the position in it, ``T_cur``."""
        first, times = self.T_0, self.T_mult
        if epoch < first:
            self.T_i, self.T_cur = first, epoch
        elif times == 1:
            self.T_cur = epoch % first
        else:
            number = int(math.log(epoch / first * (times - 1) + 1, times))
            self.T_cur = epoch - first * (times**number - 1) / (times - 1)
            self.T_i = first * times**number
