"""Operators that draw random numbers."""

from tensh.engine.ops.random import (  # noqa: F401
    drawn,
    inplace,
)
