"""Connectionist temporal classification: the negative log-likelihood of a label sequence under all alignments.

Blanks are put around and between the labels of every sequence: 2 S + 1 states.  At each step a sequence stays in its
state, moves to the next one, or skips a blank between two different labels.  ``forward`` holds the log-probabilities of
all prefixes that end in a state, ``backward`` those of all suffixes from it.
"""

import numpy as np

from tensh.engine.codegen.table import op


def states(targets, target_lengths, blank, classes):
    """Return ([N, L] labels with blanks around them, True where a state is reached from two states before).

    Raise IndexError for a label that is not a class.  Values after the end of a sequence are ignored.
    """
    known = np.where(np.arange(targets.shape[1]) < target_lengths[:, None], targets, blank)
    wrong = (known < 0) | (known >= classes)
    if wrong.any():
        raise IndexError(f"Target {known[wrong][0]} is out of bounds.")
    labels = np.full((len(targets), 2 * targets.shape[1] + 1), blank, np.int64)
    labels[:, 1::2] = known
    skips = np.zeros(labels.shape, bool)
    skips[:, 2:] = (labels[:, 2:] != blank) & (labels[:, 2:] != labels[:, :-2])
    return labels, skips


def step(padded, skips):
    """Return the logarithm of the sum over all predecessors of each state; there are two more states before the first."""
    one = np.logaddexp(padded[:, 2:], padded[:, 1:-1])
    return np.logaddexp(one, np.where(skips, padded[:, :-2], -np.inf), one)


def make_scores(steps, logs):
    """Return scores of -inf, with two more states on either side, and those of the states themselves."""
    padded = np.full((steps, logs.shape[1], logs.shape[2] + 4), -np.inf, logs.dtype)
    return padded, padded[:, :, 2:-2]


def read_labels(log_probs, labels):
    """Return the log-probabilities of the labels at each step: [T, N, L]."""
    return log_probs[:, np.arange(len(labels))[:, None], labels]


def forward(log_probs, labels, skips):
    """Return the forward scores [T, N, L]; a sequence begins in one of its first two states."""
    logs = read_labels(log_probs, labels)
    padded, scores = make_scores(len(logs), logs)
    if len(scores):
        scores[0, :, :2] = logs[0, :, :2]
    for t in range(1, len(scores)):
        np.add(step(padded[t - 1, :, :-2], skips), logs[t], scores[t])
    return np.ascontiguousarray(scores)


def backward(log_probs, labels, skips, input_lengths, target_lengths):
    """Return the backward scores [T, N, L]; a sequence ends in one of its last two states at its last step."""
    logs = read_labels(log_probs, labels)
    padded, scores = make_scores(len(logs), logs)
    rows = np.arange(len(labels))
    ends = np.zeros(labels.shape, bool)
    ends[rows, 2 * target_lengths] = True
    ends[rows, np.maximum(2 * target_lengths - 1, 0)] = True
    onward = np.zeros(skips.shape, bool)
    onward[:, :-2] = skips[:, 2:]
    onward, ending = onward[:, ::-1], np.where(ends, 0, logs.dtype.type(-np.inf))
    for t in reversed(range(len(scores))):
        last = (input_lengths - 1 == t)[:, None]
        following = -np.inf if t + 1 == len(scores) else step(padded[t + 1, :, :1:-1], onward)[:, ::-1]
        np.add(np.where(last, ending, following), logs[t], scores[t])
    return scores


@op(
    public=False, out=False, outs=("loss", "scores"), node="CtcLossBackward0", types="f", kernel_name="ctc_loss_cpu",
    log_probs="ctc_back(g, log_probs, targets, input_lengths, target_lengths, loss, scores, blank, zero_infinity)",
    targets=None, input_lengths=None, target_lengths=None,
)  # fmt: skip
def ctc(log_probs, targets, input_lengths, target_lengths, blank=0, zero_infinity=False):
    """The negative logarithm of every sequence's probability [N], and the forward scores."""
    labels, skips = states(targets, target_lengths, blank, log_probs.shape[2])
    scores = forward(log_probs, labels, skips)
    rows = np.arange(len(labels))
    ending = scores[input_lengths - 1, rows] if len(scores) else np.full(labels.shape, -np.inf, log_probs.dtype)
    last = ending[rows, 2 * target_lengths]
    before = np.where(target_lengths > 0, ending[rows, np.maximum(2 * target_lengths - 1, 0)], -np.inf)
    loss = -np.logaddexp(last, before)
    return np.where(input_lengths > 0, loss, np.where(target_lengths > 0, np.inf, -0.0)).astype(log_probs.dtype), scores


UNKNOWN = "not_differentiable('_ctc_loss_backward')"


@op(
    public=False, out=False, node="NotImplemented", grad=UNKNOWN, log_probs=UNKNOWN, targets=None, input_lengths=None,
    target_lengths=None, loss=None, scores=None,
)  # fmt: skip
def ctc_back(grad, log_probs, targets, input_lengths, target_lengths, loss, scores, blank, zero_infinity):
    """The gradient: each label's probability minus its posterior probability at this step."""
    labels, skips = states(targets, target_lengths, blank, log_probs.shape[2])
    both = scores + backward(log_probs, labels, skips, input_lengths, target_lengths)
    together = np.full(log_probs.shape, -np.inf, log_probs.dtype)
    inside = np.arange(labels.shape[1]) <= 2 * target_lengths[:, None]
    rows = np.arange(len(labels))
    for state, label in enumerate(labels.T):
        here = np.where(inside[:, state], both[:, :, state], -np.inf)
        together[:, rows, label] = np.logaddexp(together[:, rows, label], here)
    result = np.exp(log_probs) - np.exp(together + loss[:, None] - log_probs)
    result *= grad[:, None]
    known = np.arange(len(log_probs))[:, None] < input_lengths
    if zero_infinity:
        known = known & (loss != np.inf)
    return np.where(known[..., None], result, log_probs.dtype.type(0))
