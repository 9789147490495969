"""Public functions that PyTorch composes of ``aten`` operators, step by step as it does."""

import functools
import math
import operator

import tensh as torch
from tensh._aten.calls import aten, call_plain
from tensh._aten.overloads import schemas
from tensh._aten.resizing import name_operator
from tensh._aten.steps import matrices
from tensh._aten.steps.attention import multi_head_attention_forward
from tensh._aten.steps.conversions import choose_conversion, copy_conversion
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
from tensh.engine.arrays.memory import view_strides
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.dtype import BY_NUMPY, dtype
from tensh.engine.methods.conversion import CASTS


def linear(input, weight, bias=None):
    if input.dim() == 2 and bias is not None:
        return aten("addmm", bias, input, aten("t", weight))
    if input.dim() != 2 and bias is not None and input.is_contiguous():
        *outer, inner = input.shape
        flat = aten("view", input, [math.prod(outer), inner])
        return aten("view", aten("addmm", bias, flat, aten("t", weight)), [*outer, weight.shape[0]])
    out = matmul(input, aten("t", weight))
    return out if bias is None else aten("add", out, bias)


def matmul(input, other):
    if not isinstance(other, Tensor):
        return NotImplemented
    a, b = input.dim(), other.dim()
    if a == b == 1:
        return aten("dot", input, other)
    if a == 2 and b == 1:
        return aten("mv", input, other)
    if a == 1 and b == 2:
        return aten("squeeze_", aten("mm", aten("unsqueeze", input, 0), other), 0)
    if a == b == 2:
        return aten("mm", input, other)
    if a >= 3 and b <= 2 and b and (other.requires_grad or is_foldable(input)):
        flat = reshape(input, [-1, input.shape[-1]])
        out = aten("mv" if b == 1 else "mm", flat, other)
        return aten("_unsafe_view", out, [*input.shape[:-1], *other.shape[1:]])
    if a < 1 or b < 1:
        return NotImplemented
    if a == 1:
        return aten("squeeze", matmul(aten("unsqueeze", input, 0), other), -2)
    batch = broadcast(input.shape[:-2], other.shape[:-2])
    n, m, p, size = input.shape[-2], input.shape[-1], other.shape[-1], product(batch)
    left = reshape(aten("expand", input, [*batch, n, m]), [size, n, m])
    right = reshape(aten("expand", other, [*batch, m, p]), [size, m, p])
    return aten("_unsafe_view", aten("bmm", left, right), [*batch, n, p])


def matrix_exp(A):
    return aten("linalg_matrix_exp", A)


def matrix_power(input, n):
    """Multiply squares of a matrix."""
    if n < 1:
        return NotImplemented
    if n == 1:
        return aten("clone", input, memory_format=torch.contiguous_format)
    if n == 3:
        return matmul(matmul(input, input), input)
    result = None
    while n:
        if n % 2:
            result = input if result is None else matmul(result, input)
        n //= 2
        input = matmul(input, input) if n else input
    return result


def multi_dot(tensors):
    """Multiply two matrices; the best order of more is not that of a few operators."""
    if len(tensors) != 2 or any(each.dim() != 2 for each in tensors):
        return NotImplemented
    one, two = tensors
    return aten("view", aten("mm", one, two), [one.shape[0], two.shape[1]])


def broadcast(one, two):
    """The sizes that two tensors have together, each of which may be a node of a program."""
    longer, shorter = (one, two) if len(one) >= len(two) else (two, one)
    rest = len(longer) - len(shorter)
    return [*longer[:rest], *(n if m == 1 else m for n, m in zip(longer[rest:], shorter))]


def operator_matmul(input, other):
    return torch.matmul(input, other) if isinstance(other, Tensor) else NotImplemented


def is_foldable(t):
    """True if the dimensions before the last lie in memory as one."""
    sizes, steps = [int(each) for each in t.shape], t.stride()  # how elements lie is no question to a program
    return 0 in sizes or all(steps[d] == steps[d + 1] * sizes[d + 1] for d in range(t.dim() - 2))


def product(sizes):
    """The product of sizes, which may be nodes of a program."""
    return functools.reduce(operator.mul, sizes) if sizes else 1


def reshape(input, *shape, **options):
    shape = list(options.get("shape", shape[0] if shape and not isinstance(shape[0], int) else shape))
    if -1 in shape:
        known = product([n for n in shape if n != -1])
        shape = [product(input.shape) // known if n == -1 and known else n for n in shape]
    if input.is_contiguous() or view_strides(tuple(map(int, input.shape)), input.stride(), tuple(map(int, shape))):
        return aten("view", input, shape)
    return aten("_unsafe_view", aten("clone", input, memory_format=torch.contiguous_format), shape)


def flatten(input, start_dim=0, end_dim=-1):
    if not input.dim():
        return reshape(input, [1])
    start, end = start_dim % input.dim(), end_dim % input.dim()
    if start == end:
        return input
    size = product(input.shape[start : end + 1])
    return reshape(input, [*input.shape[:start], size, *input.shape[end + 1 :]])


def contiguous(input, memory_format=torch.contiguous_format):
    if input.is_contiguous(memory_format=memory_format):
        return input
    return aten("clone", input, memory_format=memory_format)


def as_dtype(value):
    """The dtype of a tensor, of NumPy's."""
    return value if isinstance(value, dtype) else BY_NUMPY[value]


def convert_to(input, dtype):
    return input if input.dtype is dtype else aten("_to_copy", input, dtype=dtype)


def conversion(name):
    """Return the steps of a method that converts a tensor."""

    def steps(*args, **kwargs):
        found = choose_conversion(name, args, kwargs)
        return args[0] if found is None else copy_conversion(found[0], *found[1], **found[2])

    return steps


def softmax(name):
    def steps(input, dim=None, dtype=None, _stacklevel=3, **options):
        if dim is None:
            return NotImplemented
        return aten(name, input if dtype is None else convert_to(input, dtype), dim, False)

    return steps


def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    if input.dim() not in (1, 2, 4) or size_average is not None or reduce is not None:
        return NotImplemented
    return aten(
        "nll_loss2d_forward" if input.dim() == 4 else "nll_loss_forward", input, target, weight, reduction, ignore_index
    )[0]


def cross_entropy(
    input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0
):
    if input.dim() not in (1, 2, 4) or label_smoothing or target.is_floating_point():
        return NotImplemented
    logarithms = aten("_log_softmax", input, min(input.dim() - 1, 1), False)
    return nll_loss(logarithms, target, weight, size_average, ignore_index, reduce, reduction)


def convolution(dims, transposed=False):
    def sizes(value):
        return [value] * dims if isinstance(value, int) else list(value)

    def steps(input, weight, bias=None, stride=1, padding=0, *rest, **options):
        names = ("output_padding", "groups", "dilation") if transposed else ("dilation", "groups")
        given = dict(zip(names, rest)) | options
        if isinstance(padding, str) or input.dim() != dims + 2:
            return NotImplemented
        more = (
            sizes(given.get("dilation", 1)),
            transposed,
            sizes(given.get("output_padding", 0)),
            given.get("groups", 1),
        )
        return aten("convolution", input, weight, bias, sizes(stride), sizes(padding), *more)

    return steps


def split(tensor, split_size_or_sections, dim=0):
    if isinstance(split_size_or_sections, int):
        return aten("split", tensor, split_size_or_sections, *((dim,) if dim else ()))
    return aten("split_with_sizes", tensor, list(split_size_or_sections), *((dim,) if dim else ()))


def chunk(input, chunks, dim=0):
    return aten("split", input, -(-input.shape[dim] // chunks), dim)


def where(condition, input=None, other=None, **options):
    if input is None and other is None and not options:
        return nonzero(condition, as_tuple=True)
    if other is None or options:
        return NotImplemented
    kind = next((each.dtype for each in (input, other) if isinstance(each, Tensor)), None)
    values = [
        each if isinstance(each, Tensor) else aten("scalar_tensor", each, dtype=kind or torch.get_default_dtype())
        for each in (input, other)
    ]
    return aten("where", condition, *values)


def reflect(name):
    """A reflected operator: ``2 - x`` subtracts x from 2."""
    return lambda input, other: aten(name, other, input) if isinstance(other, Tensor) else NotImplemented


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    if size_average is not None or reduce is not None or weight is not None:
        return NotImplemented
    difference = aten("abs", aten("sub", input, target))
    return difference if reduction == "none" else aten(reduction, difference)


def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None,
                recompute_scale_factor=None, antialias=False):  # fmt: skip
    dims = input.dim() - 2
    name = name_operator(mode, dims)
    if antialias or recompute_scale_factor or name not in schemas() or (size is None) is (scale_factor is None):
        return NotImplemented
    factors = (
        []
        if scale_factor is None
        else scale_factor
        if isinstance(scale_factor, (list, tuple))
        else [scale_factor] * dims
    )
    sizes = [int(n * factor) for n, factor in zip(input.shape[2:], factors, strict=False)]
    sizes = sizes or (list(size) if isinstance(size, (list, tuple)) else [size] * dims)
    corners = () if mode.startswith("nearest") else (bool(align_corners),)
    return aten(name, input, sizes, *corners, *factors)


def pad(input, pad, mode="constant", value=None):
    if mode == "constant":
        return aten("constant_pad_nd", input, list(pad), 0.0 if value is None else value)
    kind = {"reflect": "reflection", "replicate": "replication"}.get(mode)
    name = f"{kind}_pad{len(pad) // 2}d"
    return aten(name, input, list(pad)) if name in schemas() else NotImplemented


def unflatten(input, dim, sizes):
    dim, known = dim % input.dim(), 1
    for n in sizes:
        known *= n if n != -1 else 1
    sizes = [input.shape[dim] // known if n == -1 else n for n in sizes]
    return aten("view", input, [*input.shape[:dim], *sizes, *input.shape[dim + 1 :]])


STEPS = matrices.STEPS | {
    "matrix_exp": matrix_exp, "linalg_matrix_exp": matrix_exp, "matrix_power": matrix_power, "linalg_matrix_power": matrix_power,
    "linalg_multi_dot": multi_dot, "multi_dot": multi_dot,
    "isfinite": isfinite,
    **{name: spread(name) for name in ("var", "std", "var_mean", "std_mean")},
    "elu": elu, "hardtanh": hardtanh, "msort": lambda input: aten("sort", input, 0)[0],
    "lu_solve": lu_solve, **dict.fromkeys(("det", "linalg_det"), lambda A: aten("_linalg_det", A)[0]), "linalg_norm": linalg_norm, "linalg_matmul": matmul,
    "linear": linear, "matmul": matmul, "__matmul__": operator_matmul, "__rmatmul__": lambda a, b: operator_matmul(b, a), "reshape": reshape, "flatten": flatten,
    "contiguous": contiguous, "type_as": lambda input, other: conversion("to")(input, other) if other.dtype is not input.dtype else input, "softmax": softmax("_softmax"),
    "log_softmax": softmax("_log_softmax"), "nll_loss": nll_loss, "cross_entropy": cross_entropy, "layer_norm": layer_norm,
    "group_norm": group_norm, "batch_norm": batch_norm, "embedding": embedding, "dropout": dropout, "__getitem__": getitem,
    "__setitem__": setitem, "diff": diff, "chunk": chunk, "where": where, "max_pool1d": max_pool1d, "max_pool2d": max_pool2d, "square": lambda input: aten("pow", input, 2),
    "selu": selu, "relu6": relu6, "prelu": prelu, "adaptive_avg_pool2d": adaptive_avg_pool2d, "unflatten": unflatten, "rms_norm": rms_norm,
    "adaptive_max_pool2d": adaptive_max_pool2d, "stft": unknown, "istft": unknown,
    "adaptive_avg_pool1d": adaptive_avg_pool1d, "split": split, "adaptive_avg_pool3d": adaptive_avg_pool3d, "max_pool3d": max_pool3d,
    "avg_pool1d": avg_pool1d, "adaptive_max_pool3d": adaptive_max_pool3d, "unfold": unfold, "fold": fold,
    "l1_loss": l1_loss, "multi_head_attention_forward": multi_head_attention_forward, "scaled_dot_product_attention": scaled_dot_product_attention,
    "narrow": narrow, "broadcast_tensors": broadcast_tensors, "masked_select": lambda input, mask: aten("masked_select", input, mask), "tensor_split": tensor_split, "tensorinv": tensorinv, "take_along_dim": take_along_dim,
    "__rsub__": lambda input, other: aten("rsub", input, other), "__rtruediv__": lambda input, other: aten("mul", aten("reciprocal", input), other),
    "__rdiv__": lambda input, other: aten("mul", aten("reciprocal", input), other), "__rpow__": lambda input, other: aten("pow", other, input),
    "argsort": argsort, "nonzero": nonzero, "unravel_index": unravel_index, "tile": tile, "unique": unique, "argwhere": lambda input: aten("nonzero", input),
    "block_diag": lambda *tensors: aten("block_diag", list(tensors)), "norm": norm, "pad": pad, "interpolate": interpolate,
    "view_as": lambda input, other: aten("view", input, list(other.shape)), "expand_as": lambda input, other: aten("expand", input, list(other.shape)),
    "outer": lambda input, other: aten("mul", aten("view", input, [input.shape[0], 1]), other),
    "tensor": lambda data, **options: aten("lift_fresh", call_plain(torch.tensor, data, **options)),
    **{f"conv{n}d": convolution(n) for n in (1, 2, 3)}, **{f"conv_transpose{n}d": convolution(n, True) for n in (1, 2, 3)},
    **{name: conversion(name) for name in (*CASTS, "cpu", "to", "type")},
    "recast": lambda input, to, memory_format=None: conversion("to")(input, to, memory_format=memory_format),
}  # fmt: skip
"""Functions that PyTorch composes of operators: NotImplemented where the steps are not known."""
