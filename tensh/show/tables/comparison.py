"""`cmp`: a comparison of two tensors, such as a gradient worked out by hand and the one from autograd."""

import numpy as np

from tensh.show.drawing.table import Table
from tensh.show.reading import describe
from tensh.show.reading.values import array_of
from tensh.support.language import _

TOLERANCE = {"float16": 1e-3, "bfloat16": 1e-2, "float32": 1e-5, "complex64": 1e-5}  # relative; 1e-8 for all others


def cmp(a, b, names=("a", "b")):
    """Compare two tensors: whether they are equal or nearly equal, and where they differ most.

    Args:
        a, b: tensors, arrays, numbers or nested lists of numbers.
        names: their names in the table.

    Nearly equal means within a relative tolerance of the dtype, 1e-5 for float32. NaN equals NaN.

    >>> import tensh
    >>> tensh.show.cmp(tensh.tensor([1., 2., 3.]), tensh.tensor([1., 2., 3.5]))
    exact  approximate  largest difference  at   a  b
    no     no           0.5                 [2]  3  3.5
    """
    one, other = array_of(a), array_of(b)
    if one.shape != other.shape:
        return Table(
            ("", _("shape")), [(names[0], list(one.shape)), (names[1], list(other.shape))], title=_("the shapes differ")
        )
    wide = np.result_type(np.complex128 if describe_complex(one, other) else np.float64)
    one, other = one.astype(wide), other.astype(wide)
    both_nan = np.isnan(one) & np.isnan(other)
    with np.errstate(all="ignore"):
        difference = np.where((one == other) | both_nan, 0.0, np.abs(one - other))
    difference = np.where(np.isnan(difference), np.inf, difference)
    exact = not difference.any()
    allowed = tolerance(a, b) * np.maximum(np.abs(one), np.abs(other))
    close = exact or bool((difference <= allowed).all())
    columns, row = [_("exact"), _("approximate")], [describe.yes_or_no(exact), describe.yes_or_no(close)]
    if not exact:
        at = np.unravel_index(int(difference.argmax()), difference.shape)
        columns += [_("largest difference"), _("at"), *names]
        row += [describe.number(float(difference[at])), list(map(int, at)), number(one[at]), number(other[at])]
    return Table(columns, [row], is_named=False)


def describe_complex(*arrays):
    return any(array.dtype.kind == "c" for array in arrays)


def number(value):
    return describe.number(complex(value) if isinstance(value, np.complexfloating) else float(value))


def tolerance(*values):
    """Return the relative tolerance for two arrays, from the less precise dtype."""
    return max(TOLERANCE.get(str(getattr(value, "dtype", "")).removeprefix("torch."), 1e-8) for value in values)
