"""torch.distributed.algorithms.join: the context in which processes train with different numbers of inputs.

Each step of a process with inputs starts with a count of such processes.  A process without inputs counts along in
``Join.__exit__``, where the hooks of the joined objects answer the exchanges of the others, until the count is 0.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

from tensh.distributed.collectives import all_reduce
from tensh.distributed.operations import ReduceOp
from tensh.engine import find_public
from tensh.engine.errors.warnings import warn
from tensh.switched_off import lookup

__all__ = ["Join", "JoinHook", "Joinable"]

SKEW = 1000
"""Inputs that a process may lack without a warning."""


class JoinHook:
    """The work of an object in a process that has no inputs left; both methods do nothing by default.

    >>> from tensh.distributed.algorithms.join import JoinHook
    >>> JoinHook().main_hook()
    """

    __module__ = "torch.distributed.algorithms.join"

    def main_hook(self):
        """Answer the exchanges of one step of the other processes."""

    def post_hook(self, is_last_joiner):
        """Finish, when no process has inputs; ``is_last_joiner`` is True in the processes that had inputs longest."""


class JoinConfig(NamedTuple):
    """The settings that a ``Join`` passes to its objects."""

    enable: bool
    throw_on_early_termination: bool
    is_first_joinable: bool

    @staticmethod
    def construct_disabled_join_config():
        """Return the configuration outside of a context."""
        return DISABLED


DISABLED = JoinConfig(enable=False, throw_on_early_termination=False, is_first_joinable=False)


class Joinable(ABC):
    """An object whose steps exchange data between processes, and which can join in without inputs.

    A step calls ``Join.notify_join_context(self)`` before its first exchange.

    >>> import tensh as torch
    >>> from tensh.distributed.algorithms.join import Joinable, JoinHook
    >>> class Counter(Joinable):
    ...     join_device, join_process_group = torch.device("cpu"), None
    ...     def __init__(self):
    ...         super().__init__()
    ...     def join_hook(self, **kwargs):
    ...         return JoinHook()
    >>> Counter()._join_config.enable
    False
    """

    __module__ = "torch.distributed.algorithms.join"
    _join_config = None

    @abstractmethod
    def __init__(self):
        super().__init__()
        self._join_config = DISABLED

    @abstractmethod
    def join_hook(self, **kwargs):
        """Return the object's ``JoinHook``; ``kwargs`` are the further arguments of ``Join``."""

    @property
    @abstractmethod
    def join_device(self):
        """The device of the exchanges of ``Join``."""

    @property
    @abstractmethod
    def join_process_group(self):
        """The process group of the exchanges of ``Join``."""


class Join:
    """A context in which a process that has no inputs left joins the exchanges of the others.

    ``joinables`` are objects such as ``DistributedDataParallel`` and ``ZeroRedundancyOptimizer``, the first of which
    counts the processes at each step; ``kwargs`` go to their hooks: ``divide_by_initial_world_size=False`` divides
    gradients by the number of processes with inputs instead of all.  With ``throw_on_early_termination``, all processes
    raise RuntimeError when the first runs out.  Raise ValueError for an empty list and for several process groups.

    >>> import tensh as torch
    >>> from tensh.distributed.algorithms.join import Join
    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(1, 1))
    >>> with Join([model]):
    ...     model(torch.ones(2, 1)).sum().backward()
    >>> model.module.weight.grad
    tensor([[2.]])
    >>> dist.destroy_process_group()
    """

    __module__ = "torch.distributed.algorithms.join"

    def __init__(self, joinables, enable=True, throw_on_early_termination=False, **kwargs):
        if not joinables:
            raise ValueError("The join context manager requires at least one joinable")
        self._joinables = list(joinables)
        self._hooks = [each.join_hook(**kwargs) for each in self._joinables]
        self._enable, self._throws = enable, throw_on_early_termination
        for number, each in enumerate(self._joinables):
            each._join_config = JoinConfig(enable, throw_on_early_termination, number == 0)
        groups = [each.join_process_group for each in self._joinables]
        if any(group is not groups[0] for group in groups):
            raise ValueError("Using join context manager with multiple process groups")
        self._group = groups[0]

    def __enter__(self):
        return None

    def __exit__(self, kind, error, traceback):
        try:
            if self._enable and kind is None:
                self._follow()
        finally:
            for each in self._joinables:
                each._join_config = DISABLED

    def _follow(self):
        """Join the exchanges until no process has inputs."""
        steps = 0
        while add_up(0, self._group):
            if steps == SKEW + 1:
                warn(
                    f"Detected uneven input skew of greater than {SKEW}. This means that rank {self._group.rank()} has at least "
                    f"{SKEW} fewer inputs than other currently-active ranks. This level of skew could lead to performance "
                    "degradation during training.",
                )
            if self._throws:
                add_up(1, self._group)
                raise RuntimeError(f"Rank {self._group.rank()} exhausted all inputs.")
            for hook in self._hooks:
                hook.main_hook()
            steps += 1
        for hook in self._hooks:
            hook.post_hook(steps == 0)

    @staticmethod
    def notify_join_context(joinable):
        """Count this process among those with inputs; return the work of the exchange, or None if another object counts."""
        config = getattr(joinable, "_join_config", None)
        if config is None:
            raise AssertionError(
                f"Check that the {type(joinable)} constructor calls the ``Joinable`` constructor",
            )
        if not config.enable or not config.is_first_joinable:
            return None
        group = joinable.join_process_group
        work = all_reduce(find_public("ones")(1), group=group, async_op=True)
        if config.throw_on_early_termination and add_up(0, group):
            raise RuntimeError("Detected at least one rank that exhausted inputs. Throwing across all ranks.")
        return work


def add_up(number, group):
    """Return the sum of a number over all processes."""
    total = find_public("full")((1,), float(number))
    group.allreduce([total], ReduceOp.SUM).wait()
    return int(total)


_JoinConfig = JoinConfig

__getattr__ = lookup("torch.distributed.algorithms.join")
