"""Forms of softmax, normalisation and dropout."""

import numpy as np

import tensh as torch
from tensh.nn import functional as F
from tensh.onnx.errors import OnnxExporterError, describe_line
from tensh.onnx.forms.table import END, compose, form


@form("softmax log_softmax _softmax _log_softmax")
def softmax(o, node, self, dim, dtype=None, half_to_float=False):
    self = o.cast(self, node.meta["val"].dtype)
    logarithm = "log" in node.target._opname
    if not self.rank:
        return o.Sub(self, self) if logarithm else o.Exp(o.Sub(self, self))
    return (o.LogSoftmax if logarithm else o.Softmax)(self, axis=dim)


@compose("softmin")
def softmin(input, dim=None, _stacklevel=3, dtype=None):
    if dim is None:
        return NotImplemented
    return torch.softmax(-input, dim, dtype=dtype)


@form("layer_norm")
def layer_norm(o, node, input, normalized_shape, weight=None, bias=None, eps=1e-5, cudnn_enable=True):
    if weight is None:
        weight = o.Expand(o.number(1, input.dtype), o.Slice(o.Shape(input), [-len(normalized_shape)], [END]))
    return o.LayerNormalization(input, weight, bias, axis=-len(normalized_shape), epsilon=eps)


@form("batch_norm")
def batch_norm(o, node, input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled=True):
    dtype = input.dtype
    if training or running_mean is None:
        axes = [dim for dim in range(input.rank) if dim != 1]
        sides = [-1, *[1] * (input.rank - 2)]
        centred = o.Sub(input, o.ReduceMean(input, axes, keepdims=1))
        spread = o.Sqrt(o.Add(o.ReduceMean(o.Mul(centred, centred), axes, keepdims=1), o.number(eps, dtype)))
        out = o.Div(centred, spread)
        out = out if weight is None else o.Mul(out, o.Reshape(weight, sides))
        return out if bias is None else o.Add(out, o.Reshape(bias, sides))
    channels = running_mean.shape[0]
    weight = o.array(np.ones(channels, dtype.numpy), dtype) if weight is None else weight
    bias = o.array(np.zeros(channels, dtype.numpy), dtype) if bias is None else bias
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
        raise OnnxExporterError(
            f"dropout in training draws random numbers{describe_line(node.meta.get('place'))}: export the model in evaluation, after model.eval()"
        )
    return o.Identity(input)
