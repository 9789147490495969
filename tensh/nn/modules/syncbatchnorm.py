"""Batch normalisation over several processes."""

import sys

from tensh.engine import find_public
from tensh.nn.modules.batchnorm import BatchNorm1d


class SyncBatchNorm(BatchNorm1d):
    """Batch normalization with the statistics of all processes of a group; in one process, of any number of dimensions.

    Shapes: [N, C, *] to the same. ``num_features``, ``eps``, ``momentum``, ``affine``, ``track_running_stats`` and
    ``bias`` are those of BatchNorm1d; ``process_group`` is all processes unless given. Raise ValueError for an input of
    fewer than two dimensions.

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

    def forward(self, input):
        """Normalise ``input``, in training by the mean and variance over the batches of all processes."""
        group = self._find_group()
        if group is None or not (self.training or self.running_mean is None):
            return super().forward(input)
        self._check_input_dim(input)
        return self._normalize_together(input, group)

    def _find_group(self):
        """Return the group to normalise in; None if there is no group of several processes."""
        distributed = sys.modules.get("tensh.distributed.groups")  # if it is not imported, no group exists
        if distributed is None or not distributed.is_initialized():
            return None
        group = distributed.find_group(self.process_group)
        return group if group.size() > 1 else None

    def _normalize_together(self, input, group):
        from tensh.distributed.nn.functional import all_reduce

        dims, shape = [0, *range(2, input.dim())], [1, -1] + [1] * (input.dim() - 2)
        sums = input.sum(dims)
        count = input.numel() // input.shape[1]
        found = all_reduce(find_public("cat")([sums, sums.new_full((1,), count)]), group=group)
        total = found[-1].detach()
        mean = found[:-1] / total
        centred = input - mean.view(shape)
        var = all_reduce(centred.square().sum(dims), group=group) / total
        if self.training and self.track_running_stats:
            self._follow(mean.detach(), var.detach() * (total / (total - 1)))
        out = centred * (var + self.eps).rsqrt().view(shape)
        if self.weight is not None:
            out = out * self.weight.view(shape)
        return out if self.bias is None else out + self.bias.view(shape)

    def _follow(self, mean, var):
        """Move the running statistics."""
        self.num_batches_tracked.add_(1)
        momentum = 1 / float(self.num_batches_tracked) if self.momentum is None else self.momentum
        self.running_mean.lerp_(mean, momentum)
        self.running_var.lerp_(var, momentum)

    @classmethod
    def convert_sync_batchnorm(cls, module, process_group=None):
        """Replace all batch normalisation layers of a module by synchronised ones with the same parameters."""
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
