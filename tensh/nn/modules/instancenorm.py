"""Instance normalisation (Ulyanov et al., 2016): each channel of each sample with mean 0 and variance 1."""

from tensh.engine.errors.warnings import warn
from tensh.nn import functional as F
from tensh.nn.modules.batchnorm import _LazyNormBase, _NormBase
from tensh.nn.modules.families import declare_lazy, family

__all__ = [
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
]


class _InstanceNorm(_NormBase):
    """Instance normalisation for any number of dimensions."""

    def __init__(
        self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False, device=None, dtype=None, *, bias=True
    ):  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input):
        """Normalise ``input``; raise ValueError if its number of channels differs from that of the weight."""
        self._check_input_dim(input)
        alone = self._fitting[0]
        channels = input.dim() - alone
        if input.size(channels) != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={channels} to match num_features ({self.num_features}), but got: "
                    f"{input.size(channels)}."
                )
            warn(
                f"input's size at dim={channels} does not match num_features. You can silence this warning by not passing in "
                "num_features, which is not used because affine=False"
            )
        if input.dim() == alone:
            return self._normalize(input.unsqueeze(0)).squeeze(0)
        return self._normalize(input)

    def _normalize(self, input):
        return F.instance_norm(
            input, self.running_mean, self.running_var, self.weight, self.bias,
            self.training or not self.track_running_stats, 0.0 if self.momentum is None else self.momentum, self.eps,
        )  # fmt: skip

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        """Refuse the running statistics of an old state if the module tracks none."""
        if local_metadata.get("version") is None and not self.track_running_stats:
            found = [key for key in (f"{prefix}running_mean", f"{prefix}running_var") if key in state_dict]
            if found:
                error_msgs.append(describe_unexpected(found, type(self).__name__))
            for key in found:
                del state_dict[key]
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


def describe_unexpected(keys, name):
    """Return PyTorch's message about running statistics that a module without them finds in a state."""
    quoted = " and ".join(f'"{key}"' for key in keys)
    return (
        f"Unexpected running stats buffer(s) {quoted} for {name} with track_running_stats=False. If state_dict is a checkpoint "
        f"saved before 0.4.0, this may be expected because {name} does not track running stats by default since 0.4.0. Please "
        "remove these keys from state_dict. If the running stats are actually needed, instead set track_running_stats=True in "
        f"{name} to enable them. See the documentation of {name} for details."
    )


InstanceNorm1d, InstanceNorm2d, InstanceNorm3d = LAYERS = [
    *family(
        "InstanceNorm{n}d",
        _InstanceNorm,
        """Normalise each channel of {items}, sample by sample, to mean 0 and variance 1 (Ulyanov et al., 2016).

    Shapes: input and output [N, C, {spatial}] or [C, {spatial}]; with ``affine`` a ``weight`` and a ``bias`` [C].
    With ``track_running_stats`` running statistics are tracked, and used in evaluation.
    ``num_features`` is C, ``eps`` is added to the variance, and ``momentum`` moves the running statistics as in BatchNorm{n}d.
    Raise ValueError for inputs with another number of dimensions, and with another number of channels if ``affine``.

    >>> import tensh as torch
    >>> torch.nn.InstanceNorm{n}d(2)(torch.ones(4, 2, {each:3})).shape
    torch.Size([4, 2, {each:3}])
    """,
        members={"_fitting": lambda n: (n + 1, n + 2)},
    )
]
LazyInstanceNorm1d, LazyInstanceNorm2d, LazyInstanceNorm3d = declare_lazy(
    __name__, _LazyNormBase, LAYERS, "num_features", base=_InstanceNorm
)
