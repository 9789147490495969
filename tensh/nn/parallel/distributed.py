"""Data-parallel models: each process has a copy and a part of the batch, and gets the mean of the gradients."""

from tensh.distributed.algorithms.join import Join, Joinable
from tensh.engine import find_public
from tensh.engine.dtypes.device import cpu
from tensh.nn.modules.module import Module
from tensh.nn.parallel.buckets import Reducer
from tensh.nn.parallel.joining import DataParallelHook, announce_step, choose_rank
from tensh.nn.parallel.logging_data import describe_settings
from tensh.support.temporary import temporarily

__all__ = ["DistributedDataParallel"]

UNFINISHED = (
    "Expected to have finished reduction in the prior iteration before starting a new one. This error indicates that your "
    "module has parameters that were not used in producing loss. You can enable unused parameter detection by passing the "
    "keyword argument `find_unused_parameters=True` to `torch.nn.parallel.DistributedDataParallel`, and by \n"
    "making sure all `forward` function outputs participate in calculating loss. "
)


class DistributedDataParallel(Module, Joinable):
    """Train copies of a module, one in each process, with the mean of their gradients.

    The parameters are those of ``module``, with that prefix. They and the buffers start as those of rank 0. The
    backward pass collects gradients in buckets of ``bucket_cap_mb``, each of which is summed over processes as soon as
    it is complete. With ``broadcast_buffers`` each forward pass starts with the buffers of rank 0; with
    ``find_unused_parameters`` the graph of the outputs is searched for parameters that they do not depend on; with
    ``gradient_as_bucket_view`` gradients are views of the buckets.

    Raise ValueError without a process group, RuntimeError for a module without parameters that require grad, and for
    parameters whose shapes differ between processes.

    >>> import tensh as torch
    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))
    >>> model(torch.ones(3, 2)).sum().backward(); model.module.weight.grad
    tensor([[3., 3.]])
    >>> dist.destroy_process_group()
    """

    def __init__(
        self,
        module,
        device_ids=None,
        output_device=None,
        dim=0,
        broadcast_buffers=True,
        init_sync=True,
        process_group=None,
        bucket_cap_mb=None,
        find_unused_parameters=False,
        check_reduction=False,
        gradient_as_bucket_view=False,
        static_graph=False,
        **options,
    ):
        from tensh.distributed.groups import find_group

        super().__init__()
        Joinable.__init__(self)
        self.process_group = find_group(process_group)
        ignored = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
        trained = [p for name, p in module.named_parameters() if p.requires_grad and name not in ignored]
        if not trained:
            raise RuntimeError(
                "DistributedDataParallel is not needed when a module doesn't have any parameter that requires a gradient."
            )
        self.module, self.device_ids, self.output_device, self.dim = module, None, None, dim
        self.broadcast_buffers, self.find_unused_parameters = broadcast_buffers, find_unused_parameters
        self.gradient_as_bucket_view, self.static_graph = gradient_as_bucket_view, static_graph
        self.require_backward_grad_sync = self.require_forward_param_sync = True
        self.parameters_to_ignore = ignored
        if self.process_group.size() > 1:
            self._check_shapes(trained)
            if init_sync:
                self.take_over(self.list_states(), 0)
        object.__setattr__(
            self, "reducer", Reducer(trained, self.process_group, bucket_cap_mb, gradient_as_bucket_view)
        )

    def list_states(self):
        """Return all parameters and buffers."""
        pairs = [*self.module.named_parameters(), *self.module.named_buffers()]
        return [each.detach() for name, each in pairs if name not in self.parameters_to_ignore]

    def _check_shapes(self, trained):
        """Raise RuntimeError in all processes if their parameters differ."""
        shapes = [(list(p.shape), str(p.dtype)) for p in trained]
        for rank, others in enumerate(self.process_group.gather_objects(shapes)):
            if others != shapes:
                raise RuntimeError(
                    f"DDP expects same model across all ranks, but Rank {self.process_group.rank()} has {len(shapes)} params "
                    f"{shapes}, while rank {rank} has {len(others)} params {others}"
                )

    def list_buffers(self):
        """Return the buffers that processes share."""
        return [each for name, each in self.module.named_buffers() if name not in self.parameters_to_ignore]

    def take_over(self, tensors, root):
        """Replace the values of tensors by those of one process."""
        for each in tensors:
            self.process_group.broadcast([each], root).wait()

    def forward(self, *inputs, **kwargs):
        """Compute the module; the next backward pass exchanges gradients, unless within ``no_sync``."""
        is_synchronous = find_public("is_grad_enabled")() and self.require_backward_grad_sync
        joined = self._join_config.enable
        self.reducer.divisor = announce_step(self, is_synchronous) if joined else self.process_group.size()
        if self.reducer.is_waiting() and is_synchronous:
            raise RuntimeError(UNFINISHED + self.reducer.describe_missing())
        self._share_buffers()
        self.require_forward_param_sync = is_synchronous
        found = self.module(*inputs, **kwargs)
        if is_synchronous:
            self.reducer.prepare(found if self.find_unused_parameters else None)
        return found

    def _share_buffers(self):
        """Copy the buffers of a process that still has inputs."""
        if not (self.broadcast_buffers and self.require_forward_param_sync and self.process_group.size() > 1):
            return
        buffers = self.list_buffers()
        if buffers:
            self.take_over(buffers, choose_rank(self.process_group, True) if self._join_config.enable else 0)

    def no_sync(self):
        """Accumulate gradients in each process alone; the first pass outside of the block adds and exchanges them."""
        return temporarily(self, require_backward_grad_sync=False)

    def join(self, divide_by_initial_world_size=True, enable=True, throw_on_early_termination=False):
        """Train with different numbers of inputs in the processes: a process without inputs joins the exchanges.

        Gradients are divided by the number of all processes, or without ``divide_by_initial_world_size`` by the number
        of those with inputs. With ``throw_on_early_termination``, raise RuntimeError in all processes when the first
        runs out.
        """
        return Join(
            [self], enable, throw_on_early_termination, divide_by_initial_world_size=divide_by_initial_world_size
        )

    def join_hook(self, **kwargs):
        """Return the hook of a ``Join``; its option ``divide_by_initial_world_size`` is explained at ``join``."""
        return DataParallelHook(self, kwargs.get("divide_by_initial_world_size", True))

    @property
    def join_device(self):
        """The CPU."""
        return cpu

    @property
    def join_process_group(self):
        """The process group of the model."""
        return self.process_group

    def register_comm_hook(self, state, hook):
        """Let ``hook(state, bucket)`` exchange the gradients of a bucket; it returns a future of the new buffer."""
        self.reducer.register_hook(state, hook)

    def _get_ddp_logging_data(self):
        return describe_settings(self)


DistributedDataParallel.__module__ = "torch.nn.parallel.distributed"
