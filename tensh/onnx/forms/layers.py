"""Forms of matrix products, convolutions, pooling, normalisation, recurrent layers and losses."""

import math

import numpy as np

import tensh as torch
from tensh.engine.core.tensor import Tensor
from tensh.nn import functional as F
from tensh.onnx.builder import Value, is_float
from tensh.onnx.forms.table import compose, form


def name_of(node):
    """The name of an operator, or of the public function that stands for it."""
    return getattr(node.target, "_opname", None) or (
        node.target if isinstance(node.target, str) else node.target.__name__
    )


# ── products ─────────────────────────────────────────────────────────────────
@form("matmul mm bmm mv dot vdot")
def matmul(o, node, self, other=None, mat2=None, vec=None, tensor=None):
    other = next(each for each in (other, mat2, vec, tensor) if each is not None)
    return o.MatMul(self, other)


@form("linear")
def linear(o, node, input, weight, bias=None):
    if input.rank == 2 and bias is not None:
        return o.Gemm(input, weight, bias, transB=1)
    out = o.MatMul(input, weight) if weight.rank == 1 else o.MatMul(input, o.Transpose(weight, perm=[1, 0]))
    return out if bias is None else o.Add(out, bias)


def mixed(o, product, self, beta, alpha):
    if alpha != 1:
        product = o.Mul(product, o.number(alpha, product.dtype))
    if beta == 0:
        return product
    return o.Add(o.Mul(self, o.number(beta, self.dtype)) if beta != 1 else self, product)


@form("addmm")
def addmm(o, node, self, mat1, mat2, beta=1, alpha=1):
    if is_float(mat1.dtype):
        return o.Gemm(mat1, mat2, self, alpha=alpha * 1.0, beta=beta * 1.0)
    return mixed(o, o.MatMul(mat1, mat2), self, beta, alpha)


@form("addmv")
def addmv(o, node, self, mat, vec, beta=1, alpha=1):
    return mixed(o, o.MatMul(mat, vec), self, beta, alpha)


@form("baddbmm")
def baddbmm(o, node, self, batch1, batch2, beta=1, alpha=1):
    return mixed(o, o.MatMul(batch1, batch2), self, beta, alpha)


@form("addbmm")
def addbmm(o, node, self, batch1, batch2, beta=1, alpha=1):
    return mixed(o, o.ReduceSum(o.MatMul(batch1, batch2), [0], keepdims=0), self, beta, alpha)


@form("outer ger")
def outer(o, node, self, vec2=None, other=None):
    return o.Mul(o.Unsqueeze(self, [1]), o.Unsqueeze(vec2 if vec2 is not None else other, [0]))


@form("addr")
def addr(o, node, self, vec1, vec2, beta=1, alpha=1):
    return mixed(o, o.Mul(o.Unsqueeze(vec1, [1]), o.Unsqueeze(vec2, [0])), self, beta, alpha)


@form("einsum")
def einsum(o, node, equation, tensors, path=None):
    return o.Einsum(*tensors, equation=equation.replace(" ", ""))


@form("linalg_det det logdet")
def determinant(o, node, self=None, A=None):
    found = o.Det(A if A is not None else self)
    return o.Log(found) if node.target._opname == "logdet" else found


# ── convolutions ─────────────────────────────────────────────────────────────
def each_dim(value, dims):
    values = [value] * dims if isinstance(value, int) else list(value)
    return values * dims if len(values) == 1 else values


def with_batch(o, x, dims):
    """An input with a batch dimension, and the function that takes it away again."""
    if x.rank == dims + 2:
        return x, lambda y: y
    return o.Unsqueeze(x, [0]), lambda y: o.Squeeze(y, [0])


@form("conv1d conv2d conv3d")
def conv(o, node, input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    dims = weight.rank - 2
    input, end = with_batch(o, input, dims)
    attributes = {"strides": each_dim(stride, dims), "dilations": each_dim(dilation, dims), "group": groups}
    if isinstance(padding, str):
        pads = [d * (k - 1) if padding == "same" else 0 for d, k in zip(attributes["dilations"], weight.shape[2:])]
        attributes["pads"] = [p // 2 for p in pads] + [p - p // 2 for p in pads]
    else:
        attributes["pads"] = each_dim(padding, dims) * 2
    return end(o.Conv(input, weight, bias, kernel_shape=list(weight.shape[2:]), **attributes))


@form("conv_transpose1d conv_transpose2d conv_transpose3d")
def conv_transpose(o, node, input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    dims = weight.rank - 2
    input, end = with_batch(o, input, dims)
    return end(
        o.ConvTranspose(
            input, weight, bias, kernel_shape=list(weight.shape[2:]), strides=each_dim(stride, dims), pads=each_dim(padding, dims) * 2,
            dilations=each_dim(dilation, dims), group=groups, output_padding=each_dim(output_padding, dims),
        )
    )  # fmt: skip


# ── pooling ──────────────────────────────────────────────────────────────────
@form("max_pool1d max_pool2d max_pool3d")
def max_pool(o, node, self, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False, return_indices=False):
    dims = int(name_of(node)[-2])
    spatial = math.prod(node.args[0].meta["val"].shape[-dims:])
    self, end = with_batch(o, self, dims)
    kernel = each_dim(kernel_size, dims)
    found = (
        o.MaxPool(
            self, outputs=2 if return_indices else 1, kernel_shape=kernel, strides=each_dim(stride, dims) if stride not in ((), [], None) else kernel,
            pads=each_dim(padding, dims) * 2, dilations=each_dim(dilation, dims), ceil_mode=int(ceil_mode),
        )
    )  # fmt: skip
    if not return_indices:
        return end(found)
    values, places = found  # which count through the whole tensor
    places.dtype = torch.int64
    return end(values), end(o.Mod(places, o.number(spatial, torch.int64)))


@form("avg_pool1d avg_pool2d avg_pool3d")
def avg_pool(
    o, node, self, kernel_size, stride=(), padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
):
    dims = int(name_of(node)[-2])
    kernel = each_dim(kernel_size, dims)
    steps = each_dim(stride, dims) if stride not in ((), [], None) else kernel
    sizes = node.args[0].meta["val"].shape[-dims:]
    if ceil_mode and any((n + 2 * p - k) % s for n, p, k, s in zip(sizes, each_dim(padding, dims), kernel, steps)):
        from tensh.onnx.errors import no_form

        raise no_form(node, "windows that reach beyond the padding are divided by another number there")
    self, end = with_batch(o, self, dims)
    found = end(
        o.AveragePool(
            self, kernel_shape=kernel, strides=each_dim(stride, dims) if stride not in ((), [], None) else kernel,
            pads=each_dim(padding, dims) * 2, count_include_pad=int(count_include_pad or divisor_override is not None),
        )
    )  # fmt: skip
    if divisor_override is not None:
        return o.Mul(found, o.number(math.prod(kernel) / divisor_override, self.dtype))
    return found


@form("adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d")
def adaptive_avg_pool(o, node, self, output_size):
    dims = int(name_of(node)[-2])
    sizes = each_dim(output_size, dims)
    axes = list(range(-dims, 0))
    if all(size == 1 for size in sizes):
        return o.ReduceMean(self, axes, keepdims=1)
    for axis, size in zip(axes, sizes):
        self = pool_to(o, self, axis, self.shape[axis] if self.example is not None else None, size, node)
    return self


def pool_to(o, x, axis, length, size, node):
    """Means over ``size`` windows along an axis, which may overlap: a product with a fixed matrix."""
    length = node.args[0].meta["val"].shape[axis]
    if size is None or size == length:
        return x
    weights = np.zeros((length, size))
    for place in range(size):
        begin, end = place * length // size, -(-(place + 1) * length // size)
        weights[begin:end, place] = 1 / (end - begin)
    matrix = o.array(weights.astype(x.dtype.numpy), x.dtype)
    if axis == -1:
        return o.MatMul(x, matrix)
    rank = node.args[0].meta["val"].dim()
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    return o.Transpose(o.MatMul(o.Transpose(x, perm=order), matrix), perm=order)


@compose("adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d")
def adaptive_max_pool(self, output_size, return_indices=False):
    sizes = [output_size] if isinstance(output_size, int) else list(output_size)
    if return_indices:
        return NotImplemented
    for axis, size in zip(range(-len(sizes), 0), sizes):
        length = self.shape[axis]
        if size is None or size == length:
            continue
        windows = [(place * length // size, -(-(place + 1) * length // size)) for place in range(size)]
        self = torch.cat(
            [self.narrow(axis, begin, end - begin).amax(axis, keepdim=True) for begin, end in windows], axis
        )
    return self


# ── padding, sizes ───────────────────────────────────────────────────────────
@form("pad constant_pad_nd reflection_pad1d reflection_pad2d replication_pad1d replication_pad2d")
def pad(o, node, self, pad, mode="constant", value=None):
    name = node.target._opname
    mode = "reflect" if name.startswith("reflection") else "replicate" if name.startswith("replication") else mode
    before, after = [0] * self.rank, [0] * self.rank
    for place in range(len(pad) // 2):
        before[-1 - place], after[-1 - place] = pad[2 * place], pad[2 * place + 1]
    mode = {"replicate": "edge", "circular": "wrap"}.get(mode, mode)
    fill = o.number(value or 0, self.dtype) if mode == "constant" else None
    return o.Pad(self, o.ints(before + after), fill, mode=mode)


@form("interpolate upsample upsample_nearest upsample_bilinear")
def interpolate(
    o,
    node,
    input,
    size=None,
    scale_factor=None,
    mode="nearest",
    align_corners=None,
    recompute_scale_factor=None,
    antialias=False,
):
    name = getattr(node.target, "__name__", "")
    mode = {"upsample_nearest": "nearest", "upsample_bilinear": "bilinear"}.get(name, mode)
    align_corners = True if name == "upsample_bilinear" else align_corners
    if mode == "area" or antialias:
        from tensh.onnx.errors import no_form

        raise no_form(node)
    sizes = node.meta["val"].shape[2:]
    ways = {
        "nearest": ("nearest", "asymmetric", "floor"),
        "nearest-exact": ("nearest", "half_pixel", "round_prefer_ceil"),
    }
    way, place, nearest = ways.get(
        mode,
        ("cubic" if mode == "bicubic" else "linear", "align_corners" if align_corners else "pytorch_half_pixel", None),
    )
    attributes = {
        "mode": way,
        "coordinate_transformation_mode": place,
        "nearest_mode": nearest,
        "cubic_coeff_a": -0.75 if way == "cubic" else None,
    }
    if scale_factor is not None and not recompute_scale_factor:
        factors = (
            each_dim(scale_factor, len(sizes))
            if isinstance(scale_factor, int)
            else [scale_factor] * len(sizes)
            if isinstance(scale_factor, float)
            else list(scale_factor)
        )
        scales = o.array(np.asarray([1.0, 1.0, *factors], np.float32))
        return o.Resize(input, None, scales, **attributes)
    if isinstance(size, (tuple, list)) and any(isinstance(each, Value) for each in size) or isinstance(size, Value):
        wanted = [size] * len(sizes) if isinstance(size, Value) else list(size)
        front = o.Slice(o.Shape(input), [0], [2])
        return o.Resize(input, None, None, o.Concat(front, o.ints(wanted), axis=0), **attributes)
    front = o.Slice(o.Shape(input), [0], [2])
    return o.Resize(input, None, None, o.Concat(front, o.ints(list(sizes)), axis=0), **attributes)


@form("grid_sample grid_sampler")
def grid_sample(
    o, node, input, grid, mode="bilinear", padding_mode="zeros", align_corners=None, interpolation_mode=None
):
    modes = {0: "linear", 1: "nearest", 2: "cubic", "bilinear": "linear", "nearest": "nearest", "bicubic": "cubic"}
    paddings = {0: "zeros", 1: "border", 2: "reflection"}
    mode = modes[mode if interpolation_mode is None else interpolation_mode]
    if o.opset < 20:
        mode = {"linear": "bilinear", "cubic": "bicubic"}.get(mode, mode)
    return o.GridSample(
        input,
        grid,
        mode=mode,
        padding_mode=paddings.get(padding_mode, padding_mode),
        align_corners=int(bool(align_corners)),
    )


# ── normalisation ────────────────────────────────────────────────────────────
@form("softmax log_softmax _softmax _log_softmax")
def softmax(o, node, self, dim, dtype=None, half_to_float=False):
    self = o.cast(self, node.meta["val"].dtype)
    logarithm = "log" in node.target._opname
    if not self.rank:
        return o.Sub(self, self) if logarithm else o.Exp(o.Sub(self, self))
    return (o.LogSoftmax if logarithm else o.Softmax)(self, axis=dim)


@form("layer_norm")
def layer_norm(o, node, input, normalized_shape, weight=None, bias=None, eps=1e-5, cudnn_enable=True):
    if weight is None:
        weight = o.array(np.ones(normalized_shape, input.dtype.numpy), input.dtype)
    return o.LayerNormalization(input, weight, bias, axis=-len(normalized_shape), epsilon=eps)


@form("batch_norm")
def batch_norm(o, node, input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled=True):
    channels = node.args[0].meta["val"].shape[1] if input.rank > 1 else 1
    dtype = input.dtype
    weight = o.array(np.ones(channels, dtype.numpy), dtype) if weight is None else weight
    bias = o.array(np.zeros(channels, dtype.numpy), dtype) if bias is None else bias
    if training or running_mean is None:
        axes = [dim for dim in range(input.rank) if dim != 1]
        sides = [-1, *[1] * (input.rank - 2)]
        centred = o.Sub(input, o.ReduceMean(input, axes, keepdims=1))
        spread = o.Sqrt(o.Add(o.ReduceMean(o.Mul(centred, centred), axes, keepdims=1), o.number(eps, dtype)))
        return o.Add(o.Mul(o.Div(centred, spread), o.Reshape(weight, sides)), o.Reshape(bias, sides))
    return o.BatchNormalization(input, weight, bias, running_mean, running_var, epsilon=eps)


@compose("group_norm")
def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5, cudnn_enabled=True):
    n, channels, *rest = input.shape
    parts = input.reshape(n, num_groups, -1)
    centred = parts - parts.mean(-1, keepdim=True)
    out = (centred * torch.rsqrt((centred * centred).mean(-1, keepdim=True) + eps)).reshape(input.shape)
    sides = [-1, *[1] * len(rest)]
    out = out if weight is None else out * weight.reshape(sides)
    return out if bias is None else out + bias.reshape(sides)


@compose("instance_norm")
def instance_norm(
    input,
    weight=None,
    bias=None,
    running_mean=None,
    running_var=None,
    use_input_stats=True,
    momentum=0.1,
    eps=1e-5,
    cudnn_enabled=True,
):
    sides = [1, -1, *[1] * (input.dim() - 2)]
    if use_input_stats:
        dims = tuple(range(2, input.dim()))
        centred = input - input.mean(dims, keepdim=True)
        out = centred * torch.rsqrt((centred * centred).mean(dims, keepdim=True) + eps)
    else:
        out = (input - running_mean.reshape(sides)) * torch.rsqrt(running_var.reshape(sides) + eps)
    out = out if weight is None else out * weight.reshape(sides)
    return out if bias is None else out + bias.reshape(sides)


@compose("rms_norm")
def rms_norm(input, normalized_shape, weight=None, eps=None):
    dims = tuple(range(-len(normalized_shape), 0))
    eps = torch.finfo(input.dtype).eps if eps is None else eps
    out = input * torch.rsqrt((input * input).mean(dims, keepdim=True) + eps)
    return out if weight is None else out * weight


@compose("local_response_norm")
def local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0):
    squares, channels = input * input, input.shape[1]
    before = size // 2
    padded = F.pad(squares.movedim(1, -1), (before, (size - 1) // 2))
    total = sum(padded.narrow(-1, start, channels) for start in range(size))
    return input / (k + alpha * (total / size).movedim(-1, 1)) ** beta


@form("dropout feature_dropout alpha_dropout feature_alpha_dropout dropout1d dropout2d dropout3d")
def dropout(o, node, input, p=0.5, train=False, training=None, inplace=False):
    if (train if training is None else training) and p:
        from tensh.onnx.errors import OnnxExporterError, place_of

        raise OnnxExporterError(
            f"dropout in training draws random numbers{place_of(node)}: export the model in evaluation, after model.eval()"
        )
    return o.Identity(input)


# ── attention, embedding ─────────────────────────────────────────────────────
@compose("scaled_dot_product_attention")
def attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    if dropout_p or enable_gqa:
        return NotImplemented
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = torch.matmul(query, key.transpose(-2, -1)) * factor
    if is_causal:
        seen = torch.ones(query.size(-2), key.size(-2)).tril() != 0
        scores = scores.masked_fill(seen.logical_not(), -math.inf)
    if attn_mask is not None:
        if attn_mask.dtype is torch.bool:
            scores = scores.masked_fill(attn_mask.logical_not(), -math.inf)
        else:
            scores = scores + attn_mask
    return torch.matmul(torch.softmax(scores, -1), value)


@form("embedding")
def embedding(
    o,
    node,
    weight,
    indices=None,
    padding_idx=-1,
    scale_grad_by_freq=False,
    sparse=False,
    input=None,
    max_norm=None,
    norm_type=2.0,
):
    if max_norm is not None:
        from tensh.onnx.errors import no_form

        raise no_form(node)
    indices = input if indices is None else indices
    return o.Gather(weight, indices, axis=0)


@compose("bilinear")
def bilinear(input1, input2, weight, bias=None):
    out = torch.einsum("...i,kij,...j->...k", input1, weight, input2)
    return out if bias is None else out + bias


# ── recurrent layers ─────────────────────────────────────────────────────────
GATES = {"lstm": (0, 3, 1, 2), "gru": (1, 0, 2), "rnn_tanh": (0,), "rnn_relu": (0,)}
"""Operator -> the places of PyTorch's gates in ONNX's order: input, output, forget, cell; update, reset, new."""


def reorder(tensor, gates):
    """Weights of all gates in ONNX's order."""
    parts = np.split(np.asarray(tensor), len(gates), axis=0)
    return np.concatenate([parts[place] for place in gates], axis=0)


@form("lstm gru rnn_tanh rnn_relu")
def recurrent(o, node, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    name, directions = node.target._opname, 2 if bidirectional else 1
    if train and dropout:
        from tensh.onnx.errors import OnnxExporterError, place_of

        raise OnnxExporterError(
            f"dropout between layers draws random numbers{place_of(node)}: export the model in evaluation, after model.eval()"
        )
    states = hx if isinstance(hx, (list, tuple)) else [hx]
    size = 4 if has_biases else 2
    if len(params) != size * directions * num_layers:
        from tensh.onnx.errors import no_form

        raise no_form(node)
    x = o.Transpose(input, perm=[1, 0, 2]) if batch_first else input
    last = [[] for _ in states]
    for layer in range(num_layers):
        begin = layer * directions
        weights = [params[size * (begin + d) : size * (begin + d + 1)] for d in range(directions)]
        w, r = (stack_weights(o, [each[place] for each in weights], GATES[name]) for place in (0, 1))
        b = join_biases(o, weights, GATES[name]) if has_biases else None
        given = [o.Slice(each, [begin], [begin + directions], [0]) if num_layers > 1 else each for each in states]
        attributes = {"hidden_size": states[0].shape[-1], "direction": "bidirectional" if bidirectional else None}
        if name == "lstm":
            out, *ends = o.LSTM(x, w, r, b, None, *given, outputs=3, **attributes)
        elif name == "gru":
            out, *ends = o.GRU(x, w, r, b, None, *given, outputs=2, linear_before_reset=1, **attributes)
        else:
            kind = "Tanh" if name == "rnn_tanh" else "Relu"
            out, *ends = o.RNN(x, w, r, b, None, *given, outputs=2, activations=[kind] * directions, **attributes)
        for found, each in zip(last, ends):
            found.append(each)
        x = o.Reshape(
            o.Transpose(out, perm=[0, 2, 1, 3]), [0, 0, -1]
        )  # [L, directions, N, H] -> [L, N, directions * H]
    x = o.Transpose(x, perm=[1, 0, 2]) if batch_first else x
    return [x, *(each[0] if len(each) == 1 else o.Concat(*each, axis=0) for each in last)]


def stack_weights(o, values, gates):
    """The weights of all directions [directions, gates * hidden, size]."""
    return o.array(
        np.stack([reorder(each.example.detach().array, gates) for each in values]), values[0].dtype, o.name("weight")
    )


def join_biases(o, weights, gates):
    rows = [
        np.concatenate([reorder(each[place].example.detach().array, gates) for place in (2, 3)]) for each in weights
    ]
    return o.array(np.stack(rows), weights[0][2].dtype, o.name("bias"))


@compose("lstm_cell")
def lstm_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    gates = F.linear(input, w_ih, b_ih) + F.linear(hx[0], w_hh, b_hh)
    into, forget, new, out = gates.chunk(4, -1)
    cell = forget.sigmoid() * hx[1] + into.sigmoid() * new.tanh()
    return out.sigmoid() * cell.tanh(), cell


@compose("gru_cell")
def gru_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    mine, theirs = F.linear(input, w_ih, b_ih).chunk(3, -1), F.linear(hx, w_hh, b_hh).chunk(3, -1)
    reset, update = (mine[0] + theirs[0]).sigmoid(), (mine[1] + theirs[1]).sigmoid()
    new = (mine[2] + reset * theirs[2]).tanh()
    return (hx - new) * update + new


@compose("rnn_tanh_cell")
def rnn_tanh_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    return (F.linear(input, w_ih, b_ih) + F.linear(hx, w_hh, b_hh)).tanh()


@compose("rnn_relu_cell")
def rnn_relu_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    return (F.linear(input, w_ih, b_ih) + F.linear(hx, w_hh, b_hh)).relu()


# ── products in other operators ──────────────────────────────────────────────
@compose("inner")
def inner(self, other):
    if not self.dim() or not other.dim():
        return self * other
    return torch.tensordot(self, other, ([-1], [-1]))


@compose("tensordot")
def tensordot(self, other, dims_self=2, dims_other=None, dims=None):
    given = dims if dims is not None else dims_self if dims_other is None else (dims_self, dims_other)
    if isinstance(given, int):
        given = list(range(self.dim() - given, self.dim())), list(range(given))
    left, right = (
        [dim % t.dim() for dim in ([each] if isinstance(each, int) else each)] for each, t in zip(given, (self, other))
    )
    a, b = ([d for d in range(t.dim()) if d not in used] for t, used in ((self, left), (other, right)))
    size = math.prod(self.shape[d] for d in left)
    first = self.permute(*a, *left).reshape(math.prod(self.shape[d] for d in a), size)
    second = other.permute(*right, *b).reshape(size, math.prod(other.shape[d] for d in b))
    return torch.mm(first, second).reshape([*(self.shape[d] for d in a), *(other.shape[d] for d in b)])


@compose("kron")
def kron(self, other):
    rank = max(self.dim(), other.dim())
    a, b = (
        self.reshape([1] * (rank - self.dim()) + list(self.shape)),
        other.reshape([1] * (rank - other.dim()) + list(other.shape)),
    )
    wide = a.reshape([n for size in a.shape for n in (size, 1)]) * b.reshape([n for size in b.shape for n in (1, size)])
    return wide.reshape([m * n for m, n in zip(a.shape, b.shape)])


@compose("chain_matmul linalg_multi_dot")
def multi_dot(tensors):
    out = tensors[0]
    for each in tensors[1:]:
        out = torch.matmul(out, each)
    return out


@compose("linalg_vecdot")
def vecdot(x, y, dim=-1):
    return (x * y).sum(dim)


@compose("cross linalg_cross")
def cross(self, other, dim=None):
    dim = -1 if dim is None else dim
    self, other = torch.broadcast_tensors(self, other)
    a, b = self.unbind(dim), other.unbind(dim)
    return torch.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]], dim)


@compose("cosine_similarity")
def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    x1, x2 = torch.broadcast_tensors(x1, x2)
    lengths = [torch.linalg.vector_norm(each, 2, dim, keepdim=True).clamp_min(eps) for each in (x1, x2)]
    return (x1 / lengths[0] * (x2 / lengths[1])).sum(dim)


@compose("pairwise_distance")
def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    return torch.linalg.vector_norm(x1 - x2 + eps, p, -1, keepdim)


@compose("cdist")
def cdist(x1, x2, p=2.0, compute_mode=None):
    return torch.linalg.vector_norm(x1.unsqueeze(-2) - x2.unsqueeze(-3), p, -1)


@compose("linalg_matrix_power matrix_power")
def matrix_power(self, n):
    if n < 1:
        return NotImplemented
    out = self
    for _ in range(n - 1):
        out = torch.matmul(out, self)
    return out


# ── losses ───────────────────────────────────────────────────────────────────
def reduce_losses(losses, reduction):
    if reduction == "batchmean":
        return losses.sum() / losses.shape[0]
    if reduction not in (0, 1, 2, "none", "mean", "sum"):
        return NotImplemented
    return losses.mean() if reduction in (1, "mean") else losses.sum() if reduction in (2, "sum") else losses


@compose("mse_loss")
def mse_loss(input, target, reduction=1):
    return reduce_losses((input - target) ** 2, reduction)


@compose("l1_loss")
def l1_loss(input, target, reduction=1):
    return reduce_losses((input - target).abs(), reduction)


@compose("smooth_l1_loss")
def smooth_l1_loss(input, target, reduction=1, beta=1.0):
    size = (input - target).abs()
    if beta == 0:
        return reduce_losses(size, reduction)
    return reduce_losses(torch.where(size < beta, 0.5 * size * size / beta, size - 0.5 * beta), reduction)


@compose("huber_loss")
def huber_loss(input, target, reduction=1, delta=1.0):
    size = (input - target).abs()
    return reduce_losses(torch.where(size <= delta, 0.5 * size * size, delta * (size - 0.5 * delta)), reduction)


@compose("binary_cross_entropy")
def binary_cross_entropy(input, target, weight=None, reduction=1):
    losses = -(target * input.log().clamp_min(-100) + (1 - target) * (1 - input).log().clamp_min(-100))
    return reduce_losses(losses if weight is None else losses * weight, reduction)


@compose("binary_cross_entropy_with_logits")
def binary_cross_entropy_with_logits(input, target, weight=None, pos_weight=None, reduction=1):
    factor = 1 if pos_weight is None else 1 + (pos_weight - 1) * target
    losses = (1 - target) * input - factor * F.logsigmoid(input)
    return reduce_losses(losses if weight is None else losses * weight, reduction)


@compose("kl_div")
def kl_div(input, target, reduction=1, log_target=False):
    if log_target:
        return reduce_losses(torch.exp(target) * (target - input), reduction)
    return reduce_losses(torch.xlogy(target, target) - target * input, reduction)


@compose("soft_margin_loss")
def soft_margin_loss(input, target, reduction=1):
    return reduce_losses(torch.log(1 + torch.exp(-target * input)), reduction)


@compose("hinge_embedding_loss")
def hinge_embedding_loss(input, target, margin=1.0, reduction=1):
    far = torch.where(target != -1, torch.zeros_like(input), (margin - input).clamp_min(0))
    return reduce_losses(far + torch.where(target != 1, torch.zeros_like(input), input), reduction)


@compose("margin_ranking_loss")
def margin_ranking_loss(input1, input2, target, margin=0.0, reduction=1):
    return reduce_losses((-target * (input1 - input2) + margin).clamp_min(0), reduction)


@compose("cosine_embedding_loss")
def cosine_embedding_loss(input1, input2, target, margin=0.0, reduction=1):
    eps = 1e-12
    products, squares = (input1 * input2).sum(-1), [(each * each).sum(-1) + eps for each in (input1, input2)]
    cosine = products / torch.sqrt(squares[0] * squares[1])
    zero = torch.zeros_like(cosine)
    losses = torch.where(target == 1, 1 - cosine, zero) + torch.where(
        target == -1, (cosine - margin).clamp_min(0), zero
    )
    return reduce_losses(losses, reduction)


@compose("triplet_margin_loss")
def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2.0, eps=1e-6, swap=False, reduction=1):
    near, far = (torch.pairwise_distance(anchor, each, p, eps) for each in (positive, negative))
    if swap:
        far = torch.minimum(far, torch.pairwise_distance(positive, negative, p, eps))
    return reduce_losses((margin + near - far).clamp_min(0), reduction)


@compose("poisson_nll_loss")
def poisson_nll_loss(input, target, log_input=True, full=False, eps=1e-8, reduction=1, size_average=None, reduce=None):
    losses = torch.exp(input) - target * input if log_input else input - target * torch.log(input + eps)
    if full:
        more = target * torch.log(target) - target + 0.5 * torch.log(2 * math.pi * target)
        losses = losses + torch.where(target <= 1, torch.zeros_like(more), more)
    return reduce_losses(losses, reduction)


@compose("gaussian_nll_loss")
def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    if not isinstance(var, Tensor):
        return NotImplemented
    if var.dim() == input.dim() - 1:
        var = var.unsqueeze(-1)
    var = var.clamp_min(eps)
    losses = 0.5 * (torch.log(var) + (input - target) ** 2 / var)
    return reduce_losses(losses + 0.5 * math.log(2 * math.pi) if full else losses, reduction)


@compose("multilabel_soft_margin_loss")
def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    losses = -(target * F.logsigmoid(input) + (1 - target) * F.logsigmoid(-input))
    losses = losses if weight is None else losses * weight
    return reduce_losses(losses.mean(-1), reduction)


@compose("nll_loss_nd nll_loss nll_loss2d")
def nll_loss(self, target, weight=None, reduction=1, ignore_index=-100):
    dim = 0 if self.dim() == 1 else 1
    kept = target != ignore_index
    places = torch.where(kept, target, torch.zeros_like(target))
    losses = -torch.gather(self, dim, places.unsqueeze(dim)).squeeze(dim)
    factors = (
        kept.to(self.dtype)
        if weight is None
        else torch.index_select(weight, 0, places.reshape(-1)).reshape(places.shape) * kept.to(self.dtype)
    )
    losses = torch.where(kept, losses, torch.zeros_like(losses)) * factors
    return losses.sum() / factors.sum() if reduction in (1, "mean") else reduce_losses(losses, reduction)


@compose("cross_entropy_loss cross_entropy")
def cross_entropy_loss(
    self, target, weight=None, reduction=1, ignore_index=-100, label_smoothing=0.0, size_average=None, reduce=None
):
    dim = 0 if self.dim() == 1 else 1
    logs = torch.log_softmax(self, dim)
    if target.is_floating_point():
        if weight is not None:
            return NotImplemented
        target = target * (1 - label_smoothing) + label_smoothing / self.shape[dim] if label_smoothing else target
        losses = -(logs * target).sum(dim)
        return losses.sum() / (losses.numel() or 1) if reduction in (1, "mean") else reduce_losses(losses, reduction)
    sharp = nll_loss(logs, target, weight, reduction, ignore_index)
    if not label_smoothing:
        return sharp
    if weight is not None:
        return NotImplemented
    kept = (target != ignore_index).to(self.dtype)
    even = -logs.sum(dim) * kept
    even = even.sum() / kept.sum() if reduction in (1, "mean") else reduce_losses(even, reduction)
    return (1 - label_smoothing) * sharp + label_smoothing / self.shape[dim] * even


@compose("softmin")
def softmin(input, dim=None, _stacklevel=3, dtype=None):
    if dim is None:
        return NotImplemented
    return torch.softmax(-input, dim, dtype=dtype)
