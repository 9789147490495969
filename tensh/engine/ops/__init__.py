"""The tables of operators, one file per kind.  Importing this package reads them all."""

from tensh.engine.ops import (  # noqa: F401
    addmm,
    along,
    basic,
    compare,
    convolve,
    extremes,
    index,
    linear,
    loss,
    pointwise,
    random,
    random_inplace,
    reduce,
    scan,
    shape,
    sort,
    spectral,
    statistics,
)
