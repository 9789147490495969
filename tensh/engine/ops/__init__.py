"""The tables of operators, a folder for each family.  Importing this package reads them all."""

from tensh.engine.ops import (  # noqa: F401
    along,
    basic,
    elementwise,
    indexing,
    layers,
    linalg,
    random,
    reductions,
    shapes,
    special,
    spectral,
)
