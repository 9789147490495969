"""torch.distributions.transforms: invertible maps with the logarithm of their volume change, and compositions."""

from tensh.distributions.transforms.base import Transform, _InverseTransform  # noqa: F401 (asked for by name)
from tensh.distributions.transforms.composed import (
    ComposeTransform,
    IndependentTransform,
    ReshapeTransform,
    identity_transform,
)
from tensh.distributions.transforms.coupled import (
    CorrCholeskyTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    SoftmaxTransform,
    StickBreakingTransform,
)
from tensh.distributions.transforms.elementwise import (
    AbsTransform,
    ExpTransform,
    SigmoidTransform,
    SoftplusTransform,
    TanhTransform,
    _clipped_sigmoid,  # noqa: F401 (asked for by name)
)
from tensh.distributions.transforms.parametric import (
    AffineTransform,
    CumulativeDistributionTransform,
    PowerTransform,
)
from tensh.distributions.transforms.pieces import CatTransform, StackTransform

__all__ = [
    "AbsTransform", "AffineTransform", "CatTransform", "ComposeTransform", "CorrCholeskyTransform",
    "CumulativeDistributionTransform", "ExpTransform", "IndependentTransform", "LowerCholeskyTransform",
    "PositiveDefiniteTransform", "PowerTransform", "ReshapeTransform", "SigmoidTransform", "SoftplusTransform",
    "TanhTransform", "SoftmaxTransform", "StackTransform", "StickBreakingTransform", "Transform", "identity_transform",
]  # fmt: skip
