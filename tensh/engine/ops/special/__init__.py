"""Special functions, computed from series, asymptotic expansions and integrals."""

from tensh.engine.ops.special import (  # noqa: F401
    bessel,
    error_functions,
    gamma,
    incomplete,
    orthogonal,
    shared,
)
