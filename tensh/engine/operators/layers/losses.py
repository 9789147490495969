"""Losses that PyTorch records as one node: a value for every element, and its mean or sum.

``reduction`` is 'none', 'mean' or 'sum'.
"""

import math

import numpy as np

from tensh.engine.arrays.halves import compute_many, convert
from tensh.engine.arrays.threads import PARALLEL_HEAVY, map_rows, parallel_map
from tensh.engine.codegen.chains import Chain
from tensh.engine.codegen.mixing import SCALARS
from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import ARRAYS, TENSORS, on_tensors, word
from tensh.engine.core.tensor import wrap
from tensh.engine.dtypes.dtype import BY_NUMPY, float16
from tensh.engine.operators.elementwise.elementary import log1p
from tensh.engine.operators.elementwise.vectors import VECTORS, compute_in_vectors
from tensh.engine.operators.precision import compute_in_float32, is_half, widen
from tensh.engine.operators.reductions.product_sums import add_squares
from tensh.engine.operators.reductions.small import FEW
from tensh.engine.operators.reductions.summation import add_along

MANY = 1 << 12  # elements
CACHED = 1 << 16  # violations of margins that are computed at a time


@word
def share(reduction, values):
    """Return the weight of one value in the reduced result."""
    return 1 / max(math.prod(values.shape), 1) if reduction == "mean" else 1


def weigh_slope(g, slope, number):
    """Return ``slope * number * g``; for many elements ``g * number`` first, a pass less if g is one number."""
    return g * number * slope if slope.size > MANY else slope * number * g


def record_times_number(values, number):
    """Return ``values * number``; of 16 bit numbers, the number is rounded too."""
    return values * (wrap(np.asarray(number, values.array.dtype)) if is_half(values.array.dtype) else number)


ARRAYS["weigh_slope"], TENSORS["weigh_slope"] = weigh_slope, lambda g, *slope: record_times_number(*slope) * g
ARRAYS["times_number"], TENSORS["times_number"] = np.multiply, record_times_number


def compute_by_blocks(values, *arrays, others=()):
    """Compute ``values(*arrays, *others)``, in blocks if there are many elements, to keep temporary arrays small."""
    if isinstance(values, Chain):
        return values.quick(*arrays, *others)
    return values(*arrays, *others) if arrays[0].size < PARALLEL_HEAVY else parallel_map(values, arrays, others)


def reduce_losses(values, reduction):
    """Return the values, their sum, or their mean."""
    if reduction == "none":
        return values
    total = add_along(values)
    if reduction == "sum":
        return total
    return total / values.dtype.type(values.size) if values.size else values.dtype.type(np.nan)


reduce_in_float32 = compute_in_float32(reduce_losses)


# ── distances ────────────────────────────────────────────────────────────────
def make_number(value, array):
    """Return a number in the array's dtype."""
    return SCALARS[value, array.dtype]


@op(
    public=False, out=False, node="MseLossBackward0", types="f", kernel_name="mse_cpu",
    input="weigh_slope(g, input - target, 2 * share(reduction, input))",
    target="weigh_slope(g, target - input, 2 * share(reduction, input))",
)  # fmt: skip
def squared_difference(input, target, reduction="mean"):
    """(input - target)², or its sum or mean."""
    if is_half(input.dtype):  # the mean may fit float16 where the sum does not
        difference = compute_many(np.subtract, input, target)
        return reduce_in_float32(compute_many(np.multiply, difference, difference), reduction)
    difference = input - target
    if reduction == "none":
        return difference * difference
    few = difference.size < FEW
    total = add_along(difference * difference) if few else add_squares(difference)
    if reduction == "sum":
        return total
    return total / input.dtype.type(difference.size) if difference.size else input.dtype.type(np.nan)


def smooth_difference(input, target, reduction="mean", beta=1.0):
    """|input - target|, but a parabola below ``beta``."""
    return reduce_losses(compute_by_blocks(smoothed, input, target, others=(beta,)), reduction)


def huber_difference(input, target, reduction="mean", delta=1.0):
    """``delta`` times the smooth absolute difference."""
    return reduce_losses(compute_by_blocks(bent, input, target, others=(delta,)), reduction)


# d² / 2 for a difference d up to ``bound``, linear beyond
BENT, LINE = {"d": "abs(input - target)", "near": "minimum(d, bound)"}, "near * (d - 0.5 * near)"
bent = Chain("bent", "input target", LINE, "bound", BENT, unchecked=True)
smoothed = Chain("smoothed", "input target", f"{LINE} if bound == 1 else {LINE} / bound", "bound", BENT, unchecked=True)
# the difference over ``scale``, clamped between -bound and bound
levelled = Chain(
    "levelled", "input target", "clip(input - target if scale == 1 else (input - target) / scale, -bound, bound)",
    "scale, bound", unchecked=True,
)  # fmt: skip


def record_levelled(input, target, scale, bound):
    d = (input - target) / scale
    bound = float(d.array.dtype.type(bound)) if is_half(d.array.dtype) else bound
    near, only = d.abs() < bound, on_tensors("only")
    return only(d, near) + only(d.detach().clamp(-bound, bound), ~near)


ARRAYS["levelled"], TENSORS["levelled"] = levelled, record_levelled


def compute_halves_by(halves, kernel):
    """Return the kernel that calls ``halves`` for 16 bit numbers, and ``kernel`` for all others."""

    def compute(input, *others):
        return halves(input, *others) if input.dtype.itemsize == 2 else kernel(input, *others)

    compute.__wrapped__, compute.__name__ = kernel, kernel.__name__
    return compute


def smooth_halves(input, target, reduction="mean", beta=1.0):
    """``smooth_difference`` of 16 bit numbers: float16 is rounded after every step, bfloat16 once for each element."""
    dtype = input.dtype
    if BY_NUMPY[dtype] is float16:
        d, bound, half = np.abs(input - target), dtype.type(beta), dtype.type(0.5)
        values = np.where(d < bound, half * d * d / bound, d - half * bound)
    else:
        values = convert(smoothed.quick(widen(input), widen(target), beta), dtype)
    return values if reduction == "none" else reduce_in_float32(values, reduction)


def bend_halves(input, target, reduction="mean", delta=1.0):
    """``huber_difference`` of 16 bit numbers: bfloat16 is rounded after every step, float16 once for each element."""
    dtype = input.dtype
    if BY_NUMPY[dtype] is float16:
        values = convert(bent.quick(widen(input), widen(target), delta), dtype)
    else:
        d, bound, half = np.abs(input - target), dtype.type(delta), dtype.type(0.5)
        values = np.where(d < bound, half * d * d, bound * (d - half * bound))
    return values if reduction == "none" else reduce_in_float32(values, reduction)


def derive_huber_of_halves(g, input, target, reduction, delta):
    """The gradients of 16 bit numbers, which round in another order what is left over from whole vectors."""
    dtype = input.dtype
    number, bound = dtype.type(share(reduction, input)), dtype.type(delta)

    def at_once(d, g):
        return np.where(np.abs(d) >= bound, np.sign(d) * (number * bound) * g, number * d * g)

    def one_by_one(d, g):
        far = convert(np.sign(widen(d)) * widen(number * g) * np.float32(delta), dtype)
        return np.where(np.abs(widen(d)) >= np.float32(delta), far, number * d * g)

    return [compute_in_vectors(VECTORS, at_once, one_by_one, d, g) for d in (input - target, target - input)]


def declare_distance(kernel, halves, node, kernel_name, numbers, fused):
    """Declare a loss of differences from the numbers of its slope, ``levelled``; ``halves`` computes 16 bit numbers."""
    return op(compute_halves_by(halves, kernel), public=False, out=False, fused=fused, node=node, types="f", kernel_name=kernel_name,
              input=f"weigh_slope(g, levelled(input, target, {numbers}), share(reduction, input))",
              target=f"weigh_slope(g, levelled(target, input, {numbers}), share(reduction, input))")  # fmt: skip


smooth_difference_op = declare_distance(
    smooth_difference, smooth_halves, "SmoothL1LossBackward0", "smooth_l1_cpu", "beta, 1", True
)
huber_difference_op = declare_distance(
    huber_difference, bend_halves, "HuberLossBackward0", "huber_cpu", "1, delta",
    derive_huber_of_halves,
)  # fmt: skip


# ── yes or no ────────────────────────────────────────────────────────────────
def weigh_losses(values, weight):
    return values if weight is None else values * weight


@word
def divisor_of(reduction, values):
    """Return the number by which sums are divided: that of the values for a mean."""
    return max(math.prod(values.shape), 1) if reduction == "mean" else 1


# the steps of PyTorch, so that 16 bit numbers are rounded as often
WEIGHTED = "{} * g * (1 if weight is None else weight) / divisor_of(reduction, input)"


@op(
    public=False, out=False, node="BinaryCrossEntropyBackward0", types="f", kernel_name="binary_cross_entropy",
    input=WEIGHTED.format("g * (input - target) / clamp_min((1 - input) * input, 1e-12)").replace(" * g *", " *"),
    target=WEIGHTED.format("-logit(input)"), weight=None,
)  # fmt: skip
def binary_entropy(input, target, weight=None, reduction="mean"):
    """-(target log(input) + (1 - target) log(1 - input)), with logarithms of at least -100."""
    return reduce_in_float32(compute_by_blocks(entropies, input, target, weight), reduction)


def entropies(input, target, weight):
    least = make_number(-100, input)
    yes, no = np.maximum(np.log(input), least), np.maximum(log1p(-input), least)
    return weigh_losses((target - make_number(1, target)) * no - target * yes, weight)


@op(
    public=False, out=False, node="BinaryCrossEntropyWithLogitsBackward0", types="f", kernel_name="log_sigmoid_cpu",
    let={"s": "sigmoid(input)"},
    input=f"{WEIGHTED.format('(s - target)')} if pos_weight is None else "
    + WEIGHTED.format("((pos_weight * target + 1 - target) * s - pos_weight * target)"),
    target=f"{WEIGHTED.format('-input')} if pos_weight is None else "
    + WEIGHTED.format("(logsigmoid(-input) - logsigmoid(input) * pos_weight)"),
    weight=None, pos_weight=None,
)  # fmt: skip
def binary_entropy_of_logits(input, target, weight=None, pos_weight=None, reduction="mean"):
    """Binary cross entropies of sigmoid(input), without overflow; ``pos_weight`` weights positive targets."""
    if is_half(input.dtype):
        return reduce_in_float32(entropies_of_halves(input, target, weight, pos_weight), reduction)
    if weight is None and pos_weight is None:
        return reduce_losses(entropies_without_weights.quick(input, target), reduction)
    return reduce_losses(compute_by_blocks(entropies_of_logits, input, target, weight, pos_weight), reduction)


entropies_without_weights = Chain(
    "entropies_of_logits", "input target",
    "(1 - target) * input + (log1p(library_exp(-abs(input))) + maximum(-input, 0))",
)  # fmt: skip


def entropies_of_halves(input, target, weight, pos_weight):
    """The entropies of 16 bit numbers, rounded after every operator of PyTorch's."""
    one = make_number(1, input)
    logarithm = ARRAYS["logsigmoid"](input)
    if pos_weight is not None:
        logarithm = logarithm * ((pos_weight - one) * target + one)
    return weigh_losses((one - target) * input - logarithm, weight)


def entropies_of_logits(input, target, weight, pos_weight):
    one = make_number(1, input)
    tail = log1p(np.exp(-np.abs(input))) + np.maximum(-input, make_number(0, input))  # -log(sigmoid(input))
    if pos_weight is not None:
        tail = tail * (one + (pos_weight - one) * target)
    return weigh_losses((one - target) * input + tail, weight)


@op(
    public=False, out=False, node="SoftMarginLossBackward0", types="fc",
    let={"z": "exp(-target * input)"},
    input="conj(times_number(target * z, -share(reduction, input)) / (z + 1)) * g", target=None,
)  # fmt: skip
def soft_margin(input, target, reduction="mean"):
    """log(1 + exp(-target * input))."""
    return reduce_in_float32(
        compute_by_blocks(lambda input, target: log1p(np.exp(-target * input)), input, target), reduction
    )


# ── margins between classes ──────────────────────────────────────────────────
def margins(input, target, weight, p, margin):
    """Return (the margin violations of the other classes, 0 for the class itself; the samples' weights; the classes)."""
    rows = input.reshape(-1, input.shape[-1]) if input.ndim else input.reshape(1, 1)
    classes = target.reshape(-1)
    if ((classes < 0) | (classes >= rows.shape[1])).any():
        raise RuntimeError("target out of range")
    own = np.arange(len(rows)), classes
    over = np.maximum(rows - rows[own][:, None] + make_number(margin, rows), make_number(0, rows))
    over[own] = 0
    return over, (1 if weight is None else weight[classes][:, None]) / rows.dtype.type(rows.shape[1]), own


@op(
    public=False, out=False, node="MultiMarginLossBackward0", types="f", kernel_name="multi_margin_loss_cpu_kernel",
    input="multi_margin_back(g, input, target, weight, p, margin, reduction)", target=None, weight=None,
)  # fmt: skip
def multi_margin(input, target, weight=None, p=1, margin=1.0, reduction="mean"):
    """The mean over all other classes of max(0, margin - the class's score + the other's score) ** p."""
    over, weights, _ = margins(input, target, weight, p, margin)
    values = add_along((over if p == 1 else over * over) * weights, 1)
    return reduce_losses(values.reshape(target.shape if input.ndim > 1 or target.ndim else ()), reduction)


@op(
    public=False, out=False, node="NotImplemented", target=None, weight=None,
    **dict.fromkeys(("grad", "input"), "not_differentiable('multi_margin_loss_backward')"),
)  # fmt: skip
def multi_margin_back(grad, input, target, weight=None, p=1, margin=1.0, reduction="mean"):
    """The gradient of that."""
    over, weights, own = margins(input, target, weight, p, margin)
    slopes = ((over > 0) if p == 1 else 2 * over) * weights
    slopes[own] = -add_along(slopes, 1)
    return multiply_rows(slopes, grad, reduction).reshape(input.shape).astype(input.dtype, copy=False)


def multiply_rows(slopes, grad, reduction):
    """Return the slopes of every row times its gradient."""
    if reduction == "none":
        return slopes * grad.reshape(-1, 1)
    return slopes * (grad / grad.dtype.type(len(slopes)) if reduction == "mean" else grad)


def find_labels(input, target):
    """Return (the scores [N, C]; the listed classes [N, y]; True where one is listed; True where class j is not)."""
    rows, lists = input.reshape(-1, max(input.shape[-1:] or (1,))), target.reshape(-1, max(target.shape[-1:] or (1,)))
    if ((lists < -1) | (lists >= rows.shape[1])).any():
        raise RuntimeError("argument #2 'target' is out of range")
    listed = np.logical_and.accumulate(lists >= 0, 1)
    most = int(np.add.reduce(listed, 1).max(initial=0))
    lists, listed = lists[:, :most], listed[:, :most]
    others = np.ones(rows.shape, bool)
    samples, places = np.nonzero(listed)
    others[samples, lists[samples, places]] = False
    return rows, np.where(listed, lists, 0), listed, others


def label_margins(rows, lists, listed, others):
    """The margin violations [N, y, j] of listed classes by others."""
    own = np.take_along_axis(rows, lists, 1)
    over = rows[:, None, :] - (own - make_number(1, rows))[:, :, None]
    np.maximum(over, make_number(0, rows), out=over)
    over *= others[:, None, :]
    over *= listed[:, :, None]
    return over


def map_labels(work, labels):
    """Call ``work(part, violations)`` for some samples at a time, whose violations stay in the cache."""
    rows, lists, *_ = labels
    map_rows(
        lambda part: work(part, label_margins(*[each[part] for each in labels])),
        len(rows),
        lists.shape[1] * rows.shape[1],
        CACHED,
    )


@op(
    public=False, out=False, node="MultilabelMarginLossBackward0", types="f",
    kernel_name="multilabel_margin_loss_forward_out_frame",
    input="multilabel_margin_back(g, input, target, reduction)", target=None,
)  # fmt: skip
def multilabel_margin(input, target, reduction="mean"):
    """The mean of max(0, 1 - the listed class's score + the other's score) over all pairs of a listed and another class."""
    rows, *_ = labels = find_labels(input, target)
    values = np.zeros(len(rows), rows.dtype)

    def work(part, over):
        values[part] = add_along(over, (1, 2))

    map_labels(work, labels)
    return reduce_losses((values / rows.dtype.type(rows.shape[1])).reshape(input.shape[:-1]), reduction)


@op(
    public=False, out=False, node="NotImplemented", target=None,
    **dict.fromkeys(("grad", "input"), "not_differentiable('multilabel_margin_loss_backward')"),
)  # fmt: skip
def multilabel_margin_back(grad, input, target, reduction):
    """The gradient of that."""
    rows, lists, *_ = labels = find_labels(input, target)
    slopes = np.zeros(rows.shape, rows.dtype)

    def work(part, over):
        pairs = (over > 0).astype(rows.dtype)
        some, counts = slopes[part], add_along(pairs, 2)
        some += add_along(pairs, 1)
        for classes, count in zip(lists[part].T, counts.T, strict=True):
            some[np.arange(len(some)), classes] -= count

    map_labels(work, labels)
    slopes /= rows.dtype.type(rows.shape[1])
    return multiply_rows(slopes, grad, reduction).reshape(input.shape).astype(input.dtype, copy=False)
