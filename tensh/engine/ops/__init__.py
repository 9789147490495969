"""The tables of operators, one file per kind.  Importing this package reads them all."""

from tensh.engine.ops import (  # noqa: F401
    basic,
    compare,
    convolve,
    index,
    linear,
    loss,
    pointwise,
    reduce,
    scan,
    shape,
    spectral,
)
