"""Attention: means of values, weighted by the match of keys and queries."""

import math

import numpy as np

from tensh.engine.arrays.matmul import matmul
from tensh.engine.arrays.threads import run
from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import ARRAYS, TENSORS
from tensh.engine.operators.kernels import has_true
from tensh.engine.operators.layers import attention_halves
from tensh.engine.operators.precision import compute_in_float32, is_half, narrow_result, widen
from tensh.engine.operators.reductions.softmax import softmax_dim, sum_along

SOFTMAX = {"let": {"part": "g * out"}, "input": "part - out * sum_dim(part, -1, True)"}


@op(public=False, out=False, types="f", node="SafeSoftmaxBackward0", **SOFTMAX)
def safe_softmax(input):
    """Softmax along the last dimension, but zeros where all is -inf."""
    out = softmax_dim.kernel(input, -1)
    if not input.size:
        return out
    if has_true(np.isnan(out[..., 0])):  # as where all scores are -inf
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
SCORES = 1 << 16  # scores that a thread holds at a time, of several heads or of some rows of one head
# Rows of causal attention computed together, unless a quarter of all is more: keys after them are left out.
# 1,024 rows take 0.63 to 0.68 of the time; 128 rows take 0.75 of it in halves, and hardly less in quarters.
CAUSAL = 64


class Heads:
    """Queries, keys and values as stacks of one matrix per head, whose weights are computed in parts.

    Stacks have one leading dimension, or the given two if all heads of a sample are computed together.
    """

    def __init__(self, query, key, value, mask, scale, causal):
        leads = [a.shape[:-2] for a in (query, key, value)]
        self.alike = mask is None or all(n == 1 for n in mask.shape[:-2])  # one mask for all heads
        if not self.alike:
            leads.append(mask.shape[:-2])
        self.lead = leads[0] if leads.count(leads[0]) == len(leads) else np.broadcast_shapes(*leads)
        self.rows, self.columns = query.shape[-2], key.shape[-2]
        self.scores = max(1, self.rows * self.columns)
        self.together = len(self.lead) == 2 and self.scores * self.lead[1] <= SCORES
        self.query, self.key, self.value = map(self.stack, (query, key, value))
        self.mask, self.scale, self.causal = mask, self.query.dtype.type(scale), causal
        if mask is not None:
            lead, mask = ((), mask.reshape(mask.shape[-2:])) if self.alike else (self.lead, mask)
            shape = (*lead, self.rows, self.columns)
            self.mask = mask if mask.shape == shape else np.broadcast_to(mask, shape)

    def stack(self, array):
        """Return the array as a stack with rows that BLAS can read, copied only if necessary."""
        if array.shape[:-2] != self.lead:
            array = np.broadcast_to(array, (*self.lead, *array.shape[-2:]))
        if self.together:
            step, element = array.strides[-2:]
            fits = element == array.itemsize and step >= array.shape[-1] * element
            return array if fits else np.ascontiguousarray(array)
        return np.ascontiguousarray(array).reshape(math.prod(self.lead), *array.shape[-2:])

    def unstack(self, array, given):
        """Return the array with all leading dimensions, in the memory order of the given one, as PyTorch does."""
        array = array.reshape(*self.lead, *array.shape[-2:])
        if self.together or given.flags.c_contiguous or given.shape != array.shape:
            return array
        out = np.empty_like(given)
        out[...] = array
        return out

    def map_parts(self, work):
        """Call ``work(heads)`` for slices of the stacks, on several threads."""
        count, scores = len(self.query), self.scores * (self.lead[1] if self.together else 1)
        number = max(1, SCORES // max(1, scores))
        if number >= count:
            work(slice(None))
            return
        run(lambda i: work(slice(i * number, (i + 1) * number)), -(-count // number))

    def is_single(self):
        """Return True if all heads and rows are one part."""
        scores = len(self.query) * self.lead[1] * self.scores if self.together else SCORES + 1
        return scores <= SCORES and (self.rows <= CAUSAL or not self.causal)

    def row_parts(self):
        """Return [(slice of queries, slice of the keys visible to them)], beginning with queries that see all keys."""
        number = max(1, SCORES // max(1, self.columns))
        if self.causal:
            number = min(number, max(CAUSAL, -(-self.rows // 4)))
        parts = [slice(start, start + number) for start in range(0, self.rows, number)]
        return [(rows, slice(rows.stop if self.causal and rows.stop < self.rows else None)) for rows in reversed(parts)]

    def weigh(self, queries, heads, rows, seen):
        """Return the weights of the values for some scaled queries."""
        mask = None if self.mask is None else self.mask_of(heads)[..., rows, seen]
        return weigh(queries, self.key[heads, ..., seen, :], mask)

    def mask_of(self, heads):
        if self.alike:
            return self.mask
        return self.mask[heads if self.together else np.unravel_index(np.arange(len(self.query))[heads], self.lead)]


def weigh(queries, key, mask):
    """Return the softmax of the scores of scaled queries, zeros where all are -inf."""
    scores = np.matmul(queries, key.swapaxes(-1, -2))
    if mask is not None:
        scores += mask
    return safe_softmax.kernel(scores)


def add_product(one, other, into, first):
    """Add a product of matrices to ``into``, or write it there if it is the ``first``."""
    if first:
        np.matmul(one, other, into)
    else:
        into += np.matmul(one, other)


def attend_slopes(g, query, key, value, out, mask=None, scale=1.0, causal=False):
    """The gradients of query, key and value, with the weights computed again.

    The sum over keys in the derivative of softmax equals the sum of ``g * out`` (Dao et al., 2022).
    """
    dtype, given = query.dtype, (query, key, value)
    if has_half_steps(query, key):
        return attention_halves.attend_slopes(g, query, key, value, out, mask, scale)
    g, query, key, value, out = map(widen, (g, query, key, value, out))
    parts = Heads(query, key, value, mask if mask is None else widen(mask), scale, causal)
    if not parts.rows or not parts.columns:
        return [np.zeros(a.shape, dtype) for a in given]
    g, out = parts.stack(g), parts.stack(out)
    results = [*map(np.empty_like, (parts.query, parts.key, parts.value))]

    def work(heads):
        by_query, by_key, by_value = (each[heads] for each in results)
        for number, (rows, seen) in enumerate(parts.row_parts()):
            queries, arrived = parts.query[heads, ..., rows, :] * parts.scale, g[heads, ..., rows, :]
            w = parts.weigh(queries, heads, rows, seen)
            add_product(w.swapaxes(-1, -2), arrived, by_value[..., seen, :], not number)
            slope = np.matmul(arrived, parts.value[heads, ..., seen, :].swapaxes(-1, -2))
            slope -= sum_along(arrived * out[heads, ..., rows, :], slope.ndim - 1)
            slope *= w
            part = by_query[..., rows, :]
            np.matmul(slope, parts.key[heads, ..., seen, :], part)
            part *= parts.scale
            add_product(slope.swapaxes(-1, -2), queries, by_key[..., seen, :], not number)

    parts.map_parts(work)
    sum_to = ARRAYS["sum_to"]
    return [
        narrow_result(sum_to(parts.unstack(each, a), a.shape), dtype) for each, a in zip(results, given, strict=True)
    ]


def record_attend_slopes(g, query, key, value, out, mask=None, scale=1.0, causal=False):
    w = TENSORS["safe_softmax"](TENSORS["fit"](query, key, mask, scale))
    along = g @ value.mT
    slope = w * (along - (along * w).sum(-1, keepdim=True))
    slopes = (slope @ key) * scale, (slope.mT @ query) * scale, w.mT @ g
    return [TENSORS["sum_to"](each, a.shape) for each, a in zip(slopes, (query, key, value), strict=True)]


ARRAYS["attend_slopes"], TENSORS["attend_slopes"] = attend_slopes, record_attend_slopes


@op(
    public=False, out=False, node="ScaledDotProductFlashAttentionForCpuBackward0", types="f",
    let={"slopes": "attend_slopes(g, query, key, value, out, mask, scale, causal)"},
    query="slopes[0]", key="slopes[1]", value="slopes[2]", mask=None,
)  # fmt: skip
def attend(query, key, value, mask=None, scale=1.0, causal=False):
    """softmax(query @ key.T * scale + mask) @ value; ``causal`` if the mask is causal."""
    if has_half_steps(query, key):
        return attention_halves.attend(query, key, value, mask, scale)
    return attend_by_parts(query, key, value, mask, scale, causal)


def has_half_steps(query, key):
    """Return True for 16 bit numbers whose scores are few enough to round them where PyTorch does."""
    if not is_half(query.dtype) or not query.size or key.shape[-2] > attention_halves.KEYS:
        return False
    return 0 < query.size // query.shape[-1] * key.shape[-2] <= attention_halves.SCORES


@compute_in_float32
def attend_by_parts(query, key, value, mask, scale, causal):
    """Compute attention for some heads or rows at a time."""
    parts = Heads(query, key, value, mask, scale, causal)
    out = np.empty_like(parts.query, shape=(*parts.query.shape[:-1], value.shape[-1]))
    if parts.is_single():  # few numbers take half of the time without slices
        np.matmul(weigh(parts.query * parts.scale, parts.key, parts.mask), parts.value, out)
        return parts.unstack(out, query)

    def work(heads):
        for rows, seen in parts.row_parts():
            w = parts.weigh(parts.query[heads, ..., rows, :] * parts.scale, heads, rows, seen)
            np.matmul(w, parts.value[heads, ..., seen, :], out[heads, ..., rows, :])

    parts.map_parts(work)
    return parts.unstack(out, query)
