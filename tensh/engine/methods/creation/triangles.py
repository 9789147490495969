"""Creation of matrices: the identity, and the indices of triangles."""

import numpy as np

from tensh.engine.arguments.binding import KEYWORDS, OUT, bind, bind_plain, finish, make_leaf
from tensh.engine.arguments.lazy_signatures import PLACED, shows
from tensh.engine.codegen.table import public
from tensh.engine.dtypes.dtype import BY_NUMPY, int64, of_scalar
from tensh.engine.errors.messages import LARGEST


@public
@shows("n, m=None, *")
def eye(*sizes, **given):
    """Make a matrix of ``n`` rows and ``m`` (``n``) columns with ones on the diagonal and zeros elsewhere.

    Shape: [n, m]. Raise RuntimeError if one is negative.

    >>> import tensh as torch
    >>> torch.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    if len(sizes) == 1 and type(sizes[0]) is int and sizes[0] >= 0:
        try:
            numpy, requires_grad = bind_plain(of_scalar[float].numpy, **given)
            return make_leaf(diagonal(sizes[0], sizes[0], numpy), requires_grad)
        except (TypeError, AttributeError, ValueError, MemoryError):
            pass
    given = bind("eye", (f"(int n, {OUT})", f"(int n, int m, {OUT})"), sizes, given)
    n, m = given["n"], given.get("m", given["n"])
    for name, number in ("n", n), ("m", m):
        if number < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {number}")
    if n * m >= LARGEST:
        raise RuntimeError("numel: integer multiplication overflow")
    return finish("eye", lambda d: diagonal(n, m, d), of_scalar[float].numpy, {**given, "size": (n, m)})


def diagonal(n, m, dtype):
    array = np.zeros(n * m, dtype)
    array[: m * m : m + 1] = 1
    return array.reshape(n, m)


def triangle(name, upper):
    """Declare a function that returns the indices of a triangle."""
    compare = np.less_equal if upper else np.greater_equal
    text = f"(int row, int col, int offset = 0, *, {KEYWORDS})"

    @shows("row, col, offset=0, *", PLACED)
    def indices(*args, **given):
        given = bind(name, (text,), args, given)
        row, col, offset = given["row"], given["col"], given["offset"]
        for side, number in ("row", row), ("col", col):
            if number < 0:
                raise RuntimeError(f"{side} must be non-negative, got{number}")

        if max(row, col) >= 2**62:
            raise RuntimeError(f"Storage size calculation overflowed with sizes={[2, row * col]}")

        def make(dtype):
            if dtype not in (np.int64, np.int32):
                raise NotImplementedError(f"\"{name}\" not implemented for '{BY_NUMPY[dtype].title}'")
            last = np.arange(row) + min(max(offset, -row), col)  # the last column of each row, or the first
            return np.array(compare(last[:, None], np.arange(col)).nonzero(), dtype)

        return finish(name, make, int64.numpy, given)

    indices.__name__ = indices.__qualname__ = name
    indices.__doc__ = (
        f"The rows and columns, as a 2-row tensor, of the {'upper' if upper else 'lower'} triangle of a matrix of ``row`` "
        f"rows and ``col`` columns; ``offset`` moves the diagonal {'right' if upper else 'up'}.  Raise RuntimeError for a negative size."
    )
    return public(indices)


tril_indices, triu_indices = triangle("tril_indices", False), triangle("triu_indices", True)
