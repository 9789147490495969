"""Layers, and some functions of numbers, that PyTorch composes of ``aten`` operators, step by step as it does."""

import math

import tensh as torch
from tensh._aten.calls import aten
from tensh._aten.overloads import schemas


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    return aten("native_layer_norm", input, list(normalized_shape), weight, bias, eps)[0]


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    n, c = input.shape[:2]
    return aten("native_group_norm", input, weight, bias, n, c, input.numel() // (n * c), num_groups, eps)[0]


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    place = {"layout": torch.strided, "device": torch.device("cpu")}
    schemas()["empty"]["memory_format"]([0], dtype=torch.uint8, **place)  # the room of other back ends
    return aten("native_batch_norm", input, weight, bias, running_mean, running_var, training, momentum, eps)[0]


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    if max_norm is not None:
        return NotImplemented
    return aten("embedding", weight, input, -1 if padding_idx is None else padding_idx, scale_grad_by_freq, sparse)


def dropout(input, p=0.5, training=True, inplace=False):
    if inplace or not training or not p:
        return input if not inplace else NotImplemented
    if p == 1:
        place = {"layout": torch.strided, "device": torch.device("cpu")}
        return aten("mul", input, schemas()["zeros"]["default"]([], dtype=input.dtype, **place))
    kept = aten("bernoulli_", schemas()["empty_like"]["default"](input), 1 - p)
    return aten("mul", input, schemas()["div_"]["Scalar"](kept, 1 - p))


def selu(input, inplace=False):
    return aten("elu_" if inplace else "elu", input, 1.6732632423543772, 1.0507009873554805)


def relu6(input, inplace=False):
    return aten("hardtanh_" if inplace else "hardtanh", input, 0.0, 6.0)


def prelu(input, weight):
    shape = [1] * input.dim()
    if input.dim() > 1 and weight.numel() > 1:
        shape[1] = weight.numel()
    return aten("_prelu_kernel", input, aten("view", weight, shape) if list(weight.shape) != shape else weight)


def adaptive_avg_pool1d(input, output_size):
    size = output_size if isinstance(output_size, int) else output_size[0]
    return aten("squeeze", adaptive_avg_pool2d(aten("unsqueeze", input, -2), [1, size]), -2)


def adaptive_avg_pool(dims):
    def steps(input, output_size):
        sizes = sizes_of(output_size, input, dims)
        if sizes == [1] * dims:
            return aten("mean", input, [-1 - n for n in range(dims)], True)
        return aten(f"_adaptive_avg_pool{dims}d", input, sizes)

    return steps


def sizes_of(output_size, input, dims):
    """Return the wanted sizes, with the input's in place of None."""
    sizes = [output_size] * dims if isinstance(output_size, int) or output_size is None else list(output_size)
    return [n if m is None else m for n, m in zip(input.shape[-dims:], sizes)]


def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    def flat(value, other):
        value = value if isinstance(value, int) else value[0]
        return [other, value]

    stride = kernel_size if stride is None or stride == () else stride
    sizes = flat(kernel_size, 1), flat(stride, 1), flat(padding, 0)
    return aten("squeeze", aten("avg_pool2d", aten("unsqueeze", input, -2), *sizes, ceil_mode, count_include_pad), -2)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    dims = list(range(input.dim() - len(normalized_shape), input.dim()))
    eps = torch.finfo(input.dtype).eps if eps is None else eps
    mean = aten("mean", aten("pow", input, 2), dims, True)
    scale = aten("rsqrt", schemas()["add_"]["Scalar"](mean, eps))
    out = aten("mul", input, scale)
    return out if weight is None else aten("mul", out, weight)


def max_pool(dims):
    def full(value):
        return [value] * dims if isinstance(value, int) else list(value or [])

    def steps(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        args = full(kernel_size), full(stride), full(padding), full(dilation), ceil_mode
        out = aten(f"max_pool{dims}d_with_indices", input, *args)
        return out if return_indices else out[0]

    return steps


def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    sizes = {t.shape[-1] for t in (query, key, value)}
    fits = query.dim() == key.dim() == value.dim() == 4 and len(sizes) == 1 and query.shape[1] == key.shape[1]
    masked = attn_mask is not None and (attn_mask.requires_grad or attn_mask.dtype != query.dtype or is_causal)
    if (
        not fits
        or masked
        or dropout_p
        or enable_gqa
        or not query.is_floating_point()
        or 0 in (*query.shape, *key.shape)
    ):
        return NotImplemented
    options = {"attn_mask": attn_mask, "scale": scale}
    named = {name: value for name, value in options.items() if value is not None}
    given = (dropout_p, is_causal) if is_causal else ()
    return aten("_scaled_dot_product_flash_attention_for_cpu", query, key, value, *given, **named)[0]


def adaptive_max_pool(dims):
    def steps(input, output_size, return_indices=False):
        found = aten(f"adaptive_max_pool{dims}d", input, sizes_of(output_size, input, dims))
        return found if return_indices else found[0]

    return steps


def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    def flat(value, other):
        return [other, value if isinstance(value, int) else value[0]]

    stride = kernel_size if stride is None or stride == () or stride == [] else stride
    sizes = flat(kernel_size, 1), flat(stride, 1), flat(padding, 0), flat(dilation, 1)
    found = aten("max_pool2d_with_indices", aten("unsqueeze", input, -2), *sizes, ceil_mode)
    out, indices = (aten("squeeze", each, -2) for each in found)
    return (out, indices) if return_indices else out


max_pool2d, max_pool3d = max_pool(2), max_pool(3)
adaptive_avg_pool2d, adaptive_avg_pool3d = adaptive_avg_pool(2), adaptive_avg_pool(3)
adaptive_max_pool2d, adaptive_max_pool3d = adaptive_max_pool(2), adaptive_max_pool(3)


def two(value):
    return [value, value] if isinstance(value, int) else list(value)


def unfold(input, *args, **options):
    if input.dim() == 2 or "dimension" in options or len(args) == 3 and all(isinstance(each, int) for each in args):
        return NotImplemented  # the method of tensors
    return windows("im2col", input, (), *args, **options)


def fold(input, output_size, *args, **options):
    return windows("col2im", input, (two(output_size),), *args, **options)


def windows(name, input, sizes, kernel_size, dilation=1, padding=0, stride=1):
    return aten(name, input, *sizes, two(kernel_size), two(dilation), two(padding), two(stride))


def unknown(*args, **options):
    """Return the steps of a function that stays one call, because its operator has other arguments."""
    return NotImplemented


# ── functions of numbers ─────────────────────────────────────────────────────
def spread(name):
    """Return a variance or standard deviation: ``dim`` without a correction, and ``unbiased``, are one."""

    def steps(input, dim=None, unbiased=None, keepdim=False, **options):
        dim, unbiased = (None, dim) if isinstance(dim, bool) else (dim, unbiased)
        if "correction" not in options and (dim is not None or unbiased is not None):
            options["correction"] = 0 if unbiased is False else 1
        dims = () if dim is None else ([dim] if isinstance(dim, int) else list(dim),)
        return aten(name, input, *dims, **options, **({"keepdim": True} if keepdim else {}))

    return steps


def elu(input, alpha=1.0, inplace=False):
    return aten("elu_" if inplace else "elu", input, alpha)


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    return aten("hardtanh_" if inplace else "hardtanh", input, min_val, max_val)


def isfinite(input):
    if not input.is_floating_point():
        return (
            NotImplemented
            if input.is_complex()
            else aten("ones_like", input, dtype=torch.bool, memory_format=torch.preserve_format)
        )
    small = schemas()["ne"]["Scalar"](aten("abs", input), math.inf)
    return aten("mul", aten("eq", input, input), small)


def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    if input.dtype is not other.dtype or input.is_complex() or input.dtype is torch.bool:
        return NotImplemented
    close = aten("eq", input, other)
    if equal_nan and input.is_floating_point():
        close = aten("bitwise_or_", close, aten("bitwise_and", aten("isnan", input), aten("isnan", other)))
    if not rtol and not atol:
        return close
    if not input.is_floating_point():
        other = schemas()["_to_copy"]["default"](other, dtype=torch.get_default_dtype())
    scaled = aten("abs", schemas()["mul"]["Scalar"](other, rtol))
    allowed = schemas()["add"]["Scalar"](scaled, atol)
    error = aten("abs", aten("sub", input, other))
    return aten("bitwise_or_", close, aten("bitwise_and_", isfinite(error), aten("le", error, allowed)))


# ── operators within composites ──────────────────────────────────────────────
def list_counts(maps):
    """Return the counts of elements that padding adds: ``maps`` has the places of each dimension, None for one that stays."""
    counts = [(0, 0) if taps is None else taps.counts for taps in reversed(maps)]
    return [int(count) for pair in counts for count in pair]


def convolve_transposed(grad, weight, bias=None, shape=(), stride=(), padding=(), dilation=(), groups=1):
    geometry = zip(shape[2:], grad.shape[2:], weight.shape[2:], stride, padding, dilation)
    more = [n - ((m - 1) * s - 2 * p + d * (k - 1) + 1) for n, m, k, s, p, d in geometry]
    return aten("convolution", grad, weight, bias, *map(list, (stride, padding, dilation)), True, more, groups)


LIFTED = {
    "correlate_back": convolve_transposed,
    "circular_pad": lambda input, maps: torch.nn.functional.pad(input, list_counts(maps), mode="circular"),
} | {
    name: lambda input, maps, name=name: aten(name, input, list_counts(maps))
    for name in (f"{kind}_pad{dims}d" for kind in ("reflection", "replication") for dims in (1, 2, 3))
}
"""Operator of tensh -> PyTorch's, with PyTorch's arguments."""
