"""A partitioned optimizer: each process has the state of some parameters, and sends their values to others."""

from tensh.distributed.algorithms.join import Join, Joinable, JoinHook
from tensh.distributed.collectives import broadcast
from tensh.distributed.groups import get_global_rank, get_process_group_ranks, get_rank, get_world_size, group
from tensh.distributed.objects import gather_object
from tensh.engine import find_public
from tensh.engine.autograd.modes import no_grad
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import cpu
from tensh.engine.methods.attributes import typename
from tensh.optim.optimizer import Optimizer
from tensh.switched_off import lookup

__all__ = ["ZeroRedundancyOptimizer"]

__getattr__ = lookup("torch.distributed.optim.zero_redundancy_optimizer")


class StepHook(JoinHook):
    """Answers the steps of other processes with a step, so that the share of this process stays in step."""

    def __init__(self, optimizer):
        self.optimizer = optimizer

    def main_hook(self):
        """Step with the gradients that exist."""
        self.optimizer.step_and_exchange()


class ZeroRedundancyOptimizer(Optimizer, Joinable):
    """An optimizer whose state takes 1/N of the memory in each of N processes.

    ``params`` are the parameters of a model that all processes have, or groups of them, of one dtype. Parameters are
    assigned in order of size, each to the process with the fewest elements, which updates it by an
    ``optimizer_class(its_params, **defaults)``; then all processes receive the new values. Gradients must be equal
    everywhere, as ``DistributedDataParallel`` leaves them. With ``parameters_as_bucket_view`` the parameters of a
    process become views of one tensor, which is sent without copying.

    To save the state, call ``consolidate_state_dict(to=rank)`` in all processes, then ``state_dict()`` in that one.

    Raise TypeError for anything but tensors, ValueError for an empty list and several dtypes, NotImplementedError for
    ``overlap_with_ddp``.

    >>> import tensh as torch
    >>> store = torch.distributed.HashStore()
    >>> torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    >>> w = torch.tensor([2., 4.], requires_grad=True)
    >>> optimizer = torch.distributed.optim.ZeroRedundancyOptimizer([w], torch.optim.SGD, lr=0.5)
    >>> w.square().sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0., 0.], requires_grad=True)
    >>> torch.distributed.destroy_process_group()
    """

    def __init__(
        self,
        params,
        optimizer_class,
        process_group=None,
        parameters_as_bucket_view=False,
        overlap_with_ddp=False,
        **defaults,
    ):
        if overlap_with_ddp:
            raise NotImplementedError("ZeroRedundancyOptimizer steps after the backward pass: omit overlap_with_ddp")
        groups = list_groups(params)
        check_dtype(groups)
        self.process_group = group.WORLD if process_group is None else process_group
        self.world_size, self.rank = get_world_size(self.process_group), get_rank(self.process_group)
        self.parameters_as_bucket_view = parameters_as_bucket_view
        self.optim, self._gathered = None, []
        Optimizer.__init__(self, groups, defaults)
        Joinable.__init__(self)
        self.optim = optimizer_class(self._partition_parameters()[self.rank], **defaults)
        self._buckets = self._make_buckets()
        for own, local in zip(self.param_groups, self.optim.param_groups):
            copy_options(local, own)

    def add_param_group(self, param_group):
        """Add a group of parameters, with its options; its parameters are assigned like those of the first groups."""
        super().add_param_group(param_group)
        if self.optim is None:
            return
        check_dtype(self.param_groups)
        self.optim.add_param_group(self._partition_parameters()[self.rank][-1])
        copy_options(self.optim.param_groups[-1], self.param_groups[-1])
        self._buckets = self._make_buckets()

    def step(self, closure=None, **kwargs):
        """Update the parameters of this process and receive the others; return the result of ``closure``."""
        Join.notify_join_context(self)
        return self.step_and_exchange(closure, **kwargs)

    def step_and_exchange(self, closure=None, **kwargs):
        """Update the parameters of this process and receive the others."""
        for own, local in zip(self.param_groups, self.optim.param_groups):
            copy_options(own, local)
        loss = self.optim.step(closure=closure, **kwargs) if closure is not None else self.optim.step(**kwargs)
        self._exchange()
        return loss

    def consolidate_state_dict(self, to=0):
        """Collect the state of all processes in the process ``to``; all call this, then ``to`` has ``state_dict()``.

        Nobody has it if no process has the number ``to``.
        """
        if not 0 <= to < self.world_size:
            self._gathered = []
            return
        found = [None] * self.world_size if self.rank == to else None
        gather_object(
            self.optim.state_dict()["state"],
            found,
            dst=get_global_rank(self.process_group, to),
            group=self.process_group,
        )
        self._gathered = found or []

    def state_dict(self):
        """Return the state of all parameters, as of one optimizer; raise RuntimeError unless it was consolidated."""
        if not self._gathered:
            raise RuntimeError(
                "Optimizer state has not been consolidated on this rank. Please call "
                f"`consolidate_state_dict(to={self.rank})` on all ranks beforehand if you meant to save the global state."
            )
        numbers = self._numbers()
        whole = {}
        for part, states in zip(self._partition_parameters(), self._gathered):
            params = [p for each in part for p in each["params"]]
            whole |= {numbers[id(params[place])]: state for place, state in states.items()}
        return {**super().state_dict(), "state": dict(sorted(whole.items()))}

    def load_state_dict(self, state_dict):
        """Load a full state, as ``state_dict()`` returns it, and keep that of this process's parameters."""
        numbers = self._numbers()
        mine = {numbers[id(p)]: p for each in self.optim.param_groups for p in each["params"]}
        kept = {number: state if number in mine else {} for number, state in state_dict["state"].items()}
        super().load_state_dict({**state_dict, "state": kept})
        self.optim.state.update((p, self.state[p]) for number, p in mine.items() if number in kept)
        for own, local in zip(self.param_groups, self.optim.param_groups):
            copy_options(own, local)

    def join_hook(self, **kwargs):
        """Return the hook of a ``Join``: a process without inputs steps with the gradients that it has."""
        return StepHook(self)

    @property
    def join_device(self):
        """The CPU."""
        return cpu

    @property
    def join_process_group(self):
        """The process group of the optimizer."""
        return self.process_group

    def _numbers(self):
        """Return id of a parameter -> its number in a state dict."""
        params = (p for each in self.param_groups for p in each["params"])
        return {id(p): number for number, p in enumerate(params)}

    def _partition_parameters(self):
        """Return the groups of each process: the largest parameters first, to the process with the fewest elements."""
        parts, sizes = [[] for _ in range(self.world_size)], [0] * self.world_size
        for each in self.param_groups:
            dealt = [[] for _ in parts]
            for p in sorted(each["params"], key=Tensor.numel, reverse=True):
                rank = sizes.index(min(sizes))
                dealt[rank].append(p)
                sizes[rank] += p.numel()
            for part, params in zip(parts, dealt):
                part.append({**each, "params": params})
        return parts

    def _shares(self):
        """Return the parameters of each process, in the order in which they are sent."""
        return [[p for each in part for p in each["params"]] for part in self._partition_parameters()]

    def _make_buckets(self):
        """Make one tensor for each process, of which its parameters become views; return None if they stay separate."""
        if not self.parameters_as_bucket_view:
            return None
        buckets = []
        for params in self._shares():
            bucket = join(params)
            for p, part in zip(params, split(bucket, params)):
                p.data = part
            buckets.append(bucket)
        return buckets

    @no_grad()
    def _exchange(self):
        """Send the parameters of this process to all others, and receive theirs, in one message for each process."""
        for place, (rank, params) in enumerate(zip(get_process_group_ranks(self.process_group), self._shares())):
            if not params:
                continue
            bucket = self._buckets[place] if self._buckets else join(params)
            broadcast(bucket, src=rank, group=self.process_group)
            if not self._buckets:
                for p, part in zip(params, split(bucket, params)):
                    p.data.copy_(part)


def list_groups(params):
    """Return the groups of parameters; raise TypeError or ValueError for invalid ones."""
    if isinstance(params, Tensor):
        raise TypeError(f"`params` argument should be an iterable of Tensors, but got {typename(params)}")
    try:
        groups = list(params)
    except TypeError:
        raise TypeError(
            f"`params` argument should be an iterable of Tensors or dicts, but got {type(params).__name__}"
        ) from None
    if not groups:
        raise ValueError("ZeroRedundancyOptimizer got an empty parameter list")
    if not all(isinstance(each, (Tensor, dict)) for each in groups):
        raise TypeError("`params` argument should be an iterable of Tensors or dicts")
    return groups if isinstance(groups[0], dict) else [{"params": groups}]


def check_dtype(groups):
    """Raise ValueError for parameters of several dtypes, which one message cannot contain."""
    params = [
        p for each in groups for p in ([each["params"]] if isinstance(each["params"], Tensor) else each["params"])
    ]
    for p in params:
        if p.type() != params[0].type():
            raise ValueError(
                "ZeroRedundancyOptimizer only supports using the same dense type for all parameters but got both "
                f"{params[0].type()} and {p.type()}"
            )


def copy_options(source, target):
    """Copy the options of another group, such as the learning rate that a scheduler has set."""
    target.update((name, value) for name, value in source.items() if name != "params")


def join(params):
    """Join the elements of parameters in one tensor."""
    parts = [p.detach().reshape(-1) for p in params]
    return find_public("cat")(parts) if parts else None


def split(bucket, params):
    """Split a joined tensor into parts with the shapes of the parameters."""
    if bucket is None:
        return []
    return [part.view(p.shape) for part, p in zip(bucket.split([p.numel() for p in params]), params)]
