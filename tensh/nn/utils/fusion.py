"""A normalisation in evaluation, made part of the layer before it."""

import copy

from tensh.engine import named
from tensh.nn.parameter import Parameter


def _require_evaluation(layer, bn):
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")


def fuse_conv_bn_eval(conv, bn, transpose=False):
    """One convolution that does what ``bn(conv(x))`` does in evaluation."""
    _require_evaluation(conv, bn)
    fused = copy.deepcopy(conv)
    statistics = bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    fused.weight, fused.bias = fuse_conv_bn_weights(fused.weight, fused.bias, *statistics, transpose)
    return fused


def fuse_conv_bn_weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, transpose=False):
    """(weight, bias) of that convolution."""
    conv_b = named("zeros_like")(bn_rm) if conv_b is None else conv_b
    bn_w = named("ones_like")(bn_rm) if bn_w is None else bn_w
    bn_b = named("zeros_like")(bn_rm) if bn_b is None else bn_b
    shape = [1] * conv_w.dim()
    shape[1 if transpose else 0] = -1
    deviation = (bn_rv + bn_eps).rsqrt()
    weight = (conv_w * (bn_w * deviation).reshape(shape)).to(conv_w.dtype)
    bias = ((conv_b - bn_rm) * deviation * bn_w + bn_b).to(conv_b.dtype)
    return Parameter(weight, conv_w.requires_grad), Parameter(bias, conv_b.requires_grad)


def fuse_linear_bn_eval(linear, bn):
    """One linear layer that does what ``bn(linear(x))`` does in evaluation."""
    if linear.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if bn.num_features not in (1, linear.out_features):
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got "
            f"linear.out_features={linear.out_features} and bn.num_features={bn.num_features}"
        )
    _require_evaluation(linear, bn)
    fused = copy.deepcopy(linear)
    statistics = bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    fused.weight, fused.bias = fuse_linear_bn_weights(fused.weight, fused.bias, *statistics)
    return fused


def fuse_linear_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b):
    """(weight, bias) of that linear layer."""
    linear_b = named("zeros_like")(bn_rm) if linear_b is None else linear_b
    scale = bn_w * (bn_rv + bn_eps).rsqrt()
    weight = linear_w * scale.unsqueeze(-1).to(linear_w.dtype)
    bias = ((linear_b - bn_rm) * scale + bn_b).to(linear_b.dtype)
    return Parameter(weight, linear_w.requires_grad), Parameter(bias, linear_b.requires_grad)
