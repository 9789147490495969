"""Models whose copies in several processes are trained as one: in a group of one process, the model itself."""

import contextlib

from tensh.nn.modules.module import Module


class DistributedDataParallel(Module):
    """Train copies of a module, one in each process, with the mean of their gradients: in a group of one, those of the module.

    Parameters are those of ``module``, below that name. Raises ValueError without a process group, RuntimeError for a module
    without parameters that require gradients.

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
        self.process_group = find_group(process_group)
        if not any(p.requires_grad for p in module.parameters()):
            raise RuntimeError(
                "DistributedDataParallel is not needed when a module doesn't have any parameter that requires a gradient."
            )
        self.module, self.device_ids, self.output_device, self.dim = module, None, None, dim
        self.broadcast_buffers, self.find_unused_parameters = broadcast_buffers, find_unused_parameters
        self.gradient_as_bucket_view, self.static_graph = gradient_as_bucket_view, static_graph
        self.require_backward_grad_sync = True

    def forward(self, *inputs, **kwargs):
        """Compute the module."""
        return self.module(*inputs, **kwargs)

    @contextlib.contextmanager
    def no_sync(self):
        """Leave gradients as they are in each process."""
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    @contextlib.contextmanager
    def join(self, divide_by_initial_world_size=True, enable=True, throw_on_early_termination=False):
        """Train with inputs of different numbers in the processes."""
        yield


DistributedDataParallel.__module__ = "torch.nn.parallel.distributed"
