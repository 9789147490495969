"""Several schedulers for one optimizer."""

from bisect import bisect_right

from tensh.engine.arrays.uninterrupted import without_interrupts
from tensh.optim.lr_scheduler.base import LRScheduler, set_value
from tensh.optim.lr_scheduler.plateau import ReduceLROnPlateau


class Several(LRScheduler):
    """Base of schedulers composed of schedulers: checks, and a state that includes those of the parts."""

    _unsaved = ("optimizer", "_schedulers")

    def _require_parts(self, schedulers, optimizer):
        name = type(self).__name__
        for number, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise TypeError(f"{name} at index {number} should have `optimizer` as its attribute.")
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(
                    f"{name} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be "
                    f"specified when calling `step`, but got one at index {number} in the given schedulers sequence."
                )
            if optimizer != scheduler.optimizer:
                raise ValueError(
                    f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                    f"{type(scheduler).__name__} at index {number} has {scheduler.optimizer}, which is different from "
                    f"{type(optimizer).__name__}."
                )

    def state_dict(self):
        """Return the scheduler's attributes, with the states of its parts."""
        return super().state_dict() | {"_schedulers": [each.state_dict() for each in self._schedulers]}

    def load_state_dict(self, state_dict):
        """Continue from the result of ``state_dict``, in all parts."""
        super().load_state_dict({key: value for key, value in state_dict.items() if key != "_schedulers"})
        for scheduler, state in zip(self._schedulers, state_dict["_schedulers"]):
            scheduler.load_state_dict(state)


class SequentialLR(Several):
    """Use one scheduler after another: each of the ``milestones`` begins the next.

    Raise ValueError without schedulers, for a number of milestones that does not fit, for ReduceLROnPlateau, and for
    schedulers of another optimizer.

    >>> import tensh as torch
    >>> from tensh.optim.lr_scheduler import ConstantLR, ExponentialLR, SequentialLR
    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> parts = [ConstantLR(optimizer, factor=0.1, total_iters=9), ExponentialLR(optimizer, gamma=0.5)]
    >>> scheduler = SequentialLR(optimizer, parts, milestones=[2])
    >>> for _ in range(3):
    ...     optimizer.step(); scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    def __init__(self, optimizer, schedulers, milestones, last_epoch=-1):
        if len(schedulers) < 1:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler, but got no scheduler.")
        self._require_parts(schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of milestone "
                f"points, but got number of schedulers {len(schedulers)} and the number of milestones to be equal to "
                f"{len(milestones)}"
            )
        self._schedulers, self._milestones = schedulers, milestones
        self.last_epoch, self.optimizer = last_epoch + 1, optimizer
        for group in optimizer.param_groups:
            set_value(group, "lr", group["initial_lr"])
        self.recursive_undo()  # each part took its first step in its constructor
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def recursive_undo(self, sched=None):
        """Take back the first step of all parts, and of their parts."""
        scheduler = self if sched is None else sched
        for part in getattr(scheduler, "_schedulers", ()):
            self.recursive_undo(part)
        if not hasattr(scheduler, "_schedulers") and hasattr(scheduler, "last_epoch"):
            scheduler.last_epoch -= 1

    @without_interrupts
    def step(self):
        """Step the current scheduler."""
        self.last_epoch += 1
        number = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[number]
        if number > 0 and self._milestones[number - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(Several):
    """Step all schedulers together, each applied to the rates of the previous one.

    Raise ValueError without schedulers, for ReduceLROnPlateau, and for schedulers of different optimizers.

    >>> import tensh as torch
    >>> from tensh.optim.lr_scheduler import ChainedScheduler, ConstantLR, ExponentialLR
    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> scheduler = ChainedScheduler([ConstantLR(optimizer, factor=0.5), ExponentialLR(optimizer, gamma=0.5)])
    >>> optimizer.step(); scheduler.step()
    >>> scheduler.get_last_lr()
    [0.25]
    """

    def __init__(self, schedulers, optimizer=None):
        if len(schedulers) < 1:
            raise ValueError(
                f"{type(self).__name__} expects at least one scheduler to be chained, but got no scheduler."
            )
        optimizer = optimizer or schedulers[0].optimizer
        self._require_parts(schedulers, optimizer)
        self._schedulers, self.optimizer = schedulers, optimizer
        self._last_lr = self._read_rates()

    @without_interrupts
    def step(self):
        """Step all schedulers."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = self._read_rates()
