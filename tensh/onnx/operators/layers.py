"""Matrix products, convolutions, pooling and normalisation."""

import math

import tensh as torch
from tensh.nn import functional as F
from tensh.onnx.operators.table import MissingOperator, ints, operator


@operator
def Gemm(a, b, c=None, alpha=1.0, beta=1.0, transA=0, transB=0):
    a, b = a.t() if transA else a, b.t() if transB else b
    out = torch.matmul(a, b)
    out = out * alpha if alpha != 1 else out
    return out if c is None else out + (c * beta if beta != 1 else c)


@operator
def Einsum(*inputs, equation):
    return torch.einsum(equation, *inputs)


def with_padding(x, kernel, stride, dilation, pads, auto_pad, value=0.0):
    """Return (input, padding) for a window; uneven padding is added to the input."""
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
    x, w, b=None, auto_pad="NOTSET", dilations=None, group=1, kernel_shape=None, output_padding=None, output_shape=None, pads=None,
    strides=None,
):  # fmt: skip
    dims = w.dim() - 2
    dilations, strides, extra = dilations or [1] * dims, strides or [1] * dims, output_padding or [0] * dims
    if output_shape or auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        wanted = output_shape[-dims:] if output_shape else [n * s for n, s in zip(x.shape[2:], strides)]
        sizes = zip(x.shape[2:], w.shape[2:], strides, dilations, extra, wanted)
        totals = [s * (n - 1) + more + (k - 1) * d + 1 - m for n, k, s, d, more, m in sizes]
        extra = [more - min(total, 0) for more, total in zip(extra, totals)]
        small, large = [max(each, 0) // 2 for each in totals], [(max(each, 0) + 1) // 2 for each in totals]
        pads = small + large if auto_pad == "SAME_UPPER" else large + small
    pads = list(pads or [0] * 2 * dims)
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
    padded, padding = with_padding(x, kernel_shape, strides, dilations, pads, auto_pad, -math.inf)
    found = getattr(F, f"max_pool{dims}d")(
        padded, tuple(kernel_shape), tuple(strides), tuple(padding), tuple(dilations), bool(ceil_mode), outputs > 1
    )
    if outputs == 1:
        return found
    places, before = torch.unravel_index(found[1], padded.shape[2:]), [0] * dims
    if padded is not x:
        before = list(pads)[:dims] if pads else split_margins(x, padded, auto_pad)
    steps = [math.prod(x.shape[2 : 2 + dim] if storage_order else x.shape[3 + dim :]) for dim in range(dims)]
    planes = torch.arange(x.shape[0] * x.shape[1]) * math.prod(x.shape[2:])  # ONNX indexes the whole tensor
    inside = sum((place - skipped) * step for place, skipped, step in zip(places, before, steps))
    return found[0], inside + planes.reshape(x.shape[0], x.shape[1], *[1] * dims)


@operator
def MaxUnpool(x, places, shape=None, kernel_shape=(), pads=None, strides=None):
    count = len(kernel_shape)
    strides, pads = strides or [1] * count, pads or [0] * 2 * count
    if shape is None:
        windows = zip(x.shape[2:], strides, kernel_shape, pads[:count], pads[count:])
        shape = [*x.shape[:2], *((size - 1) * stride + kernel - a - b for size, stride, kernel, a, b in windows)]
    shape = ints(shape)
    return x.new_zeros(math.prod(shape)).scatter(0, places.flatten(), x.flatten()).reshape(shape)


def split_margins(x, padded, auto_pad):
    """Return how many elements were added before those of each spatial axis, of which the other side may have one more."""
    margins = [new - old for new, old in zip(padded.shape[2:], x.shape[2:])]
    return [(each + (auto_pad == "SAME_LOWER")) // 2 for each in margins]


@operator
def AveragePool(
    x, kernel_shape, auto_pad="NOTSET", ceil_mode=0, count_include_pad=0, dilations=None, pads=None, strides=None
):
    dims = len(kernel_shape)
    strides = strides or [1] * dims
    if dilations and set(dilations) != {1}:
        ones = torch.ones_like(x[:1, :1])
        settings = kernel_shape, strides, dilations, pads, auto_pad, ceil_mode
        return sum_windows(x, *settings) / sum_windows(ones, *settings, fill=float(bool(count_include_pad)))
    padded_x, padding = with_padding(x, kernel_shape, strides, [1] * dims, pads, auto_pad)
    pool = getattr(F, f"avg_pool{dims}d")
    if padded_x is x:
        return pool(x, tuple(kernel_shape), tuple(strides), tuple(padding), bool(ceil_mode), bool(count_include_pad))
    sums = pool(padded_x, tuple(kernel_shape), tuple(strides), 0, bool(ceil_mode))
    if count_include_pad:
        return sums
    there, _ = with_padding(torch.ones_like(x), kernel_shape, strides, [1] * dims, pads, auto_pad)
    return sums / pool(there, tuple(kernel_shape), tuple(strides), 0, bool(ceil_mode))


def sum_windows(x, kernel, strides, dilations, pads, auto_pad, ceil_mode, fill=0.0):
    """Return the sums of the elements in each window; margins have the value ``fill``, what a last window lacks is 0."""
    dims = len(kernel)
    x, padding = with_padding(x, kernel, strides, dilations, pads, auto_pad, fill)
    x = F.pad(x, [each for each in reversed(padding) for _ in range(2)], value=fill)
    spans = [d * (k - 1) + 1 for k, d in zip(kernel, dilations)]
    if ceil_mode:
        lacks = [-(n - span) % s for n, span, s in zip(x.shape[2:], spans, strides)]
        x = F.pad(x, [each for lack in reversed(lacks) for each in (0, lack)])
    planes = x.reshape(-1, 1, *x.shape[2:])
    sums = getattr(F, f"conv{dims}d")(
        planes, torch.ones(1, 1, *kernel, dtype=x.dtype), None, tuple(strides), 0, tuple(dilations)
    )
    return sums.reshape(*x.shape[:2], *sums.shape[2:])


@operator
def LpPool(x, kernel_shape, auto_pad="NOTSET", ceil_mode=0, dilations=None, p=2, pads=None, strides=None):
    dims = len(kernel_shape)
    settings = kernel_shape, strides or [1] * dims, dilations or [1] * dims, pads, auto_pad, ceil_mode
    return sum_windows(x.abs() ** p, *settings) ** (1 / p)


@operator
def GlobalLpPool(x, p=2):
    return torch.linalg.vector_norm(x, p, tuple(range(2, x.dim())), keepdim=True)


@operator
def MeanVarianceNormalization(x, axes=(0, 2, 3)):
    variance, mean = torch.var_mean(x, tuple(axes), correction=0, keepdim=True)
    return (x - mean) / (variance.sqrt() + 1e-9)


@operator
def BatchNormalization(x, scale, b, mean, var, epsilon=1e-5, momentum=0.9, training_mode=0, spatial=1, outputs=1):
    if not training_mode:
        return F.batch_norm(x, mean, var, scale, b, False, 0.0, epsilon)
    variance, average = torch.var_mean(x, [0, *range(2, x.dim())], correction=0)
    out = F.batch_norm(x, average, variance, scale, b, False, 0.0, epsilon)
    running = [old * momentum + new * (1 - momentum) for old, new in ((mean, average), (var, variance))]
    return (out, *running)[:outputs] if outputs > 1 else out


@operator
def InstanceNormalization(x, scale, b, epsilon=1e-5):
    return F.instance_norm(x, None, None, scale, b, True, 0.0, epsilon)


@operator
def LayerNormalization(x, scale, b=None, axis=-1, epsilon=1e-5, stash_type=1, outputs=1):
    shape = x.shape[axis % x.dim() :]
    out = F.layer_norm(x, tuple(shape), scale.expand(shape), None if b is None else b.expand(shape), epsilon)
    if outputs == 1:
        return out
    variance, mean = torch.var_mean(x, tuple(range(axis % x.dim(), x.dim())), correction=0, keepdim=True)
    return (out, mean, (variance + epsilon).rsqrt())[:outputs]


@operator
def GroupNormalization(x, scale, b, num_groups, epsilon=1e-5, stash_type=1):
    if scale.numel() == num_groups != x.shape[1]:  # before opset 21: one value for each group
        scale, b = (each.repeat_interleave(x.shape[1] // num_groups) for each in (scale, b))
    return F.group_norm(x, num_groups, scale, b, epsilon)


@operator
def RMSNormalization(x, scale, axis=-1, epsilon=1e-5, stash_type=1):
    return F.rms_norm(x, tuple(x.shape[axis % x.dim() :]), scale, epsilon)


operator(RMSNormalization, name="SimplifiedLayerNormalization")  # as onnxruntime calls it


@operator
def LpNormalization(x, axis=-1, p=2):
    return x / torch.linalg.vector_norm(x, p, axis, keepdim=True)


@operator
def LRN(x, size, alpha=1e-4, beta=0.75, bias=1.0):
    if size % 2:
        return F.local_response_norm(x, size, alpha, beta, bias)
    return F.local_response_norm(x.flip(1), size, alpha, beta, bias).flip(1)  # the odd channel follows, not precedes


@operator
def Dropout(a, ratio=None, training_mode=None, seed=None, outputs=1):
    if training_mode is not None and bool(training_mode):
        raise MissingOperator("tensh runs ONNX Dropout in evaluation mode only")
    return a if outputs == 1 else (a, torch.ones_like(a, dtype=torch.bool))
