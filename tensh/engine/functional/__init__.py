"""Composites: public functions made of operators, without a derivative of their own, one file per kind."""

from tensh.engine.functional import (  # noqa: F401
    arithmetic,
    comparing,
    extremes,
    indexing,
    joining,
    layers,
    linear,
    noise,
    norms,
    parts,
    reducing,
    repeating,
    shaping,
    sorting,
    spectral,
    statistics,
    storage,
    turning,
)
