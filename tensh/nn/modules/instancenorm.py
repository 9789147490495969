"""Instance normalisation (Ulyanov et al., 2016): each channel of each sample with mean 0 and variance 1."""

from tensh.engine.warning import warn
from tensh.nn import functional as F
from tensh.nn.modules.batchnorm import _LazyNormBase, _NormBase


class _InstanceNorm(_NormBase):
    """What the number of dimensions does not change."""

    def __init__(
        self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False, device=None, dtype=None, *, bias=True
    ):  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input):
        """``input`` normalised; ValueError for another number of channels than the weight has."""
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
            return self._normalized(input.unsqueeze(0)).squeeze(0)
        return self._normalized(input)

    def _normalized(self, input):
        return F.instance_norm(
            input, self.running_mean, self.running_var, self.weight, self.bias,
            self.training or not self.track_running_stats, 0.0 if self.momentum is None else self.momentum, self.eps,
        )  # fmt: skip

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        """States of old have running statistics even where the module keeps none."""
        if local_metadata.get("version") is None and not self.track_running_stats:
            found = [key for key in (f"{prefix}running_mean", f"{prefix}running_var") if key in state_dict]
            if found:
                error_msgs.append(unexpected(found, type(self).__name__))
            for key in found:
                del state_dict[key]
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


def unexpected(keys, name):
    """PyTorch's words for running statistics that the module has no place for."""
    quoted = " and ".join(f'"{key}"' for key in keys)
    return (
        f"Unexpected running stats buffer(s) {quoted} for {name} with track_running_stats=False. If state_dict is a checkpoint "
        f"saved before 0.4.0, this may be expected because {name} does not track running stats by default since 0.4.0. Please "
        "remove these keys from state_dict. If the running stats are actually needed, instead set track_running_stats=True in "
        f"{name} to enable them. See the documentation of {name} for details."
    )


class InstanceNorm1d(_InstanceNorm):
    """Normalised channels of rows: [N, C, L] or [C, L].

    >>> import tensh as torch
    >>> torch.nn.InstanceNorm1d(1)(torch.tensor([[[1., 3.]]])).round(decimals=3)
    tensor([[[-1.,  1.]]])
    """

    _fitting = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Normalised channels of images: [N, C, H, W] or [C, H, W].

    >>> import tensh as torch
    >>> torch.nn.InstanceNorm2d(3)(torch.ones(4, 3, 2, 2)).shape
    torch.Size([4, 3, 2, 2])
    """

    _fitting = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Normalised channels of volumes: [N, C, D, H, W] or [C, D, H, W].

    >>> import tensh as torch
    >>> torch.nn.InstanceNorm3d(3)(torch.ones(4, 3, 2, 2, 2)).shape
    torch.Size([4, 3, 2, 2, 2])
    """

    _fitting = (4, 5)


class LazyInstanceNorm1d(_LazyNormBase, _InstanceNorm):
    """An InstanceNorm1d whose channels are counted when the first input comes.

    >>> import tensh as torch
    >>> torch.nn.LazyInstanceNorm1d()(torch.ones(5, 3, 4)).shape
    torch.Size([5, 3, 4])
    """

    _fitting, cls_to_become = (2, 3), InstanceNorm1d


class LazyInstanceNorm2d(_LazyNormBase, _InstanceNorm):
    """An InstanceNorm2d whose channels are counted when the first input comes.

    >>> import tensh as torch
    >>> torch.nn.LazyInstanceNorm2d()(torch.ones(5, 3, 2, 2)).shape
    torch.Size([5, 3, 2, 2])
    """

    _fitting, cls_to_become = (3, 4), InstanceNorm2d


class LazyInstanceNorm3d(_LazyNormBase, _InstanceNorm):
    """An InstanceNorm3d whose channels are counted when the first input comes.

    >>> import tensh as torch
    >>> torch.nn.LazyInstanceNorm3d()(torch.ones(5, 3, 2, 2, 2)).shape
    torch.Size([5, 3, 2, 2, 2])
    """

    _fitting, cls_to_become = (4, 5), InstanceNorm3d
