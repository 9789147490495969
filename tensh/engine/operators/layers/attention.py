"""Attention: means of values, weighted by how well keys fit a query."""

import math

import numpy as np

from tensh.engine.arrays.matmul import matmul
from tensh.engine.arrays.threads import run
from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import ARRAYS, TENSORS
from tensh.engine.operators.precision import compute_in_float32, narrow_result, widen
from tensh.engine.operators.reductions.softmax import softmax_dim, sum_along

SOFTMAX = {"let": {"part": "g * out"}, "input": "part - out * sum_dim(part, -1, True)"}


@op(public=False, out=False, types="f", node="SafeSoftmaxBackward0", **SOFTMAX)
def safe_softmax(input):
    """Softmax along the last dimension, but zeros where all is -inf."""
    out = softmax_dim.kernel(input, -1)
    if not input.size:
        return out
    if np.isnan(out[..., 0]).any():  # as they are where all is -inf
        out = np.where(np.isneginf(input.max(-1, keepdims=True)), input.dtype.type(0), out)
    return out


@op(
    public=False,
    out=False,
    node="SafeSoftmaxBackward0",
    mask=None,
    query="(g @ key) * scale",
    key="(mT(g) @ query) * scale",
)
@compute_in_float32
def fit(query, key, mask=None, scale=1.0):
    """The score of every key for every query."""
    scores = matmul(query * query.dtype.type(scale), key.swapaxes(-1, -2))
    return scores if mask is None else scores + mask


# ── without the whole matrix of scores ───────────────────────────────────────
SCORES = 1 << 18  # scores that a thread has at a time: of several heads, or of some rows of one


class Heads:
    """Queries, keys and values as stacks of matrices, one for each head, whose weights are computed some at a time."""

    def __init__(self, query, key, value, mask, scale):
        leads = [a.shape[:-2] for a in (query, key, value)]
        self.alike = mask is None or not any(n > 1 for n in mask.shape[:-2])  # one mask for all heads
        if not self.alike:
            leads.append(mask.shape[:-2])
        self.lead = leads[0] if leads.count(leads[0]) == len(leads) else np.broadcast_shapes(*leads)
        self.query, self.key, self.value = map(self.stack, (query, key, value))
        self.rows, self.columns = self.query.shape[1], self.key.shape[1]
        self.mask, self.scale = mask, self.query.dtype.type(scale)
        if mask is not None:
            lead, mask = ((), mask.reshape(mask.shape[-2:])) if self.alike else (self.lead, mask)
            self.mask = np.broadcast_to(mask, (*lead, self.rows, self.columns))

    def stack(self, array):
        """The array with one leading dimension."""
        if array.shape[:-2] != self.lead:
            array = np.broadcast_to(array, (*self.lead, *array.shape[-2:]))
        return np.ascontiguousarray(array).reshape(math.prod(self.lead), *array.shape[-2:])

    def unstack(self, array):
        return array.reshape(*self.lead, *array.shape[1:])

    def map_parts(self, work):
        """Call ``work(heads)`` for slices of the heads, on several threads."""
        count, scores = len(self.query), max(1, self.rows * self.columns)
        number = max(1, SCORES // scores)
        if number >= count:
            work(slice(None))
            return
        run(lambda i: work(slice(i * number, (i + 1) * number)), -(-count // number))

    def row_parts(self):
        """Slices of the rows of queries."""
        number = max(1, SCORES // max(1, self.columns))
        return [slice(start, start + number) for start in range(0, self.rows, number)]

    def weigh(self, heads, rows):
        """The weights of all values for some queries: softmax of the scores, zeros where all is -inf."""
        scores = np.matmul(self.query[heads, rows] * self.scale, self.key[heads].swapaxes(1, 2))
        if self.mask is not None:
            scores += self.mask_of(heads)[..., rows, :]
        return safe_softmax.kernel(scores)

    def mask_of(self, heads):
        if self.alike:
            return self.mask
        return self.mask[np.unravel_index(np.arange(len(self.query))[heads], self.lead)]


def attend_slopes(g, query, key, value, mask=None, scale=1.0):
    """The gradients of query, key and value; the weights are computed anew."""
    dtype, shapes = query.dtype, [a.shape for a in (query, key, value)]
    g, query, key, value = map(widen, (g, query, key, value))
    parts = Heads(query, key, value, mask if mask is None else widen(mask), scale)
    g, results = parts.stack(g), [np.zeros(a.shape, a.dtype) for a in (parts.query, parts.key, parts.value)]

    def work(heads):
        by_query, by_key, by_value = (each[heads] for each in results)
        for rows in parts.row_parts():
            w, arrived = parts.weigh(heads, rows), g[heads, rows]
            slope = np.matmul(arrived, parts.value[heads].swapaxes(1, 2))
            by_value += np.matmul(w.swapaxes(1, 2), arrived)
            slope *= w
            slope -= w * sum_along(slope, 2)
            slope *= parts.scale
            by_query[:, rows] = np.matmul(slope, parts.key[heads])
            by_key += np.matmul(slope.swapaxes(1, 2), parts.query[heads, rows])

    parts.map_parts(work)
    sum_to = ARRAYS["sum_to"]
    return [
        narrow_result(sum_to(parts.unstack(each), shape), dtype) for each, shape in zip(results, shapes, strict=True)
    ]


def record_attend_slopes(g, query, key, value, mask=None, scale=1.0):
    w = TENSORS["safe_softmax"](TENSORS["fit"](query, key, mask, scale))
    along = g @ value.mT
    slope = w * (along - (along * w).sum(-1, keepdim=True))
    slopes = (slope @ key) * scale, (slope.mT @ query) * scale, w.mT @ g
    return [TENSORS["sum_to"](each, a.shape) for each, a in zip(slopes, (query, key, value), strict=True)]


ARRAYS["attend_slopes"], TENSORS["attend_slopes"] = attend_slopes, record_attend_slopes


@op(
    public=False, out=False, node="ScaledDotProductFlashAttentionForCpuBackward0", types="f",
    let={"slopes": "attend_slopes(g, query, key, value, mask, scale)"},
    query="slopes[0]", key="slopes[1]", value="slopes[2]", mask=None,
)  # fmt: skip
@compute_in_float32
def attend(query, key, value, mask=None, scale=1.0):
    """softmax(query @ key.T * scale + mask) @ value."""
    parts = Heads(query, key, value, mask, scale)
    out = np.empty((*parts.query.shape[:2], value.shape[-1]), parts.query.dtype)

    def work(heads):
        for rows in parts.row_parts():
            out[heads, rows] = np.matmul(parts.weigh(heads, rows), parts.value[heads])

    parts.map_parts(work)
    return parts.unstack(out)
