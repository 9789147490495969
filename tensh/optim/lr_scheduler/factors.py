"""Rates times the result of a custom function."""

import types

from tensh.optim.lr_scheduler.base import LRScheduler


class LambdaLR(LRScheduler):
    """Set learning rates to their initial values times ``lr_lambda(step)``.

    ``lr_lambda`` is one function, or one for each group. Raise ValueError for another number of them.

    >>> import tensh as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 / (1 + step))
    >>> optimizer.step(); scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    _unsaved = ("optimizer", "lr_lambdas")

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        self.optimizer = optimizer
        groups = len(optimizer.param_groups)
        if not isinstance(lr_lambda, list | tuple):
            lr_lambda = [lr_lambda] * groups
        elif len(lr_lambda) != groups:
            raise ValueError(f"Expected {groups} lr_lambdas, but got {len(lr_lambda)}")
        for function in lr_lambda:
            self._accept(function)
        self.lr_lambdas = list(lr_lambda)
        super().__init__(optimizer, last_epoch)

    def _accept(self, function):
        """Accept any value; one that is not callable fails at the first step."""

    def state_dict(self):
        """Return the scheduler's attributes; of functions that are callable objects, their attributes."""
        attributes = [None if isinstance(f, types.FunctionType) else f.__dict__.copy() for f in self.lr_lambdas]
        return super().state_dict() | {"lr_lambdas": attributes}

    def load_state_dict(self, state_dict):
        """Continue from the result of ``state_dict``, with the present functions."""
        super().load_state_dict({key: value for key, value in state_dict.items() if key != "lr_lambdas"})
        for function, attributes in zip(self.lr_lambdas, state_dict["lr_lambdas"]):
            if attributes is not None:
                function.__dict__.update(attributes)

    def get_lr(self):
        self._require_step()
        return [base * f(self.last_epoch) for f, base in zip(self.lr_lambdas, self.base_lrs, strict=True)]


class MultiplicativeLR(LambdaLR):
    """Multiply learning rates by ``lr_lambda(step)``, from the first step on.

    ``lr_lambda`` is one function, or one for each group. Raise ValueError for another number of them.

    >>> import tensh as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda step: 0.5)
    >>> optimizer.step(); scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    def _accept(self, function):
        if not callable(function):
            raise TypeError(f"lr_lambda should be a function, but got {type(function).__name__}")

    def get_lr(self):
        self._require_step()
        if self._is_initial:
            return self._read_rates()
        groups = self.optimizer.param_groups
        return [group["lr"] * f(self.last_epoch) for f, group in zip(self.lr_lambdas, groups, strict=True)]
