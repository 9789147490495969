"""Batch normalisation over several processes, which on the CPU is that of one."""

from tensh.nn.modules.batchnorm import BatchNorm1d


class SyncBatchNorm(BatchNorm1d):
    """Batch normalisation with the statistics of all processes: of one process, ``BatchNorm1d`` for any number of dimensions.

    Shapes: [N, C, *] to the same. Raises ValueError for an input of fewer than two dimensions.

    >>> import tensh as torch
    >>> torch.nn.SyncBatchNorm.convert_sync_batchnorm(torch.nn.BatchNorm2d(2)).eval()(torch.zeros(1, 2, 1, 1)).shape
    torch.Size([1, 2, 1, 1])
    """

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.1,
        affine=True,
        track_running_stats=True,
        process_group=None,
        device=None,
        dtype=None,
        *,
        bias=True,
    ):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input):
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")

    @classmethod
    def convert_sync_batchnorm(cls, module, process_group=None):
        """Replace all layers of batch normalisation in a module by such layers with the same parameters."""
        from tensh.nn.modules import batchnorm

        made = module
        if isinstance(module, (batchnorm.BatchNorm1d, batchnorm.BatchNorm2d, batchnorm.BatchNorm3d)):
            settings = module.num_features, module.eps, module.momentum, module.affine, module.track_running_stats
            made = cls(*settings, process_group)
            for name in ("weight", "bias", "running_mean", "running_var", "num_batches_tracked"):
                setattr(made, name, getattr(module, name))
            made.training = module.training
        for name, child in module.named_children():
            setattr(made, name, cls.convert_sync_batchnorm(child, process_group))
        return made
