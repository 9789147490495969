"""Quantiles, which PyTorch composes of a sort and of the neighbours of each rank."""

import tensh as torch
from tensh._aten.calls import aten
from tensh._aten.overloads import schemas
from tensh._aten.steps.shapes import reshape
from tensh.engine.core.tensor import Tensor

PLACE = {"layout": torch.strided, "device": torch.device("cpu")}
ROUNDED = {"lower": "floor_", "higher": "ceil_", "nearest": "round_"}
"""Interpolation -> the operator that makes an index of a rank."""


def quantile_steps(ignores_nan):
    """Return the steps of ``quantile``, or of ``nanquantile``, which leaves out what is not a number."""

    def steps(input, q, dim=None, keepdim=False, *, interpolation="linear"):
        if not fits(input, q):
            return NotImplemented
        if not isinstance(q, Tensor):
            q = schemas()["scalar_tensor"]["default"](float(q), dtype=input.dtype, **PLACE)
        place = 0 if dim is None else dim % max(input.dim(), 1)
        values = sort_along(input, None if dim is None else place)
        rows = [1] * input.dim() if dim is None else [1 if each == place else n for each, n in enumerate(input.shape)]
        if not keepdim:
            rows = [] if dim is None else rows[:place] + rows[place + 1 :]
        values = reshape(values, [*rows, values.shape[-1]])
        found = interpolate(values, rank(values, q, ignores_nan), interpolation)
        if q.dim():
            found = aten("transpose_", aten("unsqueeze_", found, 0), 0, -1)
        return aten("squeeze_", found, -1)

    return steps


def fits(input, q):
    """Return True for arguments that PyTorch takes."""
    if not input.numel() or input.dtype not in (torch.float32, torch.float64):
        return False
    return q.dtype is input.dtype and q.dim() < 2 and q.numel() if isinstance(q, Tensor) else 0 <= q <= 1


def sort_along(input, place):
    """Return sorted values with the sorted dimension behind all others, and one of size 1 where it was; None sorts all."""
    if place is None:
        return aten("sort", reshape(input, [-1]))[0]
    if place < input.dim() - 1:
        input = aten("transpose", aten("unsqueeze", input, -1), place, -1)
    return aten("sort", input)[0]


def rank(values, q, ignores_nan):
    """Return the place of each quantile among the values of its row, as a floating point number."""
    last = values.shape[-1] - 1
    if ignores_nan:
        count = aten("sum", aten("logical_not_", aten("isnan", values)), [-1], True)
        ranks = aten("mul", q, schemas()["sub"]["Scalar"](count, 1))
        return schemas()["masked_fill_"]["Scalar"](ranks, schemas()["lt"]["Scalar"](ranks, 0), 0)
    ranks, nan = schemas()["mul"]["Scalar"](q, last), aten("any", aten("isnan", values), -1, True)
    sizes = list(torch.broadcast_shapes(ranks.shape, nan.shape))
    ranks, nan = (each if list(each.shape) == sizes else aten("expand", each, sizes) for each in (ranks, nan))
    return schemas()["masked_fill"]["Scalar"](ranks, nan, last)


def interpolate(values, ranks, interpolation):
    """Return the values at ranks, or between the two beside each of them."""
    if interpolation in ROUNDED:
        return aten("gather", values, -1, as_index(aten(ROUNDED[interpolation], ranks)))
    low = as_index(ranks)
    found = aten("gather", values, -1, low)
    halves = interpolation == "midpoint"
    weights = schemas()["full_like"]["default"](ranks, 0.5) if halves else aten("sub", ranks, low)
    high = as_index(aten("ceil_", ranks))
    return aten("lerp_", found, aten("gather", values, -1, high), weights)


def as_index(ranks):
    return schemas()["_to_copy"]["default"](ranks, dtype=torch.int64, **PLACE)
