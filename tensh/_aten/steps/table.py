"""Public functions that PyTorch composes of ``aten`` operators, step by step as it does."""

import tensh as torch
from tensh._aten.calls import aten, call_plain
from tensh._aten.steps import matrices
from tensh._aten.steps.attention import multi_head_attention_forward
from tensh._aten.steps.conversions import conversion
from tensh._aten.steps.images import convolution, interpolate, pad
from tensh._aten.steps.indexing import (
    argsort,
    broadcast_tensors,
    diff,
    getitem,
    narrow,
    nonzero,
    setitem,
    take_along_dim,
    tensor_split,
    tile,
    unique,
    unravel_index,
    where,
)
from tensh._aten.steps.layers import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
    avg_pool1d,
    batch_norm,
    dropout,
    elu,
    embedding,
    fold,
    group_norm,
    hardtanh,
    isclose,
    isfinite,
    layer_norm,
    max_pool1d,
    max_pool2d,
    max_pool3d,
    prelu,
    relu6,
    rms_norm,
    scaled_dot_product_attention,
    selu,
    spread,
    unfold,
    unknown,
)
from tensh._aten.steps.linalg import linalg_norm, lu_solve, norm, tensorinv
from tensh._aten.steps.losses import (
    cosine_embedding_loss,
    cosine_similarity,
    cross_entropy,
    ctc_loss,
    hinge_embedding_loss,
    l1_loss,
    logsigmoid,
    multilabel_margin_loss,
    nll_loss,
    softmax,
)
from tensh._aten.steps.products import linear, matmul, matrix_exp, matrix_power, multi_dot, operator_matmul
from tensh._aten.steps.quantiles import quantile_steps
from tensh._aten.steps.shapes import (
    cartesian_prod,
    chunk,
    combinations,
    contiguous,
    diag,
    diagflat,
    flatten,
    meshgrid,
    reshape,
    split,
    unflatten,
)
from tensh.engine.methods.conversion import CASTS


def by_name(*functions):
    """Return name -> function."""
    return {each.__name__: each for each in functions}


SHAPES = by_name(
    broadcast_tensors,
    cartesian_prod,
    chunk,
    combinations,
    contiguous,
    diag,
    diagflat,
    flatten,
    meshgrid,
    narrow,
    reshape,
    split,
    tensor_split,
    tile,
    unflatten,
) | {  # fmt: skip
    "view_as": lambda input, other: aten("view", input, list(other.shape)),
    "expand_as": lambda input, other: aten("expand", input, list(other.shape)),
    "block_diag": lambda *tensors: aten("block_diag", list(tensors)),
}
SELECTION = by_name(argsort, diff, nonzero, take_along_dim, unique, unravel_index, where) | {
    "__getitem__": getitem,
    "__setitem__": setitem,
    "argwhere": lambda input: aten("nonzero", input),
    "masked_select": lambda input, mask: aten("masked_select", input, mask),
    "msort": lambda input: aten("sort", input, 0)[0],
}
PRODUCTS = by_name(linalg_norm, linear, lu_solve, matmul, matrix_exp, matrix_power, multi_dot, norm, tensorinv) | {
    "__matmul__": operator_matmul,
    "__rmatmul__": lambda input, other: operator_matmul(other, input),
    "linalg_matmul": matmul,
    "linalg_matrix_exp": matrix_exp,
    "linalg_matrix_power": matrix_power,
    "linalg_multi_dot": multi_dot,
    "outer": lambda input, other: aten("mul", aten("view", input, [input.shape[0], 1]), other),
    **dict.fromkeys(("det", "linalg_det"), lambda A: aten("_linalg_det", A)[0]),
}
NUMBERS = by_name(elu, hardtanh, isclose, isfinite, prelu, relu6, selu) | {
    "softmax": softmax("_softmax"),
    "log_softmax": softmax("_log_softmax"),
    "quantile": quantile_steps(False),
    "nanquantile": quantile_steps(True),
    "square": lambda input: aten("pow", input, 2),
    "__rsub__": lambda input, other: aten("rsub", input, other),
    "__rpow__": lambda input, other: aten("pow", other, input),
    **dict.fromkeys(("__rdiv__", "__rtruediv__"), lambda input, other: aten("mul", aten("reciprocal", input), other)),
    **{name: spread(name) for name in ("var", "std", "var_mean", "std_mean")},
}
LAYERS = by_name(
    adaptive_avg_pool1d, avg_pool1d, batch_norm, cosine_embedding_loss, cosine_similarity, cross_entropy, ctc_loss, dropout,
    embedding, fold, group_norm, hinge_embedding_loss, interpolate, l1_loss, logsigmoid, multilabel_margin_loss, layer_norm, max_pool1d, multi_head_attention_forward, nll_loss, pad, rms_norm, scaled_dot_product_attention, unfold,
) | {
    "adaptive_avg_pool2d": adaptive_avg_pool2d,
    "adaptive_avg_pool3d": adaptive_avg_pool3d,
    "adaptive_max_pool2d": adaptive_max_pool2d,
    "adaptive_max_pool3d": adaptive_max_pool3d,
    "max_pool2d": max_pool2d,
    "max_pool3d": max_pool3d,
    **{f"conv{n}d": convolution(n) for n in (1, 2, 3)},
    **{f"conv_transpose{n}d": convolution(n, True) for n in (1, 2, 3)},
}  # fmt: skip
CONVERSIONS = {
    "tensor": lambda data, **options: aten("lift_fresh", call_plain(torch.tensor, data, **options)),
    "type_as": lambda input, other: conversion("to")(input, other) if other.dtype is not input.dtype else input,
    "recast": lambda input, to, memory_format=None: conversion("to")(input, to, memory_format=memory_format),
    **{name: conversion(name) for name in (*CASTS, "cpu", "to", "type")},
}
UNKNOWN = dict.fromkeys(("stft", "istft"), unknown)
STEPS = matrices.STEPS | SHAPES | SELECTION | PRODUCTS | NUMBERS | LAYERS | CONVERSIONS | UNKNOWN
"""Functions that PyTorch composes of operators: NotImplemented where the steps are not known."""
