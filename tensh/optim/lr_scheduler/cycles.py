"""Learning rates that go up and down between two limits."""

import functools
import math
import types

from tensh.optim.lr_scheduler.base import LRScheduler, distribute_to_groups, require_optimizer, set_value
from tensh.optim.lr_scheduler.momentum import Momentum


def _always(cycle):
    return 1.0


def _halve(cycle):
    return 1 / 2.0 ** (cycle - 1)


def _power(gamma, step):
    return gamma**step


# Mode -> (the height of a triangle, its argument).
MODES = {"triangular": (_always, "cycle"), "triangular2": (_halve, "cycle"), "exp_range": (_power, "iterations")}


class CyclicLR(Momentum, LRScheduler):
    """Raise learning rates from ``base_lr`` to ``max_lr``, lower them again, and repeat.

    Rates rise in ``step_size_up`` steps and fall in ``step_size_down`` steps.
    The height of a triangle stays ("triangular"), halves each time ("triangular2"), shrinks by ``gamma`` with each step
    ("exp_range"), or is given by ``scale_fn``. Momentum changes in the opposite direction. Smith, Cyclical learning
    rates for training neural networks (2017). ``scale_mode`` says whether ``scale_fn`` takes the number of the cycle
    ("cycle") or of the step ("iterations"). With ``cycle_momentum``, the default, momentum moves between
    ``max_momentum`` and ``base_momentum``. Raise ValueError for an unknown mode, and for limits that are not one for
    each group.

    >>> import tensh as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0, momentum=0.9)
    >>> scheduler = torch.optim.lr_scheduler.CyclicLR(optimizer, base_lr=0.0, max_lr=1.0, step_size_up=2)
    >>> optimizer.step(); scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    _unsaved = ("optimizer", "_scale_fn_ref", "_scale_fn_custom")

    def __init__(
        self, optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None, mode="triangular", gamma=1.0,
        scale_fn=None, scale_mode="cycle", cycle_momentum=True, base_momentum=0.8, max_momentum=0.9, last_epoch=-1,
    ):  # fmt: skip
        self.optimizer = require_optimizer(optimizer)
        base_lrs = distribute_to_groups("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for group, lr in zip(optimizer.param_groups, base_lrs, strict=True):
                set_value(group, "lr", lr)
        self.max_lrs = distribute_to_groups("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        self.total_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio = up / self.total_size
        if mode not in MODES and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode, self.gamma, self._scale_fn_custom, self.scale_mode = mode, gamma, scale_fn, scale_mode
        self._choose_scale()
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._require_momentum()
            self.base_momentums = distribute_to_groups("base_momentum", optimizer, base_momentum)
            self.max_momentums = distribute_to_groups("max_momentum", optimizer, max_momentum)
            if last_epoch == -1:
                self._begin_momentum(self.base_momentums, self.max_momentums)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def _choose_scale(self):
        if self._scale_fn_custom is None:
            function, self.scale_mode = MODES[self.mode]
            self._scale_fn_ref = functools.partial(function, self.gamma) if function is _power else function

    def scale_fn(self, x):
        """Return the height of cycle or step ``x``."""
        return (self._scale_fn_custom or self._scale_fn_ref)(x)

    def get_lr(self):
        """Compute the rates of this step; set the momentum, too."""
        self._require_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        place = 1.0 + self.last_epoch / self.total_size - cycle
        up = self.step_ratio
        height = place / up if place <= up else (place - 1) / (up - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            limits = zip(self.optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True)
            for group, low, high in limits:
                self._set_momentum(group, high - (high - low) * height * scale)
        return [low + (high - low) * height * scale for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]

    def state_dict(self):
        """Return the scheduler's attributes; of a ``scale_fn`` that is a callable object, its attributes."""
        function = self._scale_fn_custom
        named = function is None or isinstance(function, types.FunctionType)
        return super().state_dict() | {"_scale_fn_custom": None if named else function.__dict__.copy()}

    def load_state_dict(self, state_dict):
        """Continue from the result of ``state_dict``, with the present ``scale_fn``."""
        attributes = state_dict["_scale_fn_custom"]
        super().load_state_dict({key: value for key, value in state_dict.items() if key != "_scale_fn_custom"})
        if attributes is not None:
            self._scale_fn_custom.__dict__.update(attributes)
        self._choose_scale()
