"""Functions, arguments with which they are captured, and others of the same shapes, for which they take another way."""

import tensh as torch
from tensh.nn import functional as F

nan, inf = float("nan"), float("inf")
A = torch.tensor([[2.0, 1.0, 0.5], [0.3, 3.0, 1.0], [1.0, -0.5, 4.0]])
P = A @ A.T
ZEROS, ONES = torch.zeros(3, 3), torch.ones(3, 3)
SIGNAL = torch.arange(40.0).sin()
WINDOW = torch.hann_window(8) + 0.1
SPECTRUM = torch.stft(SIGNAL, 8, 4, window=WINDOW, return_complex=True)
LOGITS = torch.arange(40.0).cos().reshape(5, 2, 4).log_softmax(-1)
LABELS, LENGTHS, TARGETS = torch.ones(2, 3, dtype=torch.int64), torch.tensor([5, 5]), torch.tensor([3, 2])
PLACES, FAR = torch.tensor([0, 1]), torch.tensor([0, 9])
ONE, TWO = torch.tensor(1), torch.tensor(2)


def instance_norm(x, mean, var):
    return F.instance_norm(x, mean, var, use_input_stats=True, momentum=0.5), mean, var


def cov(x, weights):
    return torch.cov(x, aweights=weights)


def istft(x, window):
    return torch.istft(x, 8, 4, window=window)


def pad_parts(x, length):
    return torch.nn.utils.rnn.pad_sequence([x[: length[0]], x])


def segments(x, lengths):
    return torch.segment_reduce(x, "sum", lengths=lengths)


def ctc(logits, labels, inputs, targets):
    return F.ctc_loss(logits, labels, inputs, targets)


def embed_bags(x, places, offsets):
    return F.embedding_bag(places, x, offsets)


LINALG = "inv cholesky lu_factor eigh svd qr det slogdet matrix_rank pinv cond inv_ex cholesky_ex svdvals".split()
INDEXED = {
    "index_select": lambda a, i: a.index_select(0, i), "gather": lambda a, i: a.gather(0, i[:, None]), "index": lambda a, i: a[i],
    "scatter": lambda a, i: a.scatter(0, i[:, None], 1.0), "index_add": lambda a, i: a.index_add(0, i, a[:2]),
    "embedding": lambda a, i: F.embedding(i, a), "one_hot": lambda a, i: F.one_hot(i, 3), "nll_loss": lambda a, i: F.nll_loss(a[:2], i),
    "cross_entropy": lambda a, i: F.cross_entropy(a[:2], i), "index_put": lambda a, i: a.index_put((i,), torch.ones(())),
    "repeat_interleave": lambda a, i: torch.repeat_interleave(a[:2], i, dim=0), "quotient": lambda a, i: i // i, "power": lambda a, i: i**-i,
}  # fmt: skip
CASES = {
    "cov without freedom": (cov, (A, torch.ones(3)), (A, torch.tensor([1.0, 0, 0]))),
    "cov with freedom": (cov, (A, torch.tensor([1.0, 0, 0])), (A, torch.ones(3))),
    "cov without weights": (cov, (A, torch.ones(3)), (A, torch.zeros(3))),
    "istft of an empty window": (istft, (SPECTRUM, WINDOW), (SPECTRUM, torch.zeros(8))),
    "triangular": (lambda a, b: torch.linalg.solve_triangular(a, b, upper=True), (A, A), (ZEROS, A)),
    "solve": (torch.linalg.solve, (A, A), (ZEROS, A)),
    "least squares": (lambda a, b: torch.linalg.lstsq(a, b, driver="gelsd"), (A[:, :2], A[:, :1]), (ONES[:, :2], A[:, :1])),
    "quantile": (torch.quantile, (A, torch.tensor(0.5)), (A, torch.tensor(2.0))),
    "ctc of long targets": (ctc, (LOGITS, LABELS, LENGTHS, TARGETS), (LOGITS, LABELS, LENGTHS, TARGETS + 1)),
    "ctc of long inputs": (ctc, (LOGITS, LABELS, LENGTHS, TARGETS), (LOGITS, LABELS, LENGTHS + 1, TARGETS)),
    "ctc of negative targets": (ctc, (LOGITS, LABELS, LENGTHS, TARGETS), (LOGITS, LABELS, LENGTHS, TARGETS - 4)),
    "ctc of joined targets": (ctc, (LOGITS, LABELS[0].repeat(2)[:5], LENGTHS, TARGETS), (LOGITS, LABELS[0].repeat(2)[:5], LENGTHS, TARGETS - 1)),
    "segments": (segments, (torch.arange(4.0), torch.tensor([2, 2])), (torch.arange(4.0), torch.tensor([1, 3]))),
    "negative segments": (segments, (torch.arange(4.0), torch.tensor([2, 2])), (torch.arange(4.0), torch.tensor([-1, 5]))),
    "bags": (embed_bags, (A, PLACES, PLACES), (A, PLACES, PLACES * 0)),
    "bags beyond the end": (embed_bags, (A, PLACES, PLACES), (A, PLACES, PLACES * 5)),
    "narrow": (lambda a, t: a.narrow(0, t, 1), (A, ONE), (A, TWO)),
    "one row": (lambda a, t: a[t], (A, ONE), (A, TWO)),
    "one element": (lambda a, t: a[t, 0], (A, ONE), (A, TWO)),
    "rows behind": (lambda a, t: a[t:], (A, ONE), (A, TWO)),
    "rows before": (pad_parts, (torch.arange(3.0), torch.tensor([2])), (torch.arange(3.0), torch.tensor([1]))),
    "split": (lambda a, t: a.tensor_split(t), (A, torch.tensor([1])), (A, torch.tensor([2]))),
    "roll": (lambda a, t: a.roll(int(t)), (A, ONE), (A, TWO)),
    "element of a vector": (lambda a, t: a * t.item(), (A, torch.tensor([1])), (A, torch.tensor([0]))),
    "list element": (lambda t: [1, 2, 3][t] * t, (ONE,), (TWO,)),
    "sum of a range": (lambda t: sum(t * i for i in range(t)), (ONE,), (TWO,)),
    "statistics": (instance_norm, (SIGNAL.reshape(2, 4, 5), torch.ones(4), torch.ones(4)), (SIGNAL.reshape(2, 4, 5) + 1, torch.ones(4), torch.zeros(4))),
    "probabilities": (F.binary_cross_entropy, (torch.full((3,), 0.5),) * 2, (torch.full((3,), 2.0), torch.full((3,), 0.5))),
    "variances": (F.gaussian_nll_loss, (torch.ones(3),) * 3, (torch.ones(3), torch.ones(3), -torch.ones(3))),
    "draws": (lambda p: torch.multinomial(p, 1), (torch.ones(3),), (-torch.ones(3),)),
    "samples": (torch.bernoulli, (torch.ones(3),), (torch.ones(3) + 1,)),
    **{
        f"{name} of {word}": (getattr(torch.linalg, name), (P,), (other,))
        for name in LINALG
        for word, other in (("zeros", ZEROS), ("ones", ONES), ("negative", -P))
    },
    **{
        f"{name} by {word}": (function, (A, PLACES + 1), (A, other))
        for name, function in INDEXED.items()
        for word, other in (("far", FAR), ("negative", -1 - PLACES), ("zeros", PLACES * 0))
    },
}  # fmt: skip
