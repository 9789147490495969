"""Forms of operators that depend on the order of elements: medians, quantiles, searches and distinct elements."""

import math

import numpy as np

import tensh as torch
from tensh.onnx.errors import no_form
from tensh.onnx.forms.table import END, compose, form


def flat_unless(dim, self):
    """Return (tensor, dimension): all elements in one dimension if none is given."""
    return (self.reshape(-1), 0) if dim is None else (self, dim)


def sort_numbers(self, dim):
    """Return (sorted values, their places, how many elements are numbers): nan is infinity, at the end."""
    if not self.is_floating_point():
        return *self.sort(dim), torch.ones_like(self, dtype=torch.int64).sum(dim, keepdim=True)
    numbers = torch.isnan(self).logical_not()
    return *torch.where(numbers, self, math.inf).sort(dim), numbers.to(torch.int64).sum(dim, keepdim=True)


def spread_nan(self, dim, found):
    """Return what was found; nan where an element is nan."""
    return torch.where(torch.isnan(self).any(dim, keepdim=True), math.nan, found) if self.is_floating_point() else found


def middle_of(self, dim, keepdim, skips):
    """Return (lower median, its place); ``skips`` leaves nan out."""
    flat, axis = flat_unless(dim if self.dim() else None, self)
    values, places, count = sort_numbers(flat, axis)
    if not skips:
        count = torch.ones_like(flat, dtype=torch.int64).sum(axis, keepdim=True)
    middle = (count - 1).clamp(min=0) // 2
    value, place = values.gather(axis, middle), places.gather(axis, middle)
    if self.is_floating_point():
        missing = count == 0 if skips else torch.isnan(flat).any(axis, keepdim=True)
        value = torch.where(missing, math.nan, value)
        place = torch.where(missing, torch.isnan(flat).to(torch.int64).argmax(axis, keepdim=True), place)
    if not keepdim or not self.dim():
        value, place = value.squeeze(axis), place.squeeze(axis)
    return value if dim is None else (value, place)


@compose("median")
def median(self, dim=None, keepdim=False):
    return middle_of(self, dim, keepdim, skips=False)


@compose("nanmedian")
def nanmedian(self, dim=None, keepdim=False):
    return middle_of(self, dim, keepdim, skips=True)


def between(self, q, dim, keepdim, interpolation, skips):
    """Return quantiles; ``skips`` leaves nan out."""
    q = torch.as_tensor(q, dtype=self.dtype)
    flat, axis = flat_unless(dim if self.dim() else None, self)
    rows = flat.movedim(axis, -1)
    values, _, count = sort_numbers(rows, -1)
    if not skips:
        count = torch.ones_like(rows, dtype=torch.int64).sum(-1, keepdim=True)
    ranks = (count - 1).clamp(min=0).to(self.dtype) * q.reshape(-1)
    if interpolation in ("lower", "higher", "nearest"):
        ranks = {"lower": torch.floor, "higher": torch.ceil, "nearest": torch.round}[interpolation](ranks)
    below, above = torch.floor(ranks), torch.ceil(ranks)
    first, second = (values.gather(-1, each.to(torch.int64)) for each in (below, above))
    weight = (ranks - below) if interpolation != "midpoint" else torch.full_like(ranks, 0.5)
    found = torch.where(below == above, first, first + weight * (second - first))
    found = torch.where(count == 0, math.nan, found) if skips else spread_nan(rows, -1, found)
    found = found.movedim(-1, 0)
    if keepdim:
        found = found.reshape(-1, *[1] * self.dim()) if dim is None else found.unsqueeze(dim % self.dim() + 1)
    return found if q.dim() else found.squeeze(0)


@compose("quantile")
def quantile(self, q, dim=None, keepdim=False, interpolation="linear"):
    return between(self, q, dim, keepdim, interpolation, skips=False)


@compose("nanquantile")
def nanquantile(self, q, dim=None, keepdim=False, interpolation="linear"):
    return between(self, q, dim, keepdim, interpolation, skips=True)


# ── places in sorted elements ────────────────────────────────────────────────
def count_before(edges, values, right, out_int32):
    """Count the sorted elements that are less than each value; with ``right``, or equal."""
    edges, values = edges.unsqueeze(-2), values.unsqueeze(-1)
    before = (edges <= values) if right else (edges < values)
    return before.sum(-1).to(torch.int32 if out_int32 else torch.int64)


@compose("searchsorted")
def searchsorted(sorted_sequence, self, out_int32=False, right=False, side=None, sorter=None):
    if sorter is not None:
        sorted_sequence = sorted_sequence.gather(-1, sorter)
    right = right if side is None else side == "right"
    values = self if isinstance(self, torch.Tensor) else torch.tensor(self, dtype=sorted_sequence.dtype)
    if sorted_sequence.dim() > 1:
        return count_before(sorted_sequence, values, right, out_int32)
    return count_before(sorted_sequence, values.reshape(-1), right, out_int32).reshape(values.shape)


@compose("bucketize")
def bucketize(self, boundaries, out_int32=False, right=False):
    return searchsorted(boundaries, self, out_int32, right)


@compose("histc")
def histc(self, bins=100, min=0, max=0):
    flat = self.reshape(-1)
    low, high = torch.tensor(float(min)), torch.tensor(float(max))
    if min == max:
        low, high = flat.amin(), flat.amax()
        low, high = torch.where(low == high, low - 1, low), torch.where(low == high, high + 1, high)
    place = torch.floor((flat - low) / (high - low) * bins).clamp(max=bins - 1)
    inside = ((flat >= low) & (flat <= high)).unsqueeze(-1)
    return ((place.unsqueeze(-1) == torch.arange(bins)) & inside).to(self.dtype).sum(0)


def count_equal(o, values, size, weights=None):
    """Count how often each number below ``size`` occurs in a vector, or add the weights there."""
    numbers = o.Range(o.int_scalar(0), size, o.int_scalar(1))
    there = o.Equal(o.Unsqueeze(o.cast(values, torch.int64), [1]), o.Unsqueeze(numbers, [0]))
    if weights is None:
        return o.ReduceSum(o.cast(there, torch.int64), [0], keepdims=0)
    return o.ReduceSum(o.Mul(o.cast(there, weights.dtype), o.Unsqueeze(weights, [1])), [0], keepdims=0)


@form("bincount")
def bincount(o, node, self, weights=None, minlength=0):
    size = o.Add(o.cast(o.ReduceMax(self, keepdims=0), torch.int64), o.int_scalar(1))
    weights = None if weights is None else o.cast(weights, node.meta["val"].dtype)
    return count_equal(o, self, o.Max(size, o.int_scalar(minlength)), weights)


def choose_results(node, values, inverse, counts, return_inverse, return_counts):
    """Return the results of ``unique`` that the traced call has: all of them, or those that it asks for."""
    example = node.meta["val"]
    if isinstance(example, torch.Tensor):
        return values
    if len(example) == 3:
        return values, inverse, counts
    return values, inverse if return_inverse else counts


@form("_unique2 unique")
def unique(o, node, self, sorted=True, return_inverse=False, return_counts=False, dim=None):
    made = o.Unique(self, axis=dim, sorted=1, outputs=4)
    for each in made[1:]:
        each.dtype = torch.int64
    values, _, inverse, counts = made
    inverse = inverse if dim is not None else o.Reshape(inverse, o.Shape(self))
    return choose_results(node, values, inverse, counts, return_inverse, return_counts)


@form("unique_consecutive")
def unique_consecutive(o, node, self, return_inverse=False, return_counts=False, dim=None):
    if dim is not None and self.rank != 1:
        raise no_form(node, "slices of several dimensions are compared")
    flat = o.Reshape(self, [-1])
    same = o.Equal(o.Slice(flat, [1], [END], [0]), o.Slice(flat, [0], [-1], [0]))
    first = o.Concat(o.array(np.array([True])), o.Not(same), axis=0)
    inverse = o.Sub(o.CumSum(o.cast(first, torch.int64), o.int_scalar(0)), o.int_scalar(1))
    values = o.Compress(flat, first, axis=0)
    counts = count_equal(o, inverse, o.Squeeze(o.Shape(values)))
    return choose_results(node, values, o.Reshape(inverse, o.Shape(self)), counts, return_inverse, return_counts)
