"""Other shapes over the same elements: views, joined and repeated tensors, diagonals."""

from tensh.engine.ops.shapes import (  # noqa: F401
    arrange,
    diagonal,
    embed,
    layout,
    split,
    views,
)
