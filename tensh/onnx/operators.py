"""ONNX's operators in functions of PyTorch: each takes the inputs of a node by position and its attributes by name.

``TABLE`` has those that are one expression, in the inputs ``a``, ``b``, ``c`` and so on; the others are functions. What opsets
say in different ways (``axes`` as an attribute or an input) is taken in both.
"""

import functools
import math

import tensh as torch
from tensh.nn import functional as F

OPERATORS = {}
"""Name of an operator of ONNX -> the function."""

TABLE = """
Abs abs(a)
Acos acos(a)
Acosh acosh(a)
Add a + b
And logical_and(a, b)
Asin asin(a)
Asinh asinh(a)
Atan atan(a)
Atanh atanh(a)
BitwiseAnd bitwise_and(a, b)
BitwiseNot bitwise_not(a)
BitwiseOr bitwise_or(a, b)
BitwiseXor bitwise_xor(a, b)
Ceil ceil(a)
Celu F.celu(a, alpha)
Cos cos(a)
Cosh cosh(a)
Det torch.linalg.det(a)
Elu F.elu(a, alpha)
Equal a == b
Erf erf(a)
Exp exp(a)
Floor floor(a)
GlobalAveragePool a.mean(tuple(range(2, a.dim())), keepdim=True)
GlobalMaxPool a.amax(tuple(range(2, a.dim())), keepdim=True)
Greater a > b
GreaterOrEqual a >= b
HardSigmoid (alpha * a + beta).clamp(0, 1)
HardSwish F.hardswish(a)
Identity a
IsNaN isnan(a)
LeakyRelu F.leaky_relu(a, alpha)
Less a < b
LessOrEqual a <= b
Log log(a)
LogSoftmax F.log_softmax(a, axis)
MatMul matmul(a, b)
Mish F.mish(a)
Mul a * b
Neg -a
Not logical_not(a)
Or logical_or(a, b)
PRelu torch.where(a < 0, a * b, a)
Pow pow(a, b).to(a.dtype)
Reciprocal reciprocal(a)
Relu relu(a)
Round torch.round(a)
Selu F.selu(a) if (round(alpha, 4), round(gamma, 4)) == (1.6733, 1.0507) else gamma * torch.where(a > 0, a, alpha * (a.exp() - 1))
Sigmoid sigmoid(a)
Sign sign(a)
Sin sin(a)
Sinh sinh(a)
Size torch.tensor(a.numel())
Softmax F.softmax(a, axis)
Softplus F.softplus(a)
Softsign F.softsign(a)
Sqrt sqrt(a)
Sub a - b
Tan tan(a)
Tanh tanh(a)
ThresholdedRelu torch.where(a > alpha, a, torch.zeros_like(a))
Trilu torch.triu(a, 0 if b is None else int(b)) if upper else torch.tril(a, 0 if b is None else int(b))
Where torch.where(a.to(torch.bool), b, c)
Xor logical_xor(a, b)
"""
DEFAULTS = {
    "Celu": {"alpha": 1.0}, "Elu": {"alpha": 1.0}, "HardSigmoid": {"alpha": 0.2, "beta": 0.5}, "LeakyRelu": {"alpha": 0.01},
    "LogSoftmax": {"axis": -1}, "Softmax": {"axis": -1}, "ThresholdedRelu": {"alpha": 1.0}, "Trilu": {"upper": 1},
    "Selu": {"alpha": 1.6732632, "gamma": 1.0507010},
}  # fmt: skip
"""Attributes that the expressions of the table name, with what they are where a node does not say it."""
LETTERS = "abcde"


class Missing(NotImplementedError):
    """An operator, or a setting of one, that tensh does not run."""


def name_table():
    """Make the functions of the table."""
    names = {"torch": torch, "F": F, "round": round, "int": int, "tuple": tuple, "range": range}
    for line in TABLE.strip().splitlines():
        name, expression = line.split(maxsplit=1)
        code = compile(expression, f"<ONNX operator {name}>", "eval")

        def run(*inputs, _code=code, _name=name, **attributes):
            known = dict(zip(LETTERS, (*inputs, *[None] * 5))) | DEFAULTS.get(_name, {}) | attributes
            return eval(_code, Names(names | known))  # the text is the table's

        run.__name__ = run.__qualname__ = name
        globals()[name] = OPERATORS[name] = run


class Names(dict):
    """Functions of torch by their names."""

    def __missing__(self, name):
        return getattr(torch, name)


def operator(function):
    """Register a function as the operator of its name."""
    OPERATORS[function.__name__] = function
    return function


def ints(value):
    """A vector of whole numbers as a list."""
    return [int(each) for each in value.tolist()] if isinstance(value, torch.Tensor) else list(value)


# ── arithmetic ───────────────────────────────────────────────────────────────
@operator
def Div(a, b):
    return a / b if a.is_floating_point() else torch.div(a, b, rounding_mode="trunc")


@operator
def Mod(a, b, fmod=0):
    return torch.fmod(a, b) if fmod else torch.remainder(a, b)


@operator
def Gelu(a, approximate="none"):
    return F.gelu(a, approximate=approximate)


@operator
def Clip(a, low=None, high=None, min=None, max=None):
    low, high = min if low is None else low, max if high is None else high
    a = a if low is None else torch.maximum(a, torch.as_tensor(low, dtype=a.dtype))
    return a if high is None else torch.minimum(a, torch.as_tensor(high, dtype=a.dtype))


@operator
def Shrink(a, bias=0.0, lambd=0.5):
    return torch.where(a < -lambd, a + bias, torch.where(a > lambd, a - bias, torch.zeros_like(a)))


@operator
def IsInf(a, detect_negative=1, detect_positive=1):
    found = torch.zeros_like(a, dtype=torch.bool)
    if detect_positive:
        found = found | torch.isposinf(a)
    return found | torch.isneginf(a) if detect_negative else found


@operator
def BitShift(a, b, direction):
    return a << b if direction == "LEFT" else a >> b


@operator
def Sum(*inputs):
    return functools.reduce(lambda a, b: a + b, inputs)


@operator
def Mean(*inputs):
    return Sum(*inputs) / len(inputs)


@operator
def Max(*inputs):
    return functools.reduce(torch.maximum, inputs)


@operator
def Min(*inputs):
    return functools.reduce(torch.minimum, inputs)


@operator
def Cast(a, to, saturate=1, round_mode="up"):
    return a.to(dtype_of(to))


@operator
def CastLike(a, b, saturate=1, round_mode="up"):
    return a.to(b.dtype)


def dtype_of(number):
    """The dtype of a number of ONNX."""
    from tensh.onnx.builder import TYPES

    name = next((name for name, known in TYPES.items() if known == number), None)
    if name is None:
        raise Missing(f"tensh has no dtype for the type {number} of ONNX")
    return getattr(torch, name)


# ── reductions ───────────────────────────────────────────────────────────────
def reduction(name, function):
    """The operator of a reduction: ``axes`` are an attribute, or an input."""

    def run(a, axes_input=None, axes=None, keepdims=1, noop_with_empty_axes=0):
        axes = ints(axes_input) if axes_input is not None else axes
        if not axes:
            if noop_with_empty_axes:
                return a
            axes = range(a.dim())
        return function(a, tuple(axes), bool(keepdims)) if a.dim() else function(a.reshape(1), (0,), False)

    run.__name__ = run.__qualname__ = name
    globals()[name] = OPERATORS[name] = run


def multiply(a, axes, keepdim):
    for axis in sorted((axis % a.dim() for axis in axes), reverse=True):
        a = a.prod(axis, keepdim=keepdim)
    return a


for name, function in {
    "ReduceSum": lambda a, axes, keepdim: a.sum(axes, keepdim=keepdim).to(a.dtype),
    "ReduceMean": lambda a, axes, keepdim: a.mean(axes, keepdim=keepdim),
    "ReduceMax": lambda a, axes, keepdim: a.amax(axes, keepdim=keepdim),
    "ReduceMin": lambda a, axes, keepdim: a.amin(axes, keepdim=keepdim),
    "ReduceProd": multiply,
    "ReduceL1": lambda a, axes, keepdim: a.abs().sum(axes, keepdim=keepdim),
    "ReduceL2": lambda a, axes, keepdim: torch.linalg.vector_norm(a, 2, axes, keepdim=keepdim),
    "ReduceSumSquare": lambda a, axes, keepdim: (a * a).sum(axes, keepdim=keepdim),
    "ReduceLogSum": lambda a, axes, keepdim: a.sum(axes, keepdim=keepdim).log(),
    "ReduceLogSumExp": lambda a, axes, keepdim: torch.logsumexp(a, axes, keepdim=keepdim),
}.items():
    reduction(name, function)


@operator
def ArgMax(a, axis=0, keepdims=1, select_last_index=0):
    return torch.argmax(a, axis, keepdim=bool(keepdims))


@operator
def ArgMin(a, axis=0, keepdims=1, select_last_index=0):
    return torch.argmin(a, axis, keepdim=bool(keepdims))


@operator
def CumSum(a, axis, exclusive=0, reverse=0):
    axis = int(axis)
    found = a.flip(axis).cumsum(axis).flip(axis) if reverse else a.cumsum(axis)
    return (found - a if exclusive else found).to(a.dtype)


@operator
def TopK(a, k, axis=-1, largest=1, sorted=1):
    return tuple(torch.topk(a, int(k), axis, bool(largest), bool(sorted)))


# ── shapes ───────────────────────────────────────────────────────────────────
@operator
def Shape(a, start=0, end=None):
    return torch.tensor(list(a.shape)[start:end], dtype=torch.int64)


@operator
def Reshape(a, shape=None, allowzero=0, **attributes):
    sizes = ints(shape)
    return a.reshape([a.shape[place] if size == 0 and not allowzero else size for place, size in enumerate(sizes)])


@operator
def Flatten(a, axis=1):
    axis %= a.dim() + 1
    return a.reshape(math.prod(a.shape[:axis]), -1)


@operator
def Squeeze(a, axes_input=None, axes=None):
    axes = ints(axes_input) if axes_input is not None else axes
    return a.squeeze() if axes is None else a.squeeze(tuple(axes))


@operator
def Unsqueeze(a, axes_input=None, axes=None):
    axes = ints(axes_input) if axes_input is not None else axes
    rank = a.dim() + len(axes)
    for axis in sorted(axis % rank for axis in axes):
        a = a.unsqueeze(axis)
    return a


@operator
def Transpose(a, perm=None):
    return a.permute(perm if perm is not None else list(range(a.dim()))[::-1])


@operator
def Expand(a, shape):
    return a.expand(torch.broadcast_shapes(a.shape, ints(shape)))


@operator
def Tile(a, repeats):
    return a.repeat(ints(repeats)) if a.dim() else a


@operator
def Concat(*inputs, axis=0):
    return torch.cat(inputs, axis)


@operator
def Split(a, sizes=None, axis=0, num_outputs=None, split=None, outputs=1):
    sizes = ints(sizes) if sizes is not None else split
    if sizes is None:
        size = -(-a.shape[axis] // (num_outputs or outputs))
        return tuple(a.split(size, axis))
    return tuple(a.split(list(sizes), axis))


@operator
def Slice(a, starts=None, ends=None, axes=None, steps=None, **attributes):
    starts, ends = ints(starts), ints(ends)
    axes = ints(axes) if axes is not None else range(len(starts))
    steps = ints(steps) if steps is not None else [1] * len(starts)
    for start, end, axis, step in zip(starts, ends, axes, steps):
        size = a.shape[axis]
        if step > 0:
            a = a[(slice(None),) * (axis % a.dim()) + (slice(start, min(end, size), step),)]
        else:
            places = list(range(size))[
                slice(min(start, size - 1) if start >= 0 else start, None if end < -size else end, step)
            ]
            a = torch.index_select(a, axis, torch.tensor(places, dtype=torch.int64))
    return a


@operator
def Gather(a, indices, axis=0):
    axis %= a.dim()
    indices = torch.where(indices < 0, indices + a.shape[axis], indices)
    found = torch.index_select(a, axis, indices.reshape(-1).to(torch.int64))
    return found.reshape([*a.shape[:axis], *indices.shape, *a.shape[axis + 1 :]])


@operator
def GatherElements(a, indices, axis=0):
    return torch.gather(a, axis, torch.where(indices < 0, indices + a.shape[axis], indices))


@operator
def GatherND(a, indices, batch_dims=0):
    if batch_dims:
        return torch.stack([GatherND(each, index, batch_dims - 1) for each, index in zip(a, indices)])
    return a[tuple(indices[..., place] for place in range(indices.shape[-1]))]


@operator
def ScatterElements(a, indices, updates, axis=0, reduction="none"):
    indices = torch.where(indices < 0, indices + a.shape[axis], indices)
    if reduction == "none":
        return a.scatter(axis, indices, updates)
    kinds = {"add": "sum", "mul": "prod", "max": "amax", "min": "amin"}
    return a.scatter_reduce(axis, indices, updates, kinds[reduction])


@operator
def ScatterND(a, indices, updates, reduction="none"):
    if reduction not in ("none", "add"):
        raise Missing(f"tensh does not run ScatterND with reduction {reduction!r}")
    places = tuple(indices[..., place] for place in range(indices.shape[-1]))
    return a.index_put(places, updates, accumulate=reduction == "add")


@operator
def NonZero(a):
    return torch.nonzero(a).t()


@operator
def Compress(a, condition, axis=None):
    a, axis = (a.reshape(-1), 0) if axis is None else (a, axis)
    return torch.index_select(a, axis, torch.nonzero(condition).reshape(-1))


@operator
def Range(start, limit, delta):
    return torch.arange(start.item(), limit.item(), delta.item(), dtype=start.dtype)


@operator
def ConstantOfShape(shape, value=None):
    value = torch.zeros(1) if value is None else value
    return torch.full(ints(shape), value.item(), dtype=value.dtype)


@operator
def OneHot(indices, depth, values, axis=-1):
    depth = int(depth)
    places = torch.where(indices < 0, indices + depth, indices)
    found = torch.where(places.unsqueeze(-1) == torch.arange(depth), values[1], values[0])
    return found.movedim(-1, axis)


@operator
def EyeLike(a, dtype=None, k=0):
    made = torch.zeros(a.shape[0], a.shape[1] + abs(k) * 2, dtype=a.dtype if dtype is None else dtype_of(dtype))
    rows = torch.arange(a.shape[0])
    columns = rows + k
    kept = (columns >= 0) & (columns < a.shape[1])
    made[rows[kept], columns[kept]] = 1
    return made[:, : a.shape[1]]


@operator
def DepthToSpace(a, blocksize, mode="DCR"):
    n, c, h, w = a.shape
    if mode == "CRD":
        return F.pixel_shuffle(a, blocksize)
    parts = a.reshape(n, blocksize, blocksize, c // blocksize**2, h, w).permute(0, 3, 4, 1, 5, 2)
    return parts.reshape(n, c // blocksize**2, h * blocksize, w * blocksize)


@operator
def SpaceToDepth(a, blocksize):
    n, c, h, w = a.shape
    parts = a.reshape(n, c, h // blocksize, blocksize, w // blocksize, blocksize).permute(0, 3, 5, 1, 2, 4)
    return parts.reshape(n, c * blocksize**2, h // blocksize, w // blocksize)


@operator
def Pad(a, pads_input=None, value=None, axes=None, mode="constant", pads=None, **attributes):
    pads = ints(pads_input) if pads_input is not None else list(pads)
    axes = [axis % a.dim() for axis in ints(axes)] if axes is not None else list(range(a.dim()))
    number = len(axes)
    before, after = [0] * a.dim(), [0] * a.dim()
    for place, axis in enumerate(axes):
        before[axis], after[axis] = pads[place], pads[place + number]
    flat = [each for axis in reversed(range(a.dim())) for each in (before[axis], after[axis])]
    if mode == "constant":
        return F.pad(a, flat, value=0 if value is None else value.item())
    while flat and not (flat[-1] or flat[-2]):
        flat = flat[:-2]
    kind = {"edge": "replicate", "reflect": "reflect", "wrap": "circular"}[mode]
    dims = len(flat) // 2
    if not flat:
        return a
    front = a.dim() - dims
    return F.pad(a.reshape(1, -1, *a.shape[front:]), flat, mode=kind).reshape(
        *a.shape[:front], *pad_sizes(a.shape[front:], flat)
    )


def pad_sizes(sizes, flat):
    dims = len(sizes)
    return [size + flat[2 * (dims - 1 - place)] + flat[2 * (dims - 1 - place) + 1] for place, size in enumerate(sizes)]


@operator
def Dropout(a, ratio=None, training_mode=None, seed=None, outputs=1):
    if training_mode is not None and bool(training_mode):
        raise Missing("tensh runs Dropout of ONNX in evaluation only")
    return a if outputs == 1 else (a, torch.ones_like(a, dtype=torch.bool))


@operator
def Constant(value=None, value_float=None, value_int=None, value_floats=None, value_ints=None):
    for given, dtype in (
        (value_float, torch.float32),
        (value_int, torch.int64),
        (value_floats, torch.float32),
        (value_ints, torch.int64),
    ):
        if given is not None:
            return torch.tensor(given, dtype=dtype)
    if value is None:
        raise Missing("tensh runs constants of numbers only")
    return value


# ── layers ───────────────────────────────────────────────────────────────────
@operator
def Gemm(a, b, c=None, alpha=1.0, beta=1.0, transA=0, transB=0):
    a, b = a.t() if transA else a, b.t() if transB else b
    out = torch.matmul(a, b)
    out = out * alpha if alpha != 1 else out
    return out if c is None else out + (c * beta if beta != 1 else c)


def with_padding(x, kernel, stride, dilation, pads, auto_pad, value=0.0):
    """(input, padding): uneven padding is added to the input."""
    dims = len(kernel)
    if auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        totals = [
            max((-(-n // s) - 1) * s + (k - 1) * d + 1 - n, 0)
            for n, k, s, d in zip(x.shape[2:], kernel, stride, dilation)
        ]
        small = [total // 2 for total in totals]
        pads = (
            small + [t - p for t, p in zip(totals, small)]
            if auto_pad == "SAME_UPPER"
            else [t - p for t, p in zip(totals, small)] + small
        )
    pads = list(pads) if pads and auto_pad not in ("VALID",) else [0] * (2 * dims)
    if pads[:dims] == pads[dims:]:
        return x, pads[:dims]
    flat = [each for place in reversed(range(dims)) for each in (pads[place], pads[place + dims])]
    return F.pad(x, flat, value=value), [0] * dims


@operator
def Conv(x, w, b=None, auto_pad="NOTSET", dilations=None, group=1, kernel_shape=None, pads=None, strides=None):
    dims = w.dim() - 2
    dilations, strides = dilations or [1] * dims, strides or [1] * dims
    x, padding = with_padding(x, list(w.shape[2:]), strides, dilations, pads, auto_pad)
    return getattr(F, f"conv{dims}d")(x, w, b, tuple(strides), tuple(padding), tuple(dilations), group)


@operator
def ConvTranspose(
    x,
    w,
    b=None,
    auto_pad="NOTSET",
    dilations=None,
    group=1,
    kernel_shape=None,
    output_padding=None,
    output_shape=None,
    pads=None,
    strides=None,
):
    dims = w.dim() - 2
    if auto_pad not in ("NOTSET", "VALID") or output_shape:
        raise Missing("tensh runs ConvTranspose with explicit pads only")
    pads = list(pads or [0] * 2 * dims)
    dilations, strides, extra = dilations or [1] * dims, strides or [1] * dims, output_padding or [0] * dims
    even = pads[:dims] == pads[dims:]
    out = getattr(F, f"conv_transpose{dims}d")(
        x, w, b, tuple(strides), tuple(pads[:dims]) if even else 0, tuple(extra), group, tuple(dilations)
    )
    if not even:
        for place in range(dims):
            out = out.narrow(place + 2, pads[place], out.shape[place + 2] - pads[place] - pads[place + dims])
    return out


@operator
def MaxPool(
    x, kernel_shape, auto_pad="NOTSET", ceil_mode=0, dilations=None, pads=None, storage_order=0, strides=None, outputs=1
):
    dims = len(kernel_shape)
    dilations, strides = dilations or [1] * dims, strides or [1] * dims
    x, padding = with_padding(x, kernel_shape, strides, dilations, pads, auto_pad, -math.inf)
    found = getattr(F, f"max_pool{dims}d")(
        x, tuple(kernel_shape), tuple(strides), tuple(padding), tuple(dilations), bool(ceil_mode), outputs > 1
    )
    if outputs == 1:
        return found
    planes = torch.arange(x.shape[0] * x.shape[1]) * math.prod(x.shape[2:])  # ONNX counts through the whole tensor
    return found[0], found[1] + planes.reshape(x.shape[0], x.shape[1], *[1] * dims)


@operator
def AveragePool(
    x, kernel_shape, auto_pad="NOTSET", ceil_mode=0, count_include_pad=0, dilations=None, pads=None, strides=None
):
    dims = len(kernel_shape)
    if dilations and set(dilations) != {1}:
        raise Missing("tensh does not run AveragePool with dilations")
    strides = strides or [1] * dims
    padded_x, padding = with_padding(x, kernel_shape, strides, [1] * dims, pads, auto_pad)
    pool = getattr(F, f"avg_pool{dims}d")
    if padded_x is x:
        return pool(x, tuple(kernel_shape), tuple(strides), tuple(padding), bool(ceil_mode), bool(count_include_pad))
    sums = pool(padded_x, tuple(kernel_shape), tuple(strides), 0, bool(ceil_mode))
    if count_include_pad:
        return sums
    there, _ = with_padding(torch.ones_like(x), kernel_shape, strides, [1] * dims, pads, auto_pad)
    return sums / pool(there, tuple(kernel_shape), tuple(strides), 0, bool(ceil_mode))


@operator
def BatchNormalization(x, scale, b, mean, var, epsilon=1e-5, momentum=0.9, training_mode=0, spatial=1, outputs=1):
    if training_mode:
        raise Missing("tensh runs BatchNormalization of ONNX in evaluation only")
    return F.batch_norm(x, mean, var, scale, b, False, 0.0, epsilon)


@operator
def InstanceNormalization(x, scale, b, epsilon=1e-5):
    return F.instance_norm(x, None, None, scale, b, True, 0.0, epsilon)


@operator
def LayerNormalization(x, scale, b=None, axis=-1, epsilon=1e-5, stash_type=1, outputs=1):
    shape = x.shape[axis % x.dim() :]
    return F.layer_norm(x, tuple(shape), scale.expand(shape), None if b is None else b.expand(shape), epsilon)


@operator
def GroupNormalization(x, scale, b, num_groups, epsilon=1e-5, stash_type=1):
    if scale.numel() == num_groups != x.shape[1]:  # before opset 21: one for each group
        scale, b = (each.repeat_interleave(x.shape[1] // num_groups) for each in (scale, b))
    return F.group_norm(x, num_groups, scale, b, epsilon)


@operator
def RMSNormalization(x, scale, axis=-1, epsilon=1e-5, stash_type=1):
    return F.rms_norm(x, tuple(x.shape[axis % x.dim() :]), scale, epsilon)


@operator
def LpNormalization(x, axis=-1, p=2):
    return x / torch.linalg.vector_norm(x, p, axis, keepdim=True)


@operator
def LRN(x, size, alpha=1e-4, beta=0.75, bias=1.0):
    return F.local_response_norm(x, size, alpha, beta, bias)


@operator
def Einsum(*inputs, equation):
    return torch.einsum(equation, *inputs)


@operator
def Resize(
    x,
    roi=None,
    scales=None,
    sizes=None,
    mode="nearest",
    coordinate_transformation_mode="half_pixel",
    nearest_mode="round_prefer_floor",
    cubic_coeff_a=-0.75,
    **attributes,
):
    spatial = x.dim() - 2
    scales = None if scales is None or not scales.numel() else scales.tolist()
    sizes = [int(math.floor(n * s)) for n, s in zip(x.shape, scales)] if sizes is None else ints(sizes)
    if sizes[:2] != list(x.shape[:2]) or spatial not in (1, 2, 3):
        raise Missing("tensh resizes spatial dimensions only")
    sizes = tuple(sizes[2:])
    if mode == "nearest":
        if (coordinate_transformation_mode, nearest_mode) == ("asymmetric", "floor"):
            return F.interpolate(x, sizes, mode="nearest")
        if (coordinate_transformation_mode, nearest_mode) == ("half_pixel", "round_prefer_ceil"):
            return F.interpolate(x, sizes, mode="nearest-exact")
        if all(new % old == 0 for new, old in zip(sizes, x.shape[2:])):
            return F.interpolate(x, sizes, mode="nearest")
        raise Missing(f"tensh does not resize by {nearest_mode} of {coordinate_transformation_mode}")
    if coordinate_transformation_mode not in ("align_corners", "pytorch_half_pixel", "half_pixel"):
        raise Missing(f"tensh does not resize with coordinates {coordinate_transformation_mode}")
    way = {"linear": {1: "linear", 2: "bilinear", 3: "trilinear"}, "cubic": {2: "bicubic"}}.get(mode, {}).get(spatial)
    if way is None:
        raise Missing(f"tensh does not resize by {mode} in {spatial} dimensions")
    return F.interpolate(x, sizes, mode=way, align_corners=coordinate_transformation_mode == "align_corners")


@operator
def Upsample(x, scales=None, mode="nearest", **attributes):
    factors = scales.tolist() if isinstance(scales, torch.Tensor) else scales
    sizes = tuple(int(n * s) for n, s in zip(x.shape[2:], factors[2:]))
    return F.interpolate(x, sizes, mode="nearest" if mode == "nearest" else "bilinear")


@operator
def GridSample(x, grid, align_corners=0, mode="linear", padding_mode="zeros"):
    mode = {"linear": "bilinear", "cubic": "bicubic"}.get(mode, mode)
    return F.grid_sample(x, grid, mode, padding_mode, bool(align_corners))


# ── recurrent layers ─────────────────────────────────────────────────────────
def recur(kind, gates, x, w, r, b, states, hidden_size, direction, reset_after=True):
    """The results of a recurrent operator by PyTorch's: gates change places."""
    directions = w.shape[0]
    if direction == "reverse":
        x = x.flip(0)
    weights = []
    for d in range(directions):
        parts = [w[d], r[d]]
        if b is not None:
            parts += [b[d, : len(gates) * hidden_size], b[d, len(gates) * hidden_size :]]
        weights += [torch.cat([part.chunk(len(gates), 0)[place] for place in gates], 0) for part in parts]
    states = [
        torch.zeros(directions, x.shape[1], hidden_size, dtype=x.dtype) if each is None else each for each in states
    ]
    hx = states if kind == "lstm" else states[0]
    out, *ends = getattr(torch, kind)(x, hx, weights, b is not None, 1, 0.0, False, directions == 2, False)
    if direction == "reverse":
        out = out.flip(0)
    return out.reshape(*out.shape[:2], directions, hidden_size).transpose(1, 2), *ends


def refuse_settings(**settings):
    for name, value in settings.items():
        if value:
            raise Missing(f"tensh does not run recurrent operators of ONNX with {name}={value!r}")


@operator
def LSTM(
    x,
    w,
    r,
    b=None,
    lengths=None,
    h=None,
    c=None,
    p=None,
    hidden_size=None,
    direction="forward",
    layout=0,
    activations=None,
    clip=None,
    input_forget=0,
    outputs=3,
    **attributes,
):
    known = [b"Sigmoid", b"Tanh", b"Tanh", "Sigmoid", "Tanh"]
    refuse_settings(
        layout=layout,
        clip=clip,
        input_forget=input_forget,
        peepholes=p is not None and bool((p != 0).any()),
        sequence_lens=lengths is not None and bool((lengths != x.shape[0]).any()),
    )
    if activations and any(each not in known for each in activations):
        raise Missing(f"tensh does not run LSTM with the activations {activations}")
    return recur("lstm", (0, 2, 3, 1), x, w, r, b, (h, c), hidden_size, direction)


@operator
def GRU(
    x,
    w,
    r,
    b=None,
    lengths=None,
    h=None,
    hidden_size=None,
    direction="forward",
    layout=0,
    activations=None,
    clip=None,
    linear_before_reset=0,
    outputs=2,
    **attributes,
):
    refuse_settings(
        layout=layout,
        clip=clip,
        activations=activations,
        sequence_lens=lengths is not None and bool((lengths != x.shape[0]).any()),
    )
    if not linear_before_reset:
        raise Missing("tensh runs GRU with linear_before_reset=1 only, as PyTorch's is")
    return recur("gru", (1, 0, 2), x, w, r, b, (h,), hidden_size, direction)


@operator
def RNN(
    x,
    w,
    r,
    b=None,
    lengths=None,
    h=None,
    hidden_size=None,
    direction="forward",
    layout=0,
    activations=None,
    clip=None,
    outputs=2,
    **attributes,
):
    kinds = {each.decode() if isinstance(each, bytes) else each for each in activations or ["Tanh"]}
    refuse_settings(layout=layout, clip=clip, sequence_lens=lengths is not None and bool((lengths != x.shape[0]).any()))
    if len(kinds) != 1 or kinds - {"Tanh", "Relu"}:
        raise Missing(f"tensh does not run RNN with the activations {activations}")
    return recur(f"rnn_{kinds.pop().lower()}", (0,), x, w, r, b, (h,), hidden_size, direction)


name_table()
SEVERAL = frozenset("Split Dropout MaxPool BatchNormalization LayerNormalization LSTM GRU RNN".split())
"""Operators that are told how many outputs are asked for."""
