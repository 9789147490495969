"""Operators that work element by element: arithmetic, elementary functions, activations, comparison and bits."""

from tensh.engine.ops.elementwise import (  # noqa: F401
    activation,
    arithmetic,
    compare,
    elementary,
    numbered,
    slopes,
    table,
)
