"""The operators of all families, by name."""

from tensh.onnx.operators import (  # noqa: F401  which register their operators
    attention,
    contributed,
    deformable,
    detection,
    drawing,
    elementwise,
    indexing,
    layers,
    losses,
    quantised,
    recurrent,
    reductions,
    resampling,
    sequences,
    shapes,
    spectra,
)
from tensh.onnx.operators.table import OPERATORS

__all__ = ["OPERATORS"]
