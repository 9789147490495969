"""Reductions at given indices: the sum, product, mean, largest or smallest of all elements with one index.

``scatter_reduce`` has an index for every element, ``index_reduce`` one for every slice, which is expanded first.
"""

import numpy as np

from tensh.engine.arrays.scattering import add_at, add_at_once, multiply_at_once
from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import word
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.operators.indexing.gather import places
from tensh.engine.operators.indexing.scatter import require_scatter, scatter, scatter_number, scatter_src
from tensh.engine.operators.writing import writes


# ── parts of derivatives without derivatives ─────────────────────────────────
@op(public=False, out=False, one=None, other=None)
def mark_equal(one, other):
    """1 where two arrays are equal, 0 elsewhere."""
    return (one == other).astype(one.dtype)


@op(public=False, out=False, grad=None)
def equals(grad, number):
    """1 where ``grad`` equals ``number``, 0 elsewhere."""
    return (grad == number).astype(grad.dtype)


@op(public=False, out=False, node="DelayedError", grad="unless_zeros_meet(g, zeros)", zeros=None)
def once(grad, zeros):
    """``grad``; differentiating it raises where several ``zeros`` have one index."""
    return grad


@word
def unless_zeros_meet(g, zeros):
    """The gradient of ``once``; raise where several zeros have one index."""
    if (zeros > 1).any():
        raise RuntimeError(
            "scatter_reduce(): Double backward is unsupported for src when >1 zeros in src are scattered to the same "
            "position in self"
        )
    return g


@op(public=False, out=False, grad=None, index=None)
def count_meeting(grad, shape, dim, index, include_self):
    """The number of elements with each index, at least 1, in the dtype of ``grad``."""
    where = places(shape, wrap_dim(dim, len(shape)), index).reshape(-1)
    count = np.bincount(where, minlength=int(np.prod(shape))).reshape(shape) + include_self
    return np.maximum(count, 1).astype(grad.dtype)


# ── kernels ──────────────────────────────────────────────────────────────────
def extreme(dtype, largest):
    """Return the largest or smallest value of a dtype."""
    if dtype.kind in "fV":
        return np.inf if largest else -np.inf
    if dtype.kind == "b":
        return largest
    return np.iinfo(dtype).max if largest else np.iinfo(dtype).min


FOLDS = {
    "sum": (add_at, lambda dtype: 0),
    "mean": (add_at, lambda dtype: 0),
    "prod": (np.multiply.at, lambda dtype: 1),
    "amax": (np.maximum.at, lambda dtype: extreme(dtype, False)),
    "amin": (np.minimum.at, lambda dtype: extreme(dtype, True)),
}
"""Reduction -> (function that adds values at positions of an array, initial value without the array's elements)."""
ROUNDED_ONCE = {"sum": add_at_once, "mean": add_at_once, "prod": multiply_at_once}
"""The functions that ``scatter_reduce`` calls in place of these."""


def find_refusing_kernel(family, kind, input):
    """Return the name of PyTorch's kernel that refuses numbers of this kind, or None."""
    complex_, bool_ = input.dtype.kind in "cW", input.dtype.kind == "b"
    if family == "scatter":
        refused = complex_ and kind in ("amax", "amin") or bool_ and kind == "mean"
        return f"scatter_gather_tensor_cpu_reduce_{kind}" if refused else None
    if input.ndim < 2:  # slices and numbers have different kernels
        return "index_func_" if complex_ or bool_ else None
    if complex_:
        return {"amax": "maximum_cpu", "amin": "minimum_cpu"}.get(kind)
    return "div_floor_cpu" if bool_ and kind == "mean" else None


def make_fold(family, kind):
    """Make the function that reduces ``src`` into ``input`` at ``index`` along ``dim``."""
    fold, start = FOLDS[kind]
    fold = ROUNDED_ONCE.get(kind, fold) if family == "scatter" else fold

    def write(input, dim, index, src, include_self=True):
        if family == "index" and not include_self and input.dtype.kind in "bc":
            kernel = "index_reduce_func_exclude_input_init"
            raise NotImplementedError(f"\"{kernel}\" not implemented for '{BY_NUMPY[input.dtype].title}'")
        if (index.size or family == "scatter" and kind == "mean") and (
            kernel := find_refusing_kernel(family, kind, input)
        ) is not None:
            if family == "scatter":
                if (axis := wrap_dim(dim, input.ndim)) >= input.ndim or input.shape[axis]:
                    require_scatter(input, axis, np.zeros_like(index), src)
                kernel = kernel if index.size else "div_floor_cpu"  # only the mean divides nothing
            raise NotImplementedError(f"\"{kernel}\" not implemented for '{BY_NUMPY[input.dtype].title}'")

        def write_flat(flat, where, values):
            # where memory is lacking between two steps, the array stays as it was
            whole = flat.copy() if kind == "mean" or not include_self else flat
            if not include_self:
                whole[where] = start(flat.dtype)
            fold(whole, where, values)
            if kind == "mean":
                count = np.maximum(np.bincount(where, minlength=flat.size) + include_self, 1)
                divide = np.floor_divide if flat.dtype.kind in "iu" else np.true_divide
                divide(whole, count.astype(flat.dtype), flat)
            elif whole is not flat:
                flat[...] = whole

        scatter(write_flat, input, dim, index, src)

    return write


# ── derivatives ──────────────────────────────────────────────────────────────
LET = {
    "sum": {"own": "g", "its": "gather(g, dim, index)"},
    "mean": {
        "each": "g / count_meeting(g, input.shape, dim, index, include_self)",
        "own": "each",
        "its": "gather(each, dim, index)",
    },
    "amax": {
        "kept": "mark_equal(input, out)",
        "taken": "mark_equal(crop_to(src, index.shape), gather(out, dim, index))",
        "each": "g / scatter_add(kept, dim, index, taken)",
        "own": "kept * each",
        "its": "taken * gather(each, dim, index)",
    },
    "prod": {
        "part": "crop_to(src, index.shape)",
        "others": "masked_fill(input, input == 0, 1)",  # the product without zeros
        "own": "g * conj(scatter_prod(others, dim, index, part, include_self) / others)",
        "zeros": "gather(scatter_add(zeros_as(g, input.shape), dim, index, equals(part, 0)), dim, index)",
        "alone": "(part == 0) & (zeros == 1)",
        "beside": "gather(g * conj(scatter_prod(input, dim, index, masked_fill(part, alone, 1), include_self)), dim, index)",
        "shared": "gather(g * conj(out), dim, index) / conj(masked_fill(part, part == 0, 1))",
        "its": "once(where(alone, beside, shared), zeros)",
    },
}
LET["amin"] = LET["amax"]

OPERATORS: dict = {"scatter": {}, "index": {}}  # family -> kind -> the operator
for _family, _node in ("scatter", "ScatterReduceBackward0"), ("index", "IndexReduceBackward0"):
    for _kind in FOLDS:
        _write = make_fold(_family, _kind)
        _write.__name__ = f"{_family}_{_kind}"
        _write.__doc__ = f"The {_kind} of all elements that meet in one place."
        OPERATORS[_family][_kind] = writes(
            _write, public=False, node=_node, let=LET[_kind], index=None,
            input="own if include_self else scatter_number(own, dim, index, 0)", src="pad_to(its, src.shape)",
        )  # fmt: skip


# ── scatter(reduce=), which PyTorch does not differentiate ───────────────────
def declare_combination(what, combine, numbers):
    """Declare the overload of ``scatter`` that combines elements, or a number, with the elements of the input."""

    def write(input, dim, index, src):
        if numbers:
            scatter(lambda flat, where: combine(flat, where, np.broadcast_to(src, where.shape)), input, dim, index)
        else:
            scatter(combine, input, dim, index, src)

    write.__name__ = f"scatter_{what}_{'number' if numbers else 'src'}"
    write.__doc__ = "Elements, or a number, combined with those at ``index`` along ``dim``."
    given = {} if numbers else {"src": "not_differentiable('scatter')"}
    return writes(
        write, public=False, node="NotImplemented", input="not_differentiable('scatter')", index=None, **given
    )


SCATTER = {
    (what, numbers): declare_combination(what, combine, numbers)
    for what, combine in (("add", add_at_once), ("multiply", multiply_at_once))
    for numbers in (True, False)
} | {(None, True): scatter_number, (None, False): scatter_src}
"""The operators of ``scatter``, by ``reduce`` and by whether the source is a number."""
