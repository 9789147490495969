"""New tensors of counted numbers."""

import math

import numpy as np

from tensh.engine.dtype import of_scalar
from tensh.engine.fill import made
from tensh.engine.table import public


@public
def arange(*bounds, **given):
    """The numbers from ``start`` (0) up to ``end``, without it, in steps of ``step`` (1)."""
    start, end, step = {1: lambda e: (0, e, 1), 2: lambda s, e: (s, e, 1), 3: lambda *b: b}[len(bounds)](*bounds)
    exact = all(isinstance(b, (int, np.integer)) for b in (start, end, step))
    number = math.ceil((end - start) / step)

    def make(shape, dtype):
        return (start + step * np.arange(number, dtype=np.int64 if exact else np.float64)).astype(dtype)

    return made("arange", make, (number,), given, of_scalar[int if exact else float].numpy)


@public
def linspace(start, end, steps, **given):
    """``steps`` numbers evenly spaced from ``start`` to ``end``."""
    return made("linspace", lambda s, d: np.linspace(start, end, steps).astype(d), (steps,), given)


@public
def eye(n, m=None, **given):
    """Ones on the diagonal, zeros elsewhere."""
    return made("eye", lambda s, d: np.eye(n, m, dtype=d), (n, n if m is None else m), given)
