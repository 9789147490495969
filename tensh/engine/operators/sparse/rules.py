"""Rules for operators on sparse tensors, as a table: operator -> function of its arguments.

Operators that map zero to zero are applied to the values; all others have a rule here, or are refused as in PyTorch.
"""

from math import prod

import numpy as np

from tensh.engine.codegen.vocabulary import on_tensors
from tensh.engine.core.tensor import wrap
from tensh.engine.dtypes.device import channels_last, channels_last_3d, contiguous_format, preserve_format
from tensh.engine.dtypes.dtype import BY_NUMPY, promote_types
from tensh.engine.errors.messages import broadcast_clash, wrap_dims
from tensh.engine.errors.unavailable import could_not_run
from tensh.engine.operators.elementwise.arithmetic import refuse_bools, times
from tensh.engine.operators.sparse.array import COO, CSR, flat_places, merge_places, places
from tensh.engine.operators.sparse.creation import is_in_order
from tensh.engine.operators.sparse.forms import (
    coalesce_as,
    entries_of,
    is_sparse,
    rename_node,
    replace_values,
    require_coordinates,
    sparse_tensor,
    values_of,
)
from tensh.engine.operators.sparse.layouts import TITLES, convert_layout, to_coo

RULES: dict = {}


def rule(*names):
    """Declare the rule of these operators."""

    def keep(fn):
        RULES.update(dict.fromkeys(names or (fn.__name__,), fn))
        return fn

    return keep


def require_iterated(t):
    """Raise PyTorch's error for elementwise operators that compressed tensors lack."""
    if t.array.layout is not COO:
        raise RuntimeError(f"unsupported tensor layout: {TITLES[t.array.layout]}")


# ── element by element ───────────────────────────────────────────────────────
ZERO_FOR_ZERO = (
    "abs asin asinh atan atanh ceil deg2rad erf erfinv expm1 floor frac isinf isnan isneginf isposinf log1p neg "
    "rad2deg relu round round_decimals sgn sign signbit sin sinh sqrt tan tanh trunc threshold_backward nan_to_num"
).split()
NOT_COMPRESSED = {"nan_to_num": "nan_to_num.out"}
LINEAR = frozenset(["neg", "deg2rad", "rad2deg"])
COALESCED = frozenset(ZERO_FOR_ZERO) - {"neg"}
"""Operators whose in-place forms take coalesced tensors only."""


def on_values(name):
    """Apply an operator to the coalesced values."""

    def apply(input, *args, **options):
        if name in NOT_COMPRESSED:
            require_coordinates(input, NOT_COMPRESSED[name])
        if input.array.layout is COO and name not in LINEAR:
            input = coalesce_as(input)
        return replace_values(input.array, on_tensors(name)(values_of(input), *args, **options))

    return apply


RULES.update({name: on_values(name) for name in ZERO_FOR_ZERO})


def is_number(value):
    """Return True for a Python number and for a dense 0-d tensor."""
    return not is_sparse(value) and (not hasattr(value, "array") or not value.array.ndim)


def title_of(memory_format):
    """Return PyTorch's name of a memory format, such as ChannelsLast3d."""
    return memory_format.name.title().replace("_", "").removesuffix("Format").replace("3D", "3d")


@rule("cast")
def cast(input, to, memory_format=None):
    if memory_format not in (None, preserve_format) and input.array.layout is COO:
        raise RuntimeError(
            f"to(options): COO only supports memory format Preserve, but got {title_of(memory_format)} instead."
        )
    return replace_values(input.array, on_tensors("cast")(values_of(input), to))


@rule("recast")
def recast(t, dtype, memory_format=None, *args, **options):
    return cast(t, dtype.numpy, memory_format)


@rule("view_as_real")
def view_as_real(input):
    require_coordinates(input, "view_as_real")
    pairs = on_tensors("view_as_real")(values_of(input))
    return sparse_tensor(
        pairs, input.array.indices, (*input.array.shape, 2), COO, input.array.coalesced, "ViewAsRealBackward0"
    )


@rule("clone", "copy_gradient", "laid_out", "real")
def clone(input, memory_format=None, *args, **options):
    if memory_format in (channels_last, channels_last_3d, contiguous_format) and input.array.layout is COO:
        raise RuntimeError(f"unsupported memory format option {title_of(memory_format)}")
    return replace_values(input.array.copy(), values_of(input).clone())


@rule("angle")
def angle(input):
    if input.array.layout is COO:
        raise could_not_run("angle", "SparseCPU")
    return replace_values(input.array, values_of(input).angle())


@rule("conj", "conjugate", "conj_physical", "conj_over")
def conj(input, *args, **options):
    return replace_values(input.array.copy(), values_of(input).conj())


def promote(input, other):
    """Return the dtype of a result of two tensors of the same number of dimensions."""
    return promote_types(BY_NUMPY[input.array.dtype], BY_NUMPY[other.array.dtype])


def scale(values, alpha, dtype):
    """Return the values times ``alpha``, in the dtype of the sum; raise RuntimeError if the dtype lacks such a number."""
    times(np.empty(0, dtype.numpy), alpha, "add")
    return values.to(dtype) if alpha == 1 else values.to(dtype) * alpha


@rule("add", "add_scaled")
def add(input, other, alpha=1):
    if not is_sparse(input):
        if not hasattr(input, "array"):
            raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
        if input.array.shape != other.array.shape:
            what = "dense" if other.array.layout is COO else "op2"
            raise RuntimeError(
                f"add: expected 'self' and 'other' to have same size, but self has size {list(input.shape)} while other has size "
                f"{list(other.shape)} (FYI: {what}-sparse addition does not currently support broadcasting)"
            )
        array, values, dtype = other.array, entries_of(other)[1], promote(input, other)
        flat = array.take_apart(input.to(dtype)).reshape(-1, *array.entry_shape)
        added = flat.index_put((wrap(flat_places(array)),), scale(values, alpha, dtype), True)
        return rename_node(array.assemble(added), "AddBackward0")
    if not is_sparse(other):
        if input.array.layout is CSR and hasattr(other, "array"):
            return add(other, input, alpha)
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    if input.array.shape != other.array.shape:
        raise RuntimeError(
            f"add: expected sizes of 'self' and 'other' to match, but {list(input.shape)} != {list(other.shape)}"
        )
    layout = input.array.layout
    if layout is not other.array.layout:
        other = convert_layout(other, layout, input.array.block)
    dtype = promote(input, other)
    if layout is not COO and have_same_places(input.array, other.array):
        return replace_values(input.array, values_of(input) + scale(values_of(other), alpha, dtype))
    if layout is not COO and input.array.batch_dim:
        raise NotImplementedError(
            "batches of sparse matrices can be added only if their values have the same positions"
        )
    if layout is not COO:
        return convert_layout(add(coalesce_as(to_coo(input)), coalesce_as(to_coo(other)), alpha), layout)
    second = scale(values_of(other), alpha, dtype)
    if input.array.indices[0] is other.array.indices[0] and is_in_order(input.array.indices[0]):
        return replace_values(input.array, values_of(input) + second)
    index, numbers, count = merge_places(input.array, other.array)
    first = values_of(input).to(dtype)
    zeros = wrap(np.zeros((count, *first.array.shape[1:]), dtype.numpy))
    out = zeros.index_put((wrap(numbers[0]),), first, True).index_put((wrap(numbers[1]),), second, True)
    known = input.array.coalesced and other.array.coalesced
    return sparse_tensor(out, (index,), input.array.shape, COO, known, "AddBackward0")


def have_same_places(a, b):
    """Return True if two compressed arrays have the same indices."""
    return a.block == b.block and all(map(np.array_equal, a.indices, b.indices))


@rule("sub", "sub_scaled")
def sub(input, other, alpha=1):
    if is_sparse(input) and input.array.layout is not COO:
        raise RuntimeError("unsupported tensor layout: SparseCsr")
    if hasattr(input, "array") and hasattr(other, "array"):
        refuse_bools(input.array.dtype, other.array.dtype, 1)
    result = add(input, other, -alpha)
    return rename_node(result, None)


@rule("rsub", "rsub_scaled")
def rsub(input, other, alpha=1):
    return add(other, input, -alpha)


@rule("mul")
def mul(input, other):
    if not is_sparse(input):
        return mul(other, input)
    if is_number(other):
        return replace_values(input.array, values_of(input) * other)
    if not is_sparse(other):
        if (clash := broadcast_clash([other.array.shape, input.array.shape])) is not None:
            raise RuntimeError(clash)
        if other.array.ndim > input.array.ndim and input.array.layout is COO:
            input = repeat(input, other.array.shape[: other.array.ndim - input.array.ndim])
        if np.broadcast_shapes(input.array.shape, other.array.shape) != input.array.shape:
            raise RuntimeError(f"mul(): expected sizes to match, got {list(input.shape)} and {list(other.shape)}")
        dense = other.expand(input.array.shape)
        index, array = tuple(wrap(each) for each in places(input.array)), input.array
        factor = array.take_apart(dense)[index].reshape(array.values.shape)
        return replace_values(array, values_of(input) * factor, "MulBackward0")
    if input.array.shape != other.array.shape:
        raise RuntimeError(
            "sparse_binary_op_intersection_cpu(): expects sparse inputs with equal dimensionality, number of sparse dimensions, and "
            "shape of sparse dimensions"
        )
    layout = input.array.layout
    if layout is not COO and have_same_places(input.array, other.array):
        return replace_values(input.array, values_of(input) * values_of(other), "MulBackward0")
    dtype = promote(input, other)
    a, b = (coalesce_as(to_coo(each).to(dtype)) for each in (input, convert_layout(other, layout)))
    _, first, second = np.intersect1d(flat_places(a.array), flat_places(b.array), True, True)
    values = values_of(a).index_select(0, wrap(first)) * values_of(b).index_select(0, wrap(second))
    made = sparse_tensor(values, (a.array.indices[0][:, first],), a.array.shape, COO, True, "MulBackward0")
    return convert_layout(made, layout)


def repeat(t, sizes):
    """Return a sparse tensor with further dimensions in front, along which it is repeated."""
    array, number = t.array, prod(sizes)
    chosen = np.tile(np.arange(array.nnz), number)
    leading = np.indices(sizes).reshape(len(sizes), -1).repeat(array.nnz, 1)
    values = values_of(t).index_select(0, wrap(chosen))
    index = np.concatenate([leading, array.indices[0][:, chosen]])
    return sparse_tensor(values, (index,), (*sizes, *array.shape), COO, array.coalesced)


def division(name, words):
    def divide(input, other, *args, **options):
        if not hasattr(input, "array"):
            raise could_not_run("reciprocal", "SparseCPU")
        if not is_number(other):
            shape = list(other.shape)
            raise RuntimeError(
                f"Sparse {words} requires a scalar or zero-dim dense tensor divisor (got shape {shape} for divisor)"
            )
        if input.array.layout is not COO:
            raise RuntimeError("unsupported tensor layout: SparseCsr")
        if name != "div":
            input = coalesce_as(input)
        return replace_values(input.array, on_tensors(name)(values_of(input), other, *args, **options))

    return divide


RULES.update(div=division("div", "division"), div_rounded=division("div_rounded", "division"))
RULES["floor_divide"] = division("floor_divide", "floor division")


@rule("pow")
def power(input, exponent):
    for each in (input, exponent):
        if is_sparse(each):
            require_iterated(each)
    if not is_sparse(input) or hasattr(exponent, "array"):
        raise could_not_run("pow.Tensor_Tensor" if hasattr(input, "array") else "pow.Scalar", "SparseCPU")
    if exponent == 0:
        raise RuntimeError("pow: cannot raise to zeroth power on sparse tensor; it would make the result tensor dense")
    if input.array.dtype.kind == "b" and type(exponent) is int:
        raise RuntimeError("result type Long can't be cast to the desired output type Bool")
    input = coalesce_as(input)
    return replace_values(input.array, values_of(input) ** exponent)


@rule("square")
def square(input):
    return power(input, 2)


@rule("pow_", "square_")
def refuse_power(input, exponent=2):
    require_iterated(input)
    raise could_not_run("pow_.Tensor" if hasattr(exponent, "array") else "pow_.Scalar", "SparseCPU")


# ── reductions ───────────────────────────────────────────────────────────────
@rule("sum_all")
def sum_all(input, dtype=None):
    return on_tensors("sum_all")(values_of(input), dtype)


@rule("sum_dim")
def sum_dim(input, dim, keepdim=False, dtype=None):
    ndim, layout = input.array.ndim, input.array.layout
    if layout is not COO:
        if dim is None:
            raise RuntimeError("dim has no value, cannot be used in sum.dim_IntList")
        if layout is not CSR:
            raise RuntimeError(
                f"Currently the only compressed sparse format supported for sum.dim_IntList is CSR, but got layout {TITLES[layout]}"
            )
        if not keepdim:
            raise RuntimeError("reduction operations on CSR tensors with keepdim=False is unsupported")
    dims = (
        range(ndim) if dim is None or dim == () else wrap_dims(dim if isinstance(dim, (tuple, list)) else (dim,), ndim)
    )
    if layout is not COO:
        return rename_node(convert_layout(sum_dim(to_coo(input), dim, True, dtype), layout), "SumBackward1")
    total = sum_over(input, dims, dtype)
    if not keepdim:
        return total
    for d in sorted(dims):
        total = on_tensors("unsqueeze")(total, d)
    return rename_node(total, "SumBackward1")


def sum_over(input, dims, dtype):
    """Return the sum over some dimensions, which are dropped; over all sparse ones it is dense."""
    sparse, values = input.array.sparse_dim, values_of(input)
    inside = [d - sparse + 1 for d in dims if d >= sparse]
    if dtype is not None or input.array.dtype.kind in "biu":
        values = values.to(wrap(np.zeros(0, dtype or np.int64)).dtype)
    if inside:
        values = values.sum(inside)
    over = [d for d in dims if d < sparse]
    if len(over) == sparse:
        return values.sum(0)
    shape = [n for d, n in enumerate(input.shape) if d not in dims]
    index = np.delete(input.array.indices[0], over, 0)
    made = sparse_tensor(values, (index,), shape, COO, not over and input.array.coalesced, "SumBackward1")
    return coalesce_as(made, "SumBackward1") if over else made


@rule("vector_norm", "norm")
def norm(input, p=2, dim=None, *args, **options):
    if dim is not None:
        raise RuntimeError(
            "norm_sparse currently only supports full reductions, so 'dim' must either be empty or contain all dimensions of the input"
        )
    require_coordinates(input, "norm.out")
    return coalesce_as(input)._values().norm(p)


@rule("any")
def any_of(input, *args, **options):
    require_coordinates(input, "any.all_out")
    return values_of(input).any()
