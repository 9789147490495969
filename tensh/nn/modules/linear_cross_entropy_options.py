"""Options for chunked computation in PyTorch's ``linear_cross_entropy``."""

import dataclasses

from tensh.engine import find_public
from tensh.engine.dtypes.dtype import dtype

__all__ = ["LinearCrossEntropyOptions"]

POLICIES = ("auto", "accurate", "balanced", "compact")


@dataclasses.dataclass(slots=True, frozen=True)
class LinearCrossEntropyOptions:
    """Settings of the chunked form of ``linear_cross_entropy``, checked as in PyTorch; they do not change the result.

    ``batch_chunk_size`` and ``chunking_method`` say how a batch is divided, ``acc_policy`` and ``acc_dtype`` in which
    dtype sums are accumulated, ``allow_retain_graph`` whether a graph may be used twice.

    >>> import tensh as torch
    >>> torch.nn.LinearCrossEntropyOptions(batch_chunk_size=4).chunking_method
    'auto'
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: dtype | None = None

    def __post_init__(self):
        if self.acc_policy not in POLICIES:
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}")
        if self.chunking_method is not None and self.chunking_method != "auto":
            name, given, factor = self.chunking_method.partition(":")
            if name != "aspect_ratio" or given and not (factor.isdigit() and int(factor) > 0):
                raise ValueError(f"invalid chunking_method: {self.chunking_method!r}")
        size = self.batch_chunk_size
        if size is not None and not (isinstance(size, int) and size > 0):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {size!r}")
        fitting = [find_public(name) for name in ("float16", "bfloat16", "float32", "float64")]
        if self.acc_dtype is not None and self.acc_dtype not in fitting:
            raise ValueError(
                "acc_dtype must be one of {None, torch.float16, torch.bfloat16, torch.float32, torch.float64}, got "
                f"{self.acc_dtype!r}. Pass acc_dtype=None to let the op pick automatically."
            )


LinearCrossEntropyOptions.__module__ = "torch.nn.modules.linear_cross_entropy_options"
