"""The CTC loss: label sequences without alignment to the steps."""

import math

import numpy as np

from tensh.engine.arguments.mismatches import type_name
from tensh.engine.arrays.absent import is_absent, place_beside
from tensh.engine.core.lift import accept_batches
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dispatch.override.points import watch_check
from tensh.engine.dtypes.dtype import int64
from tensh.engine.errors.messages import dtype_error
from tensh.engine.methods.creation.data import tensor
from tensh.engine.operators.elementwise.composites.arithmetic import fits_none
from tensh.engine.operators.elementwise.table import where
from tensh.engine.operators.layers.composites.losses import REDUCTIONS, number_reduction, reduction_of
from tensh.engine.operators.layers.composites.registry import HALF, layer, refuse_dtypes
from tensh.engine.operators.layers.ctc import ctc

REST = "int blank = 0, int reduction = at::Reduction::Mean, bool zero_infinity = False"
FORMS = tuple(
    f"(Tensor log_probs, Tensor targets, {kind} input_lengths, {kind} target_lengths, {REST})"
    for kind in ("tuple of ints", "Tensor")
)


def require_lengths(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity):
    """Raise PyTorch's TypeError unless both lengths are tensors, or both are sequences of integers."""
    both = input_lengths, target_lengths
    if all(isinstance(each, Tensor) for each in both) or all(map(is_integers, both)):
        return
    fits_none("ctc_loss", (log_probs, targets, *both, blank, REDUCTIONS.index(reduction), zero_infinity), *FORMS)


def is_integers(value):
    """Return True for a sequence of integers."""
    return isinstance(value, (tuple, list)) and all(isinstance(each, (int, np.integer)) for each in value)


def lengths_of(value, name, batch):
    """Return the lengths as a tensor; raise PyTorch's errors for lengths that do not fit."""
    value = value if isinstance(value, Tensor) else tensor(value, dtype=int64)
    if value.array.dtype.kind not in "iu":
        raise RuntimeError(f"{name} must be integral")
    value = value.to(int64).reshape(value.array.size)
    if value.array.size != batch:
        raise RuntimeError(f"{name} must be of size batch_size")
    return value


WHILE = "(while checking arguments for ctc_loss_allocate_outputs)"


@watch_check
def check_targets(targets, lengths, batch):
    """Raise RuntimeError for labels that do not have the lengths."""
    array, numbers = targets.array, lengths.array
    if (numbers < 0).any():
        raise RuntimeError(
            f"Expected target_lengths to have value at least 0, but got value {numbers[numbers < 0][0]} {WHILE}"
        )
    longest = int(numbers.max(initial=0))
    if array.ndim not in (1, 2):
        raise RuntimeError(
            f"Expected 1 to 2 dimensions, but got {array.ndim}-dimensional tensor for argument #2 'targets' {WHILE}"
        )
    if array.ndim == 2:
        for dim, size, word in ((0, batch, "size"), (1, longest, "size at least")):
            if array.shape[dim] != size and not (dim and array.shape[dim] > size):
                raise RuntimeError(
                    f"Expected tensor to have {word} {size} at dimension {dim}, but got size {array.shape[dim]} for argument #2 "
                    f"'targets' {WHILE}"
                )
    elif array.size != numbers.sum():
        raise RuntimeError(
            f"Expected tensor to have size {numbers.sum()} at dimension 0, but got size {array.size} for argument #2 'targets' "
            f"{WHILE}"
        )


@watch_check
def check_inputs(lengths, steps):
    """Raise RuntimeError for lengths of inputs that are not between 0 and the number of steps."""
    for limit, word, wrong in ((0, "least", lengths.array < 0), (steps, "most", lengths.array > steps)):
        if wrong.any():
            raise RuntimeError(
                f"Expected input_lengths to have value at {word} {limit}, but got value {lengths.array[wrong][0]} {WHILE}"
            )


def pad_targets(targets, lengths, batch):
    """Return the labels as [N, S], from a tensor of this shape or from all labels joined."""
    check_targets(targets, lengths, batch)
    array, numbers = targets.array, lengths.array
    if array.ndim == 2:
        return targets.to(int64)
    rows = np.zeros((batch, int(numbers.max(initial=0))), np.int64)
    start = 0
    for row, length in zip(rows, numbers):
        row[:length] = array[start : start + length]
        start += length
    return wrap(rows)


@layer
@accept_batches
def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
    """Compute the negative log-likelihood of the label sequences ``targets`` under all alignments: ``log_probs`` [T, N, C].

    ``targets`` is [N, S], or all sequences joined; ``blank`` is the class without a label; ``zero_infinity`` counts
    impossible sequences as 0.  Differentiable in log_probs, once.  Raise RuntimeError for other shapes or lengths.
    """
    reduction = reduction_of(reduction)
    require_lengths(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity)
    single = log_probs.array.ndim != 3
    if log_probs.array.ndim > 1 and not log_probs.is_floating_point():
        raise dtype_error("ctc_loss", log_probs.array.dtype)
    if single:
        log_probs = log_probs.unsqueeze(1)
    loss, _, target_lengths = score_labels(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity)
    if zero_infinity:
        loss = where.fn(loss == math.inf, loss.new_zeros(()), loss)
    if reduction == "mean":
        lengths = target_lengths.clamp_min(1)
        if is_absent(loss):
            lengths = wrap(place_beside(lengths.array, loss.array))
        return (loss / lengths).mean()
    if reduction == "sum":
        return loss.sum()
    return loss.squeeze(0) if single else loss


def score_labels(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity):
    """Return the loss of each sequence [N], the scores of its states [T, N, L], and the checked lengths of the targets."""
    shape = log_probs.array.shape
    if not log_probs.array.size:
        raise RuntimeError("log_probs tensor must not be empty")
    if len(shape) != 3:
        raise RuntimeError(
            f"Expected 3-dimensional tensor, but got {len(shape)}-dimensional tensor for argument #1 'log_probs' {WHILE}"
        )
    steps, batch, classes = shape
    input_lengths = lengths_of(input_lengths, "input_lengths", batch)
    target_lengths = lengths_of(target_lengths, "target_lengths", batch)
    if not isinstance(blank, (int, np.integer)):
        raise TypeError(f"ctc_loss(): argument 'blank' (position 5) must be int, not {type_name(blank)}")
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    rows = pad_targets(targets, target_lengths, batch)
    check_inputs(input_lengths, steps)
    refuse_dtypes("ctc_loss_cpu", log_probs, *HALF)
    return *ctc.fn(log_probs, rows, input_lengths, target_lengths, blank, zero_infinity), target_lengths


number_reduction(
    ctc_loss, "log_probs", "targets", "input_lengths", "target_lengths", "blank", "reduction", "zero_infinity"
)
