"""Composites: public functions made of operators, without a derivative of their own, one file per kind."""

from tensh.engine.functional import (  # noqa: F401
    arithmetic,
    comparing,
    extremes,
    indexing,
    layers,
    linear,
    noise,
    reducing,
    shaping,
    sorting,
    spectral,
    statistics,
)
