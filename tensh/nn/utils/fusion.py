"""Fusion of a normalisation in evaluation with the layer before it."""

import copy

from tensh.engine import find_public
from tensh.nn.parameter import Parameter

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]


def _require_evaluation(layer, bn):
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")


def fuse_conv_bn_eval(conv, bn, transpose=False):
    """Make a convolution that computes ``bn(conv(x))`` of evaluation.

    ``transpose`` marks a transposed convolution. Raise AssertionError for layers in training, and without running
    statistics.

    >>> import tensh as torch
    >>> layer, norm = torch.nn.Conv1d(2, 3, 1).eval(), torch.nn.BatchNorm1d(3).eval()
    >>> fused, x = torch.nn.utils.fuse_conv_bn_eval(layer, norm), torch.ones(1, 2, 4)
    >>> torch.allclose(fused(x), norm(layer(x)), atol=1e-6)
    True
    """
    _require_evaluation(conv, bn)
    fused = copy.deepcopy(conv)
    statistics = bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    fused.weight, fused.bias = fuse_conv_bn_weights(fused.weight, fused.bias, *statistics, transpose)
    return fused


def fuse_conv_bn_weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, transpose=False):
    """Return the weight and bias of a convolution fused with a batch normalisation after it.

    Shapes: ``conv_w`` is the weight of the convolution, all others [out_channels]; None means zeros, or ones for
    ``bn_w``.

    >>> import tensh as torch
    >>> mean, var, one = torch.zeros(2), torch.ones(2), torch.ones(2)
    >>> norm = mean, var, 0.0, 3 * one, one
    >>> weight, bias = torch.nn.utils.fuse_conv_bn_weights(torch.ones(2, 1, 3), None, *norm)
    >>> weight.flatten(1).data[:, 0], bias.data
    (tensor([3., 3.]), tensor([1., 1.]))
    """
    conv_b = find_public("zeros_like")(bn_rm) if conv_b is None else conv_b
    bn_w = find_public("ones_like")(bn_rm) if bn_w is None else bn_w
    bn_b = find_public("zeros_like")(bn_rm) if bn_b is None else bn_b
    shape = [1] * conv_w.dim()
    shape[1 if transpose else 0] = -1
    deviation = (bn_rv + bn_eps).rsqrt()
    weight = (conv_w * (bn_w * deviation).reshape(shape)).to(conv_w.dtype)
    bias = ((conv_b - bn_rm) * deviation * bn_w + bn_b).to(conv_b.dtype)
    return Parameter(weight, conv_w.requires_grad), Parameter(bias, conv_b.requires_grad)


def fuse_linear_bn_eval(linear, bn):
    """Make a linear layer that computes ``bn(linear(x))`` of evaluation.

    Raise AssertionError for layers in training, without running statistics, and for numbers of features that do not
    fit.

    >>> import tensh as torch
    >>> layer, norm = torch.nn.Linear(2, 3).eval(), torch.nn.BatchNorm1d(3).eval()
    >>> fused, x = torch.nn.utils.fuse_linear_bn_eval(layer, norm), torch.ones(4, 2)
    >>> torch.allclose(fused(x), norm(layer(x)), atol=1e-6)
    True
    """
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
    """Return the weight and bias of a linear layer fused with a batch normalisation after it.

    Shapes: ``linear_w`` [out_features, in_features], all others [out_features]; a bias of None means zeros.

    >>> import tensh as torch
    >>> mean, var, one = torch.zeros(2), torch.ones(2), torch.ones(2)
    >>> norm = mean, var, 0.0, 3 * one, one
    >>> weight, bias = torch.nn.utils.fuse_linear_bn_weights(torch.ones(2, 3), None, *norm)
    >>> weight.flatten(1).data[:, 0], bias.data
    (tensor([3., 3.]), tensor([1., 1.]))
    """
    linear_b = find_public("zeros_like")(bn_rm) if linear_b is None else linear_b
    scale = bn_w * (bn_rv + bn_eps).rsqrt()
    weight = linear_w * scale.unsqueeze(-1).to(linear_w.dtype)
    bias = ((linear_b - bn_rm) * scale + bn_b).to(linear_b.dtype)
    return Parameter(weight, linear_w.requires_grad), Parameter(bias, linear_b.requires_grad)
