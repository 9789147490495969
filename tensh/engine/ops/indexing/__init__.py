"""Elements at given places, read and written."""

from tensh.engine.ops.indexing import (  # noqa: F401
    fold,
    index,
    mask,
    scatter,
)
