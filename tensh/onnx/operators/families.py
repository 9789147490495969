"""The operators of all families, by name."""

from tensh.onnx.operators import (  # noqa: F401  which register their operators
    drawing,
    elementwise,
    indexing,
    layers,
    recurrent,
    reductions,
    resampling,
    shapes,
)
from tensh.onnx.operators.table import OPERATORS

__all__ = ["OPERATORS"]
