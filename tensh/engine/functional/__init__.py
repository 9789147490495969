"""Composites: public functions made of operators, without a derivative of their own, one file per kind."""

from tensh.engine.functional import (  # noqa: F401
    arithmetic,
    comparing,
    indexing,
    layers,
    linear,
    reducing,
    shaping,
    sorting,
    spectral,
)
