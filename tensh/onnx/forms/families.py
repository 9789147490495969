"""The forms of all families, by the names of operators."""

from tensh.onnx.forms import (  # noqa: F401  which declare their forms
    attention,
    convolution,
    core,
    creation,
    cumulative,
    drawing,
    elementwise,
    indexing,
    joining,
    linalg,
    losses,
    normalization,
    order,
    patches,
    pooling,
    recurrent,
    reductions,
    resampling,
    shapes,
)
from tensh.onnx.forms.table import FORMS

__all__ = ["FORMS"]
