"""Batch normalisation (Ioffe and Szegedy, 2015): each channel with mean 0 and variance 1, over the batch and all positions.

Evaluation uses the running statistics instead, if they are tracked.
"""

from tensh.engine import find_public
from tensh.engine.arguments.public_wrapper import rename_function
from tensh.nn import functional as F
from tensh.nn import init
from tensh.nn.modules.families import declare_lazy, family
from tensh.nn.modules.lazy import LazyModuleMixin
from tensh.nn.modules.module import Module
from tensh.nn.parameter import Parameter, UninitializedBuffer, UninitializedParameter

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d"]


class _NormBase(Module):
    """The weight, bias and running statistics of each channel."""

    _version = 2
    _fitting = ()  # numbers of dimensions that an input may have

    def __init__(
        self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True
    ):  # fmt: skip
        super().__init__()
        made = {"device": device, "dtype": dtype}
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            self.register_parameter(name, Parameter(find_public("empty")(num_features, **made)) if wanted else None)
        tracked = track_running_stats
        self.register_buffer("running_mean", find_public("zeros")(num_features, **made) if tracked else None)
        self.register_buffer("running_var", find_public("ones")(num_features, **made) if tracked else None)
        self.register_buffer("num_batches_tracked", find_public("tensor")(0, device=device) if tracked else None)
        self.reset_parameters()

    def reset_running_stats(self):
        """Reset the running statistics: mean 0, variance 1, no batches."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self):
        """Set weights to 1 and biases to 0, and reset the statistics."""
        self.reset_running_stats()
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def _check_input_dim(self, input):
        if input.dim() not in self._fitting:
            fitting = " or ".join(f"{n}D" for n in self._fitting)
            raise ValueError(f"expected {fitting} input (got {input.dim()}D input)")

    def extra_repr(self):
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *rest):
        """Add num_batches_tracked, which states of version 1 lack."""
        version, key = local_metadata.get("version"), prefix + "num_batches_tracked"
        if (version is None or version < 2) and self.track_running_stats and key not in state_dict:
            own = self.num_batches_tracked
            state_dict[key] = find_public("tensor")(0) if own is None else own
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)


class _BatchNorm(_NormBase):
    """Batch normalisation for any number of dimensions."""

    __init__ = rename_function(_NormBase.__init__, "_BatchNorm.__init__")

    def forward(self, input):
        """Normalise ``input``; in training, move the running statistics by ``momentum`` (None: to their mean)."""
        self._check_input_dim(input)
        training, tracked, momentum = self.training, self.track_running_stats, self.momentum
        if training and tracked and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if momentum is None:
                momentum = 1.0 / float(self.num_batches_tracked)
        mean, var = self.running_mean, self.running_var
        by_batch = training or (mean is None and var is None)
        if training and not tracked:
            mean = var = None
        return F.batch_norm(
            input, mean, var, self.weight, self.bias, by_batch, 0.0 if momentum is None else momentum, self.eps
        )


BatchNorm1d, BatchNorm2d, BatchNorm3d = family(
    "BatchNorm{n}d",
    _BatchNorm,
    """Normalise each channel of a batch of {items} to mean 0 and variance 1 (Ioffe and Szegedy, 2015).

    Shapes: input and output {batches}; ``weight``, ``bias``, ``running_mean`` and ``running_var`` [C].
    Training uses the statistics of the batch, and moves the running statistics by ``momentum`` towards them (None: to the
    mean of all batches).  Evaluation uses the running statistics, if they are tracked.
    ``num_features`` is C, ``eps`` is added to the variance; ``affine=False`` leaves out ``weight`` and ``bias``,
    ``track_running_stats=False`` the running statistics.
    Raise ValueError for inputs with another number of dimensions.

    >>> import tensh as torch
    >>> torch.nn.BatchNorm{n}d(2)(torch.ones(4, 2, {each:3})).shape
    torch.Size([4, 2, {each:3}])
    """,
    members={"_fitting": lambda n: (2, 3) if n == 1 else (n + 2,)},
)


# ── lazy ─────────────────────────────────────────────────────────────────────
class _LazyNormBase(LazyModuleMixin, _NormBase):
    """A layer that counts its channels when the first input arrives."""

    def __init__(
        self, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True
    ):  # fmt: skip
        made = {"device": device, "dtype": dtype}
        super().__init__(0, eps, momentum, False, False, **made, bias=False)
        self.affine, self.track_running_stats = affine, track_running_stats
        if affine:
            self.weight = UninitializedParameter(**made)
            if bias:
                self.bias = UninitializedParameter(**made)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(**made)
            self.running_var = UninitializedBuffer(**made)
            self.num_batches_tracked = find_public("tensor")(0, device=device)

    def reset_parameters(self):
        """Initialise the parameters as the final layer does, once they exist."""
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input):
        """Allocate one element for each channel of ``input``."""
        if self.has_uninitialized_params():
            self.num_features = input.shape[1]
            members = ("weight", "bias", "running_mean", "running_var")
            self._materialize(**dict.fromkeys(members, (self.num_features,)))
            self.reset_parameters()


LAYERS = BatchNorm1d, BatchNorm2d, BatchNorm3d
LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d = declare_lazy(
    __name__, _LazyNormBase, LAYERS, "num_features", base=_BatchNorm
)
