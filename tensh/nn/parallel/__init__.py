"""torch.nn.parallel: models on several devices; the CPU is one device."""

from tensh.engine.methods.namespaces import declare_namespace
from tensh.nn.modules.module import Module
from tensh.switched_off import lookup

__all__ = [
    "DataParallel",
    "DistributedDataParallel",
    "data_parallel",
    "gather",
    "parallel_apply",
    "replicate",
    "scatter",
]


class DataParallel(Module):
    """Compute a module on all devices; the CPU is one, so that the module is called once.

    ``device_ids``, ``output_device`` and ``dim`` determine how PyTorch divides a batch among devices; here they have no
    effect.

    >>> import tensh as torch
    >>> torch.nn.DataParallel(torch.nn.Identity())(torch.ones(2))
    tensor([1., 1.])
    """

    def __init__(self, module, device_ids=None, output_device=None, dim=0):
        super().__init__()
        self.module, self.dim = module, dim
        self.device_ids = []

    def forward(self, *inputs, **kwargs):
        """Compute the module."""
        return self.module(*inputs, **kwargs)


def data_parallel(module, inputs, device_ids=None, output_device=None, dim=0, module_kwargs=None):
    """Call a module with inputs."""
    return module(*(inputs if isinstance(inputs, tuple) else (inputs,)), **(module_kwargs or {}))


DataParallel.__module__ = "torch.nn.parallel.data_parallel"
__getattr__, __dir__ = declare_namespace(
    "tensh.nn.parallel",
    globals(),
    {"DistributedDataParallel": "tensh.nn.parallel.distributed"},
    ("distributed",),
    unsupported=lookup("torch.nn.parallel"),
)
