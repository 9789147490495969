"""``x[...]``, read and written, and the functions of index tensors and masks."""

from tensh.engine.functional.indexing import (  # noqa: F401
    assigning,
    filling,
    indexing,
    selecting,
)
