"""Derivatives in the words of ``aten``: what dispatch modes and wrapper subclasses see of a backward pass.

Note [A third reading]
A derivative is text that is read on arrays, and on tensors where it is recorded.  While a mode or a class looks on below
autograd, it is read a third time: each word is a call of an operator of ``aten``.  PyTorch has separate operators for the
derivatives of many functions; ``DERIVATIVES`` says these by name, with the values that the operator of tensh saves.
"""

import math
from functools import cache, partial

import numpy as np

import tensh as torch
from tensh._aten.calls import aten, call_overload, call_plain
from tensh._aten.derivatives import layer_words
from tensh._aten.kept_values import side_result
from tensh._aten.overloads import schemas
from tensh._aten.recording import Number, drop_history
from tensh._aten.translation import LIFTED, lift_call
from tensh.engine.autograd.modes import no_grad
from tensh.engine.codegen.derivatives import LIST, local, variable, words_of
from tensh.engine.codegen.source import compile_source, indent_lines
from tensh.engine.codegen.vocabulary import ARRAYS, OPS, TENSORS
from tensh.engine.core.clock import mode
from tensh.engine.core.nodes import unpacked_values, uses_gradient
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dispatch.override.dispatch import any_has
from tensh.engine.dispatch.override.wrappers import Held, restore_held
from tensh.engine.operators.reductions.broadcasts import broadcast_axes

WANTED = "[each is not None for each in self.inputs]"
DERIVATIVES = {
    "squared_difference": {
        "input": "mse_loss_backward(g, input, target, reduction)",
        "target": "mse_loss_backward(g, target, input, reduction)",
    },
    "smooth_difference": {
        "input": "smooth_l1_loss_backward(g, input, target, reduction, beta)",
        "target": "smooth_l1_loss_backward(g, target, input, reduction, beta)",
    },
    "nll": {"input": "nll_back_of(g, input, target, weight, reduction, ignore_index, side_result(self, 1))"},
    "gelu": {"input": "gelu_backward(g, input)"},
    "gelu_tanh": {"input": "gelu_backward(g, input, approximate='tanh')"},
    "silu": {"input": "silu_backward(g, input)"},
    "elu": {"input": "elu_backward(g, alpha, scale, input_scale, False, input)"},
    "leaky_relu": {"input": "leaky_relu_backward(g, input, negative_slope, False)"},
    "hardtanh": {"input": "hardtanh_backward(g, input, min_val, max_val)"},
    "hardswish": {"input": "hardswish_backward(g, input)"},
    "hardsigmoid": {"input": "hardsigmoid_backward(g, input)"},
    "softplus": {"input": "softplus_backward(g, input, beta, threshold)"},
    "logsigmoid": {"input": "log_sigmoid_backward(g, input, side_or_unused(self, input))"},
    "mish": {"input": "mish_backward(g, input)"},
    "glu": {"input": "glu_backward(g, input, dim)"},
    "logit": {"input": "logit_backward(g, input, eps)"},
    "binary_entropy_of_logits": {
        "input": "logits_back(g, input, target, weight, pos_weight, reduction)",
        "target": "logits_target_back(g, input, weight, pos_weight, reduction)",
    },
    "binary_entropy": {"input": "binary_cross_entropy_backward(g, input, target, weight, reduction)"},
    "relu": {"input": "threshold_backward(g, out)"},
    "layer_norm_of": {
        "m": "statistic_of(mean, input, at)", "r": "statistic_of(rstd, input, at)",
        "slopes": f"native_layer_norm_backward(g, input, list(at), m, r, weight, weight, {WANTED})",
        "input": "slopes[0]", "weight": "slopes[1]", "bias": "slopes[2]",
    },
    "group_norm_of": {
        "m": "detach(statistic_of_groups(mean, input))", "r": "detach(statistic_of_groups(rstd, input))",
        "slopes": f"native_group_norm_backward(contiguous(g), input, m, r, weight, *group_sizes(input, form), {WANTED})",
        "input": "slopes[0]", "weight": "slopes[1]", "bias": "slopes[2]",
    },
    "batch_norm_train": {
        "slopes": f"native_batch_norm_backward(g, input, weight, None, None, mean, rstd, True, 1e-5, {WANTED})",
        "input": "slopes[0]", "weight": "slopes[1]", "bias": "slopes[2]",
    },
    "lookup": {
        "weight": "rows_back(g, indices, padding_idx, by_frequency, weight.shape) if sparse else embedding_dense_backward("
        "g, indices, weight.shape[0], padding_idx, by_frequency)"
    },
    "correlate": {
        "slopes": "convolution_backward(g, input, weight, [0 if self.inputs[2] is None else g.shape[1]], list(stride), list(padding), list(dilation), "
        f"False, [0] * len(stride), groups, {WANTED})",
        "input": "slopes[0]", "weight": "slopes[1]", "bias": "slopes[2]",
    },
    "correlate_back": {
        "slopes": "convolution_backward(g, grad, weight, [0 if self.inputs[2] is None else g.shape[1]], list(stride), list(padding), list(dilation), "
        f"True, output_padding(g, grad, weight, stride, padding, dilation), groups, {WANTED})",
        "grad": "slopes[0]", "weight": "slopes[1]", "bias": "slopes[2]",
    },
    "bmm": {"input": "bmm(g, transpose(mat2, 1, 2))", "mat2": "bmm(transpose(input, 1, 2), g)"},
    "baddbmm": {
        "input": "scale(g, beta)",
        "batch1": "scale(bmm(g, transpose(batch2, 1, 2)), alpha)",
        "batch2": "scale(bmm(transpose(batch1, 1, 2), g), alpha)",
    },
    "attend": {
        "slopes": "attention_back(g, query, key, value, out, mask, scale, causal, side_result(self, 1))",
        "query": "slopes[0]", "key": "slopes[1]", "value": "slopes[2]",
    },
    "div": {"input": "g / conj(other)", "other": "times(input / other / other, -g)"},
    "sqrt": {"input": "g / mul_number(out, 2)"},
    "rsqrt": {"cube": "pow(out, 3)", "input": "mul_number(g, -0.5) * conj(cube)"},
    "where": {"input": "where(condition, g, no_gradient(g))", "other": "where(condition, no_gradient(g), g)"},
    "gather": {"input": "scatter_add(new_zeros(g, list(input.shape)), dim, index, g)"},
    "max_dim": {"input": "put_back(restore(g, input.shape, dim, keepdim), restore(indices, input.shape, dim, keepdim), "
                "input.shape, dim)"},
    "min_dim": {"input": "put_back(restore(g, input.shape, dim, keepdim), restore(indices, input.shape, dim, keepdim), "
                "input.shape, dim)"},
    "cummax": {"input": "scatter_add(zeros_as(g, input.shape), dim, indices, g)"},
    "cummin": {"input": "scatter_add(zeros_as(g, input.shape), dim, indices, g)"},
    "deg2rad": {"input": f"mul_number(g, {math.pi / 180})"},
    "rad2deg": {"input": f"mul_number(g, {180 / math.pi})"},
    "cumsum": {"input": "flip(cumsum(flip(g, [dim]), dim), [dim])"},
    "clamp": {"input": "clamp_back(g, input, min, max)"},
    "index": {"input": "index_put(zeros_for(g, input.shape), as_tensors(indices), g, True)"},
    "max_all": {"mask": "mark_equal(input, out)", "input": "mask * (g / sum(mask))"},
    "min_all": {"mask": "mark_equal(input, out)", "input": "mask * (g / sum(mask))"},
    "var_dim": {"input": "times(input - mean_kept(input, dim), mul_number(restore(g, input.shape, dim, keepdim), "
                "per_freedom(input.shape, dim, correction)))"},
    "std_dim": {"s": "masked_fill_(g / mul_number(out, 2), eq(out, 0), 0)", "input": "times(input - mean_kept(input, dim), "
                "mul_number(restore(s, input.shape, dim, keepdim), per_freedom(input.shape, dim, correction)))"},
    "view": {"input": "view_or_copy(g, input.shape)"},
    "squeeze_dim": {"input": "unsqueeze_to(g, input.shape)"},
    "unsafe_view": {"input": "view_or_copy(g, input.shape)"},
    "stack": {"tensors": "[select(g, dim, i) for i in range(g.shape[dim])]"},
} | layer_words.DERIVATIVES  # fmt: skip
"""Operator of tensh -> its derivatives, and before them the values that they share."""


@cache
def derivative_of(kind):
    """Return the function ``(node, g)`` of a class of nodes that calls operators of ``aten``."""
    op, own = kind.op, DERIVATIVES.get(kind.op.name, {})
    derivatives = {name: own.get(name, text) for name, text in kind.derivatives.items()}
    let = {name: text for name, text in own.items() if name not in derivatives}
    let = let if derivatives.keys() <= own.keys() else op.let | let
    texts = [local(text, op, True) for text in (*derivatives.values(), *let.values())]
    names = {"fill_gradients", *(name for text in texts for name in words_of(text))} - op.parameters.keys()
    find = aten_word if own else word
    namespace = {name: find(name) for name in names if is_word(name, bool(own))} | {"unpack": unpack}
    compile_source(derivative_source(op, derivatives, let), f"derivative of {op.name} in aten", namespace)
    return namespace["derivative"]


def derivative_source(op, derivatives, let):
    """``derivative(self, g)``: one value after the other, in the order in which PyTorch computes them."""
    lines = ["def derivative(self, g):"]
    lines += [f"{' '.join(variable(read) + ',' for read in op.saves)} = unpack(self)"] if op.saves else []
    if op.many:
        names = "gs" if op.outs == LIST else " ".join(f"g_{o}," for o in op.outs)
        lines.append(f"{names} = fill_gradients(self, g)")
    lines += [f"{name} = {local(text, op, True)}" for name, text in let.items()]
    if op.sequence:
        return indent_lines([*lines, f"return {local(derivatives[op.sequence], op, True)}"])
    lines.append(f"{' '.join(p + '_n,' for p in derivatives)} = self.inputs")
    for p in sorted(derivatives, key=lambda p: "self" if p == "input" else p):
        lines.append(f"{p}_g = None if {p}_n is None else {local(derivatives[p], op, True)}")
    return indent_lines([*lines, f"return ({' '.join(p + '_g,' for p in derivatives)})"])


def is_word(name, calls_aten):
    """Return True if a name in a derivative is a word, and not a function of Python.

    Operators of ``aten`` are words of derivatives that ``calls_aten``.
    """
    return name in WORDS or name in LIFTED or name in ARRAYS or calls_aten and name in schemas() and name not in PYTHON


PYTHON = frozenset("list len range self abs min max".split())


@cache
def word(name):
    """Return the meaning of a word of tensh as calls of operators; a helper that is not an operator as it is on tensors."""
    if name in WORDS:
        return partial(call_word, name, WORDS[name])
    if name in LIFTED or name in OPS:
        return partial(call_word, name, lambda *args, **options: lift_call(name, restore_held(args), options))
    return TENSORS[name]


def call_word(name, meaning, *args, **options):
    """Call a word; on gradients that vary with calls of ``vmap`` as it is on tensors, since rules take these apart."""
    batches = any_has("hides_batches", (*args, *options.values()))
    return (TENSORS[name] if batches else meaning)(*args, **options)


def aten_word(name):
    """Return the meaning of a word in ``DERIVATIVES``: first PyTorch's."""
    if name in WORDS or name in LIFTED or name not in schemas():
        return word(name)
    return lambda *args, **options: lift_call(name, args, options)


def unpack(node):
    """Return the saved values of a node; one that is its own result is taken out of the history, which is seen."""
    values = restore_held(node.unpack() or [])
    as_kept = unpacked_values(node.saved) or [None] * len(values)
    found = []
    for role, kept, t in zip(node.roles, as_kept, values):
        if type(kept) is Number:
            t = with_number(t, kept.number)
        elif type(role) is int and role < 0 and isinstance(t, Tensor) and reads_result(node):
            t = take_result(node, role, t)
        found.append(t)
    return found


def take_result(node, role, t):
    """Return the result that a node has saved; with its history, if the derivative is recorded."""
    recorded = mode.grad
    if recorded and uses_gradient(t.node):
        return t
    if mode.transforms or "taken_out" in t.__dict__:
        t = drop_history(t)
    else:
        with no_grad():
            t = aten("detach", t)
    if recorded:
        t.node = node._edge(role)
    return t


def with_number(t, number):
    """Return a tensor that knows the number it stands for, which traces write."""
    t.__dict__["written_number"] = number
    return t


def reads_result(node):
    """Return True if a derivative that is wanted reads the result."""
    inputs = list(node.derivatives)
    readers = node.op.saves[node.reads[next(i for i, role in enumerate(node.roles) if type(role) is int and role < 0)]]
    return any(node.inputs[inputs.index(name)] is not None for name in readers)


# ── words that only these derivatives have ───────────────────────────────────
def conj(t):
    return t.conj() if t.is_complex() else t


def nll_back_of(g, input, target, weight, reduction, ignore_index, total=None):
    name = "nll_loss2d_backward" if input.dim() == 4 else "nll_loss_backward"
    return aten(name, g, input, target, weight, reduction, ignore_index, of_no_size(input) if total is None else total)


def sum_to(g, shape):
    if not shape:
        return aten("sum", g)
    axes = list(broadcast_axes(tuple(g.shape), tuple(shape)))
    g = aten("sum", g, axes, True) if axes else g
    return aten("view", g, list(shape)) if g.dim() > len(shape) else g


def of_no_size(like):
    """Return a value that PyTorch's operator takes and the computation does not read."""
    return call_plain(torch.zeros, (), dtype=like.dtype)


def unused_like(input):
    """Return a value of the size of a tensor that PyTorch's operator takes and the computation does not read."""
    return call_plain(torch.zeros, tuple(map(int, input.shape)), dtype=input.dtype)


def side_or_unused(node, input):
    """Return the second result of the operator of a node, or a value in its place."""
    found = side_result(node, 1)
    return unused_like(input) if found is None else found


def statistic_of(t, input, at):
    """Return the mean, or what it is divided by, of each row, with PyTorch's dimensions."""
    return call_plain(t.reshape, (*input.shape[: input.dim() - len(at)], *[1] * len(at)))


def statistic_of_groups(t, input):
    return call_plain(t.reshape, (input.shape[0], -1))


def zero_like(g):
    return aten("scalar_tensor", 0.0, dtype=g.dtype)


def no_gradient(g):
    return aten("scalar_tensor", 0, dtype=g.dtype)


def group_sizes(input, form):
    n, c = input.shape[:2]
    return n, c, input.numel() // (n * c), form[1] // n


def output_padding(g, grad, weight, stride, padding, dilation):
    geometry = zip(g.shape[2:], grad.shape[2:], weight.shape[2:], stride, padding, dilation)
    return [n - ((m - 1) * s - 2 * p + d * (k - 1) + 1) for n, m, k, s, p, d in geometry]


def attention_back(g, query, key, value, out, mask, scale, causal, sums):
    mask = None if causal else mask  # made of nothing else
    named = {"attn_mask": mask} | ({} if scale in (None, query.shape[-1] ** -0.5) else {"scale": scale})
    sums = call_plain(torch.zeros, query.shape[:-1]) if sums is None else sums
    name = "_scaled_dot_product_flash_attention_for_cpu_backward"
    return aten(name, g, query, key, value, out, sums, 0.0, causal, **named)


def view_or_copy(g, shape):
    try:
        call_plain(wrap(getattr(g.array, "array", g.array)).view, list(shape))
    except RuntimeError:
        return lift_call("reshape", (g, list(shape)), {})
    return aten("view", g, list(shape))


def put_back(g, indices, shape, dim):
    return aten("scatter", aten("new_zeros", g, list(shape)), dim, indices, g)


def logits_back(g, input, target, weight, pos_weight, reduction):
    s = aten("sigmoid", input)
    g = (s - target if pos_weight is None else (pos_weight * target + 1 - target) * s - pos_weight * target) * g
    g = g if weight is None else aten("mul_", g, weight)
    return call_overload(schemas()["div_"]["Scalar"], (g, input.numel())) if reduction == "mean" else g


def logits_target_back(g, input, weight, pos_weight, reduction):
    log = torch.nn.functional.logsigmoid
    slope = -input if pos_weight is None else log(-input) - pos_weight * log(input)
    g = slope * g if weight is None else slope * g * weight
    return g / input.numel() if reduction == "mean" else g


def unsqueeze_to(g, shape):
    if g.dim() == len(shape):
        return g
    return aten("unsqueeze", g, next(d for d in range(len(shape)) if g.shape[d : d + 1] != shape[d : d + 1]))


def clamp_back(g, input, min, max):
    zero = zero_like(g)
    low = None if min is None else input >= min
    inside = low if max is None else input <= max if low is None else aten("logical_and_", low, input <= max)
    return aten("where", inside, g, zero)


def mark_equal(input, out):
    nan = aten("logical_and", aten("isnan", input), aten("isnan", out))
    return aten("logical_or_", aten("eq", input, out), nan)


def power_by_number(g, input, exponent):
    number = call_plain(exponent.item) if isinstance(exponent, Tensor) else exponent
    return g * conj(mul_number(aten("pow", input, number - 1), number)) if number else aten("zeros_like", g)


def mul_number(a, b):
    t, number = (a, b) if isinstance(a, Tensor) else (b, a)
    if isinstance(number, Tensor) or not isinstance(t, Tensor):
        return a * b
    return call_overload(schemas()["mul"]["Scalar"], (t, number))


def zeros_for(g, shape):
    """Return zeros to which gradients are added, made with all options given."""
    options = {"dtype": g.dtype, "layout": torch.strided, "device": g.device}
    return call_overload(schemas()["new_zeros"]["default"], (g, list(shape)), options)


def as_tensors(indices):
    return [
        each.tensor if type(each) is Held else wrap(each) if isinstance(each, np.ndarray) else each for each in indices
    ]


def two_to(t):
    return call_overload(schemas()["pow"]["Scalar"], (2, t))


WORDS = {
    each.__name__: each
    for each in (
        conj, sum_to, zeros_for, as_tensors, nll_back_of, of_no_size, unused_like, side_result, side_or_unused, statistic_of, statistic_of_groups,
        zero_like, no_gradient, group_sizes, output_padding, attention_back, view_or_copy, mul_number, put_back, logits_back,
        logits_target_back, unsqueeze_to, clamp_back, mark_equal, power_by_number,
    )
} | {
    "exp2": two_to,
    "nothing": lambda g, *others: aten("zeros_like", g),
    "tH": lambda t: conj(aten("t", t)),
    "mH": lambda t: conj(aten("transpose", t, -2, -1)),
    "times": lambda factor, g: g * factor,
    "ones_for_zeros": lambda divisor: divisor,  # as in PyTorch, which masks the quotient alone
} | layer_words.WORDS  # fmt: skip
