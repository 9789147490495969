"""Arithmetic, comparison and special functions with PyTorch's overloads."""

from tensh.engine.functional.elementwise import (  # noqa: F401
    arithmetic,
    comparing,
    elements,
    special,
)
