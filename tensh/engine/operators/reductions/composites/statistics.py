"""Variance, standard deviation, medians and quantiles with PyTorch's overloads."""

from tensh.engine.arguments.checks import is_empty
from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.table import OR_THE_SAME
from tensh.engine.dtypes.dtype import DIFFERENTIABLE
from tensh.engine.errors.messages import ABSENT
from tensh.engine.inplace.out import check_out, write_out
from tensh.engine.operators.forms import require_kind
from tensh.engine.operators.reductions import statistics
from tensh.engine.operators.reductions.composites.extremes import reduce_all_or_along


def bind_variance(name, dim, unbiased, keepdim, correction, axis, keepdims):
    """Return (dim, correction, keepdim) of ``var(dim, unbiased, keepdim)``, ``var(unbiased)`` or ``var(dim, correction)``."""
    if isinstance(dim, bool):
        if unbiased is not None or keepdim or keepdims is not None:
            raise TypeError(f"{name}() takes no other argument beside a bool for unbiased")
        dim, unbiased = None, dim
    elif unbiased is not None:
        require_kind("bool", unbiased, name, "unbiased")
    if unbiased is not None and correction is not None:
        raise TypeError(
            f"{name}() received an invalid combination of arguments - got (correction=int, unbiased=bool, )"
        )
    if correction is None:
        correction = 1 if unbiased is None or unbiased else 0
    dim = dim if axis is None else axis
    return None if is_empty(dim) else dim, correction, keepdim if keepdims is None else keepdims


def declare_spread(name, doc, operator):
    """``var``, ``std`` and, with the mean beside them, ``var_mean`` and ``std_mean``."""
    pair = len(operator.outs) == 2

    def function(input, dim=None, unbiased=None, keepdim=False, *, correction=None, axis=None, keepdims=None, out=None):
        if input.array.dtype.kind not in DIFFERENTIABLE:
            what = name if pair else "std and var"
            raise RuntimeError(f"{what} only support floating point and complex dtypes")
        if out is not None:
            if pair:
                raise TypeError(f"{name}() takes no out")  # replaced by the error of PyTorch's signatures
            check_out(out, name, (input,))
        dim, correction, keepdim = bind_variance(name, dim, unbiased, keepdim, correction, axis, keepdims)
        result = operator.fn(input, dim, correction, keepdim)
        return tuple(result) if pair else result if out is None else write_out(out, result, name)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return composite(function, method=not pair)


SPREAD = """{} of all elements, or along ``dim`` (an int or a sequence of them).

    The squared distances from the mean are divided by the number of elements minus ``correction`` (1; 0 for
    ``unbiased=False``).  Shape: [*] to [], or without ``dim``.  Raise RuntimeError for integers.  Differentiable.

    >>> import tensh as torch
    >>> torch.{}(torch.tensor([1.0, 2.0, 3.0]))
    {}
    """
var = declare_spread("var", SPREAD.format("The variance", "var", "tensor(1.)"), statistics.var_dim)
std = declare_spread("std", SPREAD.format("The standard deviation", "std", "tensor(1.)"), statistics.std_dim)
var_mean = declare_spread(
    "var_mean",
    SPREAD.format("The variance and the mean", "var_mean", "(tensor(1.), tensor(2.))"),
    statistics.var_mean_dim,
)
std_mean = declare_spread(
    "std_mean",
    SPREAD.format("The standard deviation and the mean", "std_mean", "(tensor(1.), tensor(2.))"),
    statistics.std_mean_dim,
)


def median_of(name, doc):
    """``median`` and ``nanmedian``: of all elements, or along a dimension with indices."""
    of_all, along = statistics.MEDIANS[name]

    def function(input, dim=ABSENT, keepdim=False, *, axis=ABSENT, keepdims=None, out=None):
        dim = dim if axis is ABSENT else axis
        return reduce_all_or_along(name, of_all, along, input, dim, keepdim if keepdims is None else keepdims, out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return composite(function)


median = median_of(
    "median",
    """The median (the lower of two middle elements); with ``dim`` a named tuple of the medians along it and their indices.

    nan if there is a nan.  Differentiable.  Shape: [*] to [], or without ``dim``.

    >>> import tensh as torch
    >>> torch.tensor([3, 1, 2, 4]).median()
    tensor(2)
    """,
)
nanmedian = median_of(
    "nanmedian",
    """The median of the elements that are not nan; with ``dim`` a named tuple of the medians along it and their indices.

    Differentiable.  Shape: [*] to [], or without ``dim``.

    >>> import tensh as torch
    >>> torch.tensor([3.0, float("nan"), 2.0]).nanmedian()
    tensor(2.)
    """,
)


@composite(out=True, apart=OR_THE_SAME)
def mode(input, dim=-1, keepdim=False):
    """The most frequent element along ``dim`` (the smallest of equally frequent ones), and its last index.

    Differentiable.  Shape: [*] without ``dim``.

    >>> import tensh as torch
    >>> torch.tensor([2, 1, 2, 3]).mode().values
    tensor(2)
    """
    return statistics.mode_dim.fn(input, dim, keepdim)
