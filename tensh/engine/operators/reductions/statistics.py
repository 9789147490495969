"""Variance, standard deviation, median and mode along dimensions."""

import numpy as np

from tensh.engine.arrays.absent import place_beside
from tensh.engine.arrays.orders import move_axis
from tensh.engine.codegen.mixing import SCALARS
from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import ARRAYS, TENSORS, on_tensors, word
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.errors.messages import refuse_dtype, wrap_dim
from tensh.engine.errors.warnings import warn
from tensh.engine.operators.along import read_along
from tensh.engine.operators.kernels import has_true
from tensh.engine.operators.precision import I8, real_dtype, widen
from tensh.engine.operators.reductions.extremes import ALONG, SHARE, SHARED, require_elements
from tensh.engine.operators.reductions.introsort import SHORT
from tensh.engine.operators.reductions.moments import moments
from tensh.engine.operators.reductions.reductions import count
from tensh.engine.operators.reductions.selection import last_of_equals, select_among_equals


# ── variance ─────────────────────────────────────────────────────────────────
@word
def per_freedom(shape, dim, correction):
    """Two divided by the degrees of freedom: the factor in the derivative of a variance."""
    freedom = count(shape, dim) - correction
    return 2 / freedom if freedom else float("inf")


@word
def without_freedom(input):
    """The derivative of a variance without degrees of freedom: infinite away from the mean."""
    array = input.array if isinstance(input, Tensor) else input
    slope = np.where(array == ARRAYS["mean_all"](array), np.nan, np.inf).astype(array.real.dtype)
    return wrap(slope) if isinstance(input, Tensor) else slope


@word
def ones_for_zeros(divisor):
    """A divisor with 1 in place of 0, so that the tangent of a standard deviation of 0 is 0 rather than 0 / 0."""
    if isinstance(divisor, Tensor):
        return divisor if divisor.array.all() else divisor.masked_fill(divisor == 0, 1)
    return divisor if divisor.all() else np.where(divisor == 0, 1, divisor)


def mean_kept(input, dim):
    """The mean, broadcastable to the input."""
    return on_tensors("mean_all")(input) if dim is None else on_tensors("mean_dim")(input, dim, True)


ARRAYS["mean_kept"], TENSORS["mean_kept"] = lambda input, dim: ARRAYS["mean_dim"](input, dim, True), mean_kept


def variance(name, input, dim, correction, keepdim):
    """Return (the sum of squared distances over the degrees of freedom, the mean); see ``moments``.

    Warn about missing degrees of freedom on behalf of the function ``name``.
    """
    mean, squares = moments(widen(input), dim, keepdim)
    freedom = (count(input.shape, dim) if input.size else 0) - correction
    if freedom <= 0:
        warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input "
            "numel divided by output numel)."
        )
    number = max(0, freedom)
    return squares / (SCALARS[number, squares.dtype] if squares.ndim else squares.dtype.type(number)), mean


SCALED = (
    "{0} * per_freedom(input.shape, dim, correction) * (input - mean_kept(input, dim)) "
    "if dim is not None or count(input.shape, dim) > correction else {0} * without_freedom(input)"
)
G = "restore({}, input.shape, dim, keepdim)"
OVER_STD = "masked_fill({g} / ones_for_zeros({std} * 2), {std} == 0, 0)"


@op(public=False, node="VarBackward0", input=SCALED.format(G.format("g")))
def var_dim(input, dim, correction, keepdim):
    """The variance along ``dim``."""
    return variance("var", input, dim, correction, keepdim)[0].astype(real_dtype(input.dtype), copy=False)


@op(
    public=False,
    node="StdBackward0",
    input=SCALED.format(G.format(OVER_STD.format(g="g", std="out"))),
)
def std_dim(input, dim, correction, keepdim):
    """The standard deviation along ``dim``."""
    return np.sqrt(variance("std", input, dim, correction, keepdim)[0]).astype(real_dtype(input.dtype), copy=False)


def add_mean(name, finish):
    """Make the kernel of two results: the variance or its root, and the mean."""

    def kernel(input, dim, correction, keepdim):
        spread, mean = variance(name, input, dim, correction, keepdim)
        mean = mean.astype(input.dtype, copy=False).reshape(spread.shape)
        return finish(spread).astype(real_dtype(input.dtype), copy=False), mean

    return kernel


def derive_spread_and_mean(g, spread):
    """The derivative of both results, without the part of an unused variance."""
    mean = f"evenly({G.format('g_mean')}, input.shape, count(input.shape, dim))"
    spread = f"({SCALED.format(G.format(spread))})"
    return f"{mean} if {g} is None else {spread} if g_mean is None else {spread} + {mean}"


var_mean_dim = op(
    add_mean("var_mean", np.asarray),
    name="var_mean_dim", doc="The variance and the mean along ``dim``.", public=False, node="VarMeanBackward0",
    outs=("var", "mean"), many=True, partial=True, input=derive_spread_and_mean("g_var", "g_var"),
)  # fmt: skip
std_mean_dim = op(
    add_mean("std_mean", np.sqrt),
    name="std_mean_dim", doc="The standard deviation and the mean along ``dim``.", public=False, node="StdMeanBackward0",
    outs=("std", "mean"), many=True, partial=True,
    input=derive_spread_and_mean("g_std", OVER_STD.format(g="g_std", std="std")),
)  # fmt: skip


# ── the middle ───────────────────────────────────────────────────────────────
def not_a_number(dtype):
    """Return nan in a dtype: for integers of 32 and 64 bits the processor's conversion, for small ones its low bits."""
    if dtype.kind in "iu":
        return np.iinfo(dtype).min if dtype.itemsize >= 4 else 0
    return np.nan


def middle(input, axis, skip_nan):
    """Return the index of the lower median along ``axis``, or of the first nan unless nan is skipped.

    Equal elements count in their order.
    """
    missing = np.isnan(input) if input.dtype.kind in "fV" else None
    length = input.shape[axis]
    if missing is None or not has_true(missing):
        return half_way(input, (length - 1) // 2, axis)
    order = np.argsort(input, axis, kind="stable")
    present = length - np.count_nonzero(missing, axis, keepdims=True)
    found = read_along(order, np.maximum(present - 1, 0) // 2, axis)
    return found if skip_nan else np.where(present < length, np.argmax(missing, axis, keepdims=True), found)


SORTED = 256  # elements along a dimension up to which sorting them takes less time


def middle_value(flat):
    """Return the lower median of a vector, or None if it has nan: in half the time of looking for its place."""
    wide = widen(flat)
    if wide.dtype.kind == "f" and has_true(np.isnan(wide)):
        return None
    place = (wide.size - 1) // 2
    return np.partition(wide, place)[place].astype(flat.dtype)


def half_way(input, place, axis):
    """Return the index along ``axis`` of the element at ``place`` in a stable sort; there must be no nan."""
    here = (*(slice(None),) * (axis % input.ndim), slice(place, place + 1))
    if input.shape[axis] <= SORTED:
        return input.argsort(axis, "stable")[here]
    found = input.argpartition(place, axis)[here]
    value = read_along(input, found, axis)
    equal = input == value
    if np.count_nonzero(equal) == found.size:
        return found
    before = place - np.count_nonzero(input < value, axis, keepdims=True)  # equal ones that come first
    return np.argmax(np.cumsum(equal, axis) > before, axis, keepdims=True)


def median_along(name, skip_nan):
    """Make the kernel of ``median`` and ``nanmedian`` along one dimension."""

    def kernel(input, dim, keepdim=False):
        axis = wrap_dim(dim, input.ndim)
        require_elements("median", input, (axis,))
        if input.dtype.kind in "bcW":
            refuse_dtype(f"{name}_dim", input.dtype)
        if input.ndim == 0 or not input.size:
            shape = input.shape[:axis] + (1,) * (keepdim and input.ndim > 0) + input.shape[axis + 1 :]
            return input.reshape(shape).copy(), place_beside(np.zeros(shape, I8), input)
        indices = np.ascontiguousarray(middle(widen(input), axis, skip_nan))
        values = read_along(input, indices, axis)
        return (values, indices) if keepdim else (values.squeeze(axis), indices.squeeze(axis))

    return kernel


def median_of_all(name, skip_nan):
    """Make the kernel of ``median`` and ``nanmedian`` of all elements."""

    def kernel(input):
        flat = input.reshape(-1)
        if not flat.size:
            return np.full((), not_a_number(input.dtype), input.dtype)
        if input.dtype.kind in "bcW":
            refuse_dtype(f"{name}_all", input.dtype)
        if flat.size > SORTED and (value := middle_value(flat)):  # zeros of both signs are equal: which is it?
            return value
        return flat[middle(widen(flat), 0, skip_nan)[0]]

    return kernel


MEDIANS = {}  # name -> the operators of all elements, and along a dimension
for _name, _skip in (("median", False), ("nanmedian", True)):
    _doc = "The lower median{}" + (" of the elements that are not nan." if _skip else ".")
    _along = op(
        median_along(_name, _skip),
        name=f"{_name}_dim", doc=_doc.format(" along ``dim``, and where it is") , public=False, kernel_name="median_out",
        node=f"{_name.title()}Backward1", outs=("values", "indices"), returns=_name, input=ALONG,
    )  # fmt: skip
    _of_all = op(
        median_of_all(_name, _skip),
        name=f"{_name}_all", doc=_doc.format(" of all elements"), public=False, kernel_name="median_cpu", let=SHARED,
        node=f"{_name.title()}Backward0", input=SHARE,
    )  # fmt: skip
    MEDIANS[_name] = _of_all, _along


INSERTED = 16  # elements of a line up to which PyTorch sorts by insertion


def insert_each(lines):
    """Return the order in which PyTorch sorts short lines, where nan is neither less nor more than any number."""
    flat = widen(lines).reshape(-1, lines.shape[-1]).tolist()
    orders = np.empty((len(flat), lines.shape[-1]), I8)
    for row, line in zip(orders, flat):
        order = []
        for place, number in enumerate(line):
            at = len(order) if not order or not number < line[order[0]] else 0
            while at and number < line[order[at - 1]]:
                at -= 1
            order.insert(at, place)
        row[...] = order
    return orders.reshape(lines.shape)


@op(public=False, kernel_name="mode_cpu", node="ModeBackward0", outs=("values", "indices"), returns="mode", input=ALONG)
def mode_dim(input, dim, keepdim):
    """The most frequent element along ``dim`` (the smallest of equally frequent ones), and its last index."""
    axis = wrap_dim(dim, input.ndim)
    require_elements("mode", input, (axis,))
    if input.ndim == 0 or not input.size:
        shape = input.shape[:axis] + (1,) * (keepdim and input.ndim > 0) + input.shape[axis + 1 :]
        return input.reshape(shape).copy(), place_beside(np.zeros(shape, I8), input)
    if input.dtype.kind in "cW":
        refuse_dtype("mode_dim", input.dtype)
    lines = move_axis(input, axis, -1)
    order = np.argsort(widen(lines), -1, kind="stable")
    ordered = read_along(lines, order, -1)
    if len(order.T) <= INSERTED and (last := ordered[..., -1:] != ordered[..., -1:]).any():
        order = np.where(last, insert_each(lines), order)
        ordered = read_along(lines, order, -1)
    begins = np.ones(lines.shape, bool)
    begins[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    place = np.arange(lines.shape[-1])
    run = place - np.maximum.accumulate(np.where(begins, place, 0), -1)
    indices = read_along(order, np.argmax(run, -1, keepdims=True), -1)
    if len(place) > SHORT:
        indices = select_among_equals(last_of_equals, lines, indices, -1)
    values = read_along(lines, indices, -1)
    if keepdim:
        return move_axis(values, -1, axis), move_axis(indices, -1, axis)
    return values.squeeze(-1), indices.squeeze(-1)
