"""Products, systems of equations and factorizations of matrices."""

from tensh.engine.ops.linalg import (  # noqa: F401
    addmm,
    crossed,
    determinant,
    distances,
    exponential,
    factor,
    householder,
    leastsquares,
    pairs,
    products,
    shared,
    solve,
    spectrum,
    symmetric,
)
