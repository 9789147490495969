"""Composites: public functions made of operators, without a derivative of their own, a folder for each family."""

from tensh.engine.functional import (  # noqa: F401
    elementwise,
    fourier,
    indexing,
    layers,
    linalg,
    random,
    reductions,
    shapes,
)
