"""torch.linalg, and the functions of matrices in torch."""

from tensh.engine.functional.linalg import (  # noqa: F401
    covariance,
    einsum,
    equations,
    factors,
    lowrank,
    matrices,
    products,
    spectra,
)
