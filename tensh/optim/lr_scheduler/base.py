"""LRScheduler: a learning rate for each group and step, computed from the previous rate or the step number."""

import contextlib
import functools
import weakref

from tensh.engine.arrays.uninterrupted import Uninterrupted
from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.warnings import warn
from tensh.optim.optimizer import Optimizer

HOW = "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
OVERRIDDEN = (
    "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. Please, make sure to "
    f"call `optimizer.step()` before `lr_scheduler.step()`. See more details at {HOW}"
)
TOO_EARLY = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call them in "
    "the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in PyTorch "
    f"skipping the first value of the learning rate schedule. See more details at {HOW}"
)
EPOCH = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed form is "
    "used instead of the new chainable form, where available. Please open an issue if you are unable to replicate your use "
    "case: https://github.com/pytorch/pytorch/issues/new/choose."
)
NO_START = (
    "param 'initial_lr' is not specified in param_groups[{}] when resuming scheduler with last_epoch >= 0.\n"
    "This typically happens when:\n"
    "1. You're trying to resume training from a checkpoint but haven't properly loaded the optimizer state\n"
    "2. You're using last_epoch >= 0 for a fresh training run (not recommended)"
)


class LRScheduler:
    """Base of schedulers: each ``step()`` sets ``group["lr"]`` of all groups to what ``get_lr()`` computes.

    A subclass defines ``get_lr``, from ``self.base_lrs`` (the rates at the start), the groups' present rates, and
    ``self.last_epoch``, the number of steps so far. Constructing a scheduler takes the first step, number 0; with a
    ``last_epoch`` it raises KeyError for groups without an ``initial_lr``.

    >>> import tensh as torch
    >>> class Halves(torch.optim.lr_scheduler.LRScheduler):
    ...     def get_lr(self):
    ...         return [lr * 0.5**self.last_epoch for lr in self.base_lrs]
    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=0.8)
    >>> scheduler = Halves(optimizer)
    >>> optimizer.step(); scheduler.step()
    >>> scheduler.get_last_lr()
    [0.4]
    """

    _get_lr_called_within_step = False
    _is_initial = False
    _unsaved = ("optimizer",)  # attributes that are not part of the state

    def __init__(self, optimizer, last_epoch=-1):
        self.optimizer = require_optimizer(optimizer)
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", copy_value(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(NO_START.format(number))
        self.base_lrs = read_groups(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        _watch_steps(optimizer)
        self._initial_step()

    def _initial_step(self):
        self._step_count = 0
        with _set(self, "_is_initial"):
            self.step()

    def state_dict(self):
        """Return the scheduler's attributes except the optimizer, as a dictionary."""
        return {key: value for key, value in self.__dict__.items() if key not in self._unsaved}

    def load_state_dict(self, state_dict):
        """Continue from the result of ``state_dict``; load the optimizer's, too."""
        self.__dict__.update(state_dict)

    def get_last_lr(self):
        """Return the current rates, one for each group."""
        return self._last_lr

    def get_lr(self):
        """Compute the rates of this step; called by ``step`` only."""
        raise NotImplementedError

    def step(self, epoch=None):
        """Set the rates of the next step; with the deprecated ``epoch``, those of the step with this number."""
        if self._step_count == 1:
            if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
                warn(OVERRIDDEN)
            elif not getattr(self.optimizer, "_opt_called", False):
                warn(TOO_EARLY)
        if epoch is not None:
            warn(EPOCH)
        with Uninterrupted():
            self._step_count += 1
            self._update_lr(epoch)

    def _update_lr(self, epoch=None):
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self._set_lrs("get_lr" if epoch is None or not hasattr(self, "_get_closed_form_lr") else "_get_closed_form_lr")

    def _set_lrs(self, method="get_lr"):
        with _set(self, "_get_lr_called_within_step"):
            values = getattr(self, method)()
        for group, lr in zip(self.optimizer.param_groups, values, strict=True):
            set_value(group, "lr", lr)
        self._last_lr = self._read_rates()

    def _read_rates(self):
        """Return the rates of all groups."""
        return read_groups(self.optimizer, "lr")

    def _times(self, factor):
        """Return the rates of all groups, times a factor."""
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def _require_step(self):
        """Warn if the user called ``get_lr``."""
        if not self._get_lr_called_within_step:
            warn("To get the last learning rate computed by the scheduler, please use `get_last_lr()`.")


def require_optimizer(optimizer):
    """Return the optimizer; raise TypeError for any other object."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
    return optimizer


def copy_value(value):
    """Return a value, cloned if it is a tensor."""
    return value.clone() if isinstance(value, Tensor) else value


def read_groups(optimizer, name):
    """Return an option of every group."""
    return [copy_value(group[name]) for group in optimizer.param_groups]


def set_value(group, name, value):
    """Set an option of a group; a tensor is written in place."""
    if isinstance(group[name], Tensor):
        group[name].fill_(value.squeeze() if isinstance(value, Tensor) else value)
    else:
        group[name] = value


def distribute_to_groups(name, optimizer, value):
    """Return one value for each group, from a list or a single value."""
    groups = optimizer.param_groups
    if not isinstance(value, list | tuple):
        value = [value] * len(groups)
    elif len(value) != len(groups):
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, "
            f"param_groups has {len(groups)}."
        )
    return [copy_value(each) for each in value]


@contextlib.contextmanager
def _set(scheduler, flag):
    setattr(scheduler, flag, True)
    try:
        yield
    finally:
        setattr(scheduler, flag, False)


def _watch_steps(optimizer):
    """Wrap the optimizer's ``step`` to note that it was called."""
    if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return
    function, reference = optimizer.step.__func__, weakref.ref(optimizer)

    @functools.wraps(function)
    def step(*args, **kwargs):
        optimizer = reference()
        optimizer._opt_called = True
        return function.__get__(optimizer, type(optimizer))(*args, **kwargs)

    step._wrapped_by_lr_sched = True
    optimizer.step = step


class _LRScheduler(LRScheduler):
    """The former name of ``LRScheduler``, from which the schedulers of older programs inherit."""
