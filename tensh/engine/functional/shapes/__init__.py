"""Other sizes and orders of the same elements, and several tensors as one."""

from tensh.engine.functional.shapes import (  # noqa: F401
    copies,
    joining,
    parts,
    repeating,
    shaping,
    storage,
    turning,
)
