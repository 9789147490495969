"""Operators that composites call, as dispatch modes see them: by PyTorch's names and arguments.

Note [Inner calls]
Below autograd a public function of PyTorch shows as the operators that it consists of.  Functions of tensh consist of
operators in the same way, as the nodes are PyTorch's; most operators have PyTorch's name and arguments, ``CALLS`` has
the others.  A mode that hands the call on gets what the operator of tensh computes: the same node, the same bits.
``STEPS`` has functions, not operators, that are computed on arrays and in PyTorch are several operators.
"""

import math

import numpy as np

import tensh as torch
from tensh._aten.calls import aten, call_plain
from tensh._aten.derivatives.layer_words import is_ceiled, padding_of_mean, trilinear
from tensh._aten.overloads import schemas
from tensh.engine.codegen.vocabulary import OPS
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.methods.creation.fill import zeros
from tensh.engine.operators.layers.composites.dropout import ALPHA
from tensh.func.trees import map_leaves
from tensh.nn import functional

REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


def numbered(name):
    """Return a tensor and a number, within a function."""
    return lambda input, number: (f"{name}.Scalar", input, number)


def pooled(dims):
    """Return the largest elements of windows."""

    def call(input, kernel, stride, padding, dilation, size):
        ceiled = is_ceiled(input, kernel, stride, padding, dilation, size)
        return f"max_pool{dims}d_with_indices", input, *map(list, (kernel, stride, padding, dilation)), ceiled

    return call


def averaged(dims):
    """Return the means of windows."""

    def call(input, kernel, stride, padding, size, divisor):
        given = padding_of_mean(input, kernel, stride, padding, size, divisor)
        return f"avg_pool{dims}d", input, *map(list, (kernel, stride, padding)), *given

    return call


def likelihood(name):
    return lambda input, target, weight=None, reduction="mean", ignore_index=-100: (
        name, input, target, weight, REDUCTIONS[reduction], ignore_index
    )  # fmt: skip


def convolution(input, weight, bias=None, stride=(), padding=(), dilation=(), groups=1, size=None):
    lists = map(list, (stride, padding, dilation))
    return "convolution", input, weight, bias, *lists, False, [0] * len(stride), groups


def transform(name):
    """Return a Fourier transform."""
    return lambda input, dim, *settings: (f"_{name}", input, list(dim), *settings)


def recurrent_layer(input, w_ih, w_hh, b_ih, b_hh, hidden, cell, backwards):
    settings = [], 2, hidden.shape[-1], 1, True, False, False, True
    return "mkldnn_rnn_layer", input, w_ih, w_hh, b_ih, b_hh, hidden, cell, bool(backwards), *settings


def attention(query, key, value, mask=None, scale=None, causal=False):
    mask, scale = None if causal else mask, None if scale == query.shape[-1] ** -0.5 else scale
    return (
        "_scaled_dot_product_flash_attention_for_cpu",
        query,
        key,
        value,
        0.0,
        causal,
        {"attn_mask": mask, "scale": scale},
    )


CALLS = {
    "plus": numbered("add"), "minus": numbered("sub"), "times": numbered("mul"), "over": numbered("div"),
    "log_softmax_dim": lambda input, dim: ("_log_softmax", input, dim, False),
    "softmax_dim": lambda input, dim: ("_softmax", input, dim, False),
    "safe_softmax": lambda input: ("_safe_softmax", input, -1),
    "logsigmoid": lambda input: ("log_sigmoid_forward", input),
    "multilabel_margin": lambda input, target, reduction="mean": ("multilabel_margin_loss_forward", input, target, REDUCTIONS[reduction]),
    "nll": likelihood("nll_loss_forward"), "nll2": likelihood("nll_loss2d_forward"),
    **{f"max_pool{n}{end}": pooled(n) for n in (2, 3) for end in ("", "_with_indices")},
    **{f"avg_pool{n}": averaged(n) for n in (2, 3)},
    "adaptive_max_pool2": lambda input, windows, dims: ("adaptive_max_pool2d", input, [len(each) for each in windows]),
    "attend": attention, "correlate": convolution, "lstm_layer": recurrent_layer,
    "lookup": lambda weight, indices, *given: ("embedding", weight, indices, *given),
    "pair_distances": lambda x1, x2, p, compute_mode=None: ("_cdist_forward", x1, x2, float(p), compute_mode),
    "euclidean_dist": lambda x1, x2: ("_euclidean_dist", x1, x2), "pdist": lambda input, p=2.0: ("_pdist_forward", input, float(p)),
    "norm_of_difference": lambda input, ord=2, dim=None, keepdim=False: ("norm.ScalarOpt_dim", input, ord, [dim], keepdim),
    "product_of_three": trilinear,
    "restride": lambda input, size, stride, start, *_: ("as_strided", input, list(size), list(stride), start),
    "with_lengths": lambda v, lengths, others: ("_weight_norm_interface", v, lengths, *[d for d in range(v.dim()) if d not in others]),
    "prelu_kernel": lambda input, weight: ("_prelu_kernel", input, weight),
    "split_equally": lambda input, size, dim: ("split.Tensor", input, size, dim),
    "split_by_sizes": lambda input, sizes, dim: ("split_with_sizes", input, list(sizes), dim),
    **{each: transform(each) for each in ("fft_c2c", "fft_c2r", "fft_r2c")},
    "conj": lambda input: ("_conj", input), "conj_physical": lambda input: ("_conj_physical", input),
    "roll_dims": lambda input, shifts, dims: ("roll", input, list(shifts), list(dims)),
    "linalg_svd": lambda A, full_matrices=True: ("_linalg_svd", A, full_matrices),
    "linalg_eigh": lambda A, UPLO="L": ("_linalg_eigh", A, UPLO),
    "linalg_det": lambda A: ("_linalg_det", A),
    "linalg_slogdet": lambda A: ("_linalg_slogdet", A),
    "linalg_solve_ex": lambda A, B, left=True, *check: ("_linalg_solve_ex", A, B, *([] if left else [False])),
    "unsafe_view": lambda input, size: ("_unsafe_view", input, list(size)),
}  # fmt: skip
"""Operator of tensh -> function of its arguments: (PyTorch's operator, its arguments, keywords in a dictionary)."""


RESULTS = {
    "logsigmoid": lambda result, *args: (result, zeros(0)),
    "multilabel_margin": lambda result, *args: (result, zeros(0)),
    "nll": lambda result, *args: (result, zeros(())), "nll2": lambda result, *args: (result, zeros(())),
    **{f"max_pool{n}": lambda result, *args: (result, OPS["max_places"].fn(*args)) for n in (2, 3)},
    "lstm_layer": lambda result, *args: (*result[:3], zeros(0)),
    "attend": lambda result, query, *args: (result, zeros(query.shape[:-1])),
    "with_lengths": lambda result, *args: (result, args[1]),
    "linalg_det": lambda result, A: (result, A, zeros(A.shape[:-1], dtype=torch.int32)),
    "linalg_slogdet": lambda result, A: (*result, A, zeros(A.shape[:-1], dtype=torch.int32)),
    "linalg_solve_ex": lambda result, A, *others: (result[0], A, zeros(A.shape[:-1], dtype=torch.int32), result[1]),
}  # fmt: skip
"""Operator of tensh -> what PyTorch's gives, from its result and arguments: a tuple that begins with the result."""
OWN = {
    "lstm_layer": lambda answer: answer[:3], "linalg_slogdet": lambda answer: torch.return_types.linalg_slogdet(answer[:2]), "linalg_solve_ex": lambda answer: (answer[0], answer[3]),
}  # fmt: skip
"""Operator of tensh -> its results, from PyTorch's, where these are not the first one."""


def take_own(name, answer):
    """Return the result of an operator of tensh, from what PyTorch's gives for tensors of wrapper subclasses."""
    return OWN[name](answer) if name in OWN else answer[0] if name in RESULTS else answer


def compute(name, point, args, options, replace):
    """Return (the result of an operator, the result of PyTorch's.)"""
    args, options = map_leaves(replace, (args, options))
    own = call_plain(point.original, *args, **options)
    return own, call_plain(RESULTS[name], own, *args) if name in RESULTS else own


def drop(input, p, train, *, feature=False, alpha=False, inplace=False):
    """Dropout: a tensor of noise, drawn and scaled in place, and a product."""
    if not 0 < p < 1 or not train or not input.array.size:
        return NotImplemented
    if feature:
        noise = aten("new_empty", input, [*input.shape[:2], *[1] * (input.dim() - 2)])
    else:
        noise = aten("empty_like", input)
    aten("bernoulli_", noise, 1 - p)
    end = "_" if inplace else ""
    if not alpha:
        noise = scalar("div_", noise, 1 - p)
        return aten(f"mul{end}", input, noise)
    scale = 1 / math.sqrt((ALPHA * ALPHA * p + 1) * (1 - p))
    shift = scalar("mul_", scalar("add", noise, -1), ALPHA * scale)
    shift, noise = scalar("add_", shift, ALPHA * scale * p), scalar("mul_", noise, scale)
    return aten("add_", aten(f"mul{end}", input, noise), shift)


def scalar(name, input, number):
    """Call the overload for numbers, which functions written in C++ call."""
    return schemas()[name]["Scalar"](input, number)


def batch_norm_with_stats(input, weight, bias, running_mean, running_var, training, momentum, eps):
    if not input.array.size:
        return NotImplemented
    aten("empty", [0], dtype=torch.uint8)  # the room of other back ends
    return aten("native_batch_norm", input, weight, bias, running_mean, running_var, training, momentum, eps)


def lstm_state(gates, state, projection):
    into, forget, new, out = gates.unsafe_chunk(4, 1)
    into.sigmoid_(), forget.sigmoid_(), new.tanh_(), out.sigmoid_()
    cell = (forget * state[1]).add_(into * new)
    hidden = out * cell.tanh()
    return (hidden if projection is None else hidden.matmul(projection.t())), cell


def add_gates(gates, others):
    return gates.add_(others)


def gru_step(inputs, state, weights):
    mine = inputs.unsafe_chunk(3, 1)
    theirs = functional.linear(state[0], *weights[:2]).unsafe_chunk(3, 1)
    reset = theirs[0].add_(mine[0]).sigmoid_()
    update = theirs[1].add_(mine[1]).sigmoid_()
    new = mine[2].add(theirs[2].mul_(reset)).tanh_()
    return ((state[0] - new).mul_(update).add_(new),)


def reshape_alias(input, size, stride):
    return aten("view", input, list(size))  # the node of a view, which PyTorch records below modes


def clamp_at_zero(loss):
    return aten("clamp_min_", loss, 0)


def sub(input, other, *, alpha=1):
    """Return a number minus a tensor, for which C++ makes a tensor of the number."""
    if isinstance(input, Tensor) or alpha != 1:
        return NotImplemented
    return aten("sub_", aten("fill_", aten("empty_like", other, memory_format=torch.preserve_format), input), other)


def index(input, indices):
    """Elements by index arrays, of which there is None for a dimension that stays whole."""
    if any(each is not None and type(each) is not np.ndarray for each in indices):
        raise NotImplementedError(
            "tensh cannot trace a subscript by tensors within vmap: use torch.index_select or gather"
        )
    return aten("index", input, [each if each is None else wrap(each) for each in indices])


def move_averages_(running, moved, batch, channels):
    """The running statistics of ``instance_norm``: the mean over the batch."""
    plain = aten("alias", running)
    aten("copy_", plain, aten("mean", aten("view", moved, [batch, channels]), [0], False))


def raise_failed(name, info, words):
    aten("_linalg_check_errors", info, name, is_matrix=not info.dim())
    return NotImplemented


STEPS = {
    each.__name__: each
    for each in (
        raise_failed,
        drop,
        batch_norm_with_stats,
        lstm_state,
        gru_step,
        add_gates,
        reshape_alias,
        clamp_at_zero,
        sub,
        index,
        move_averages_,
    )
}
"""Function within composites -> its operators; NotImplemented where it is left to itself."""
