"""Decompositions of the operators of derivatives: for derivatives of higher order."""

import math

from tensh._aten.calls import aten
from tensh._decomp.rules import rule, scalar

REDUCTIONS = {0: lambda g, input: g, 1: lambda g, input: g / input.numel(), 2: lambda g, input: g}


def choose(condition, value, other=0.0):
    """Return elements of one tensor where a condition holds, elsewhere of another, or a number."""
    other = scalar(other, value.dtype) if isinstance(other, (int, float)) else other
    return aten("where", condition, value, other)


# ── functions of elements ────────────────────────────────────────────────────
@rule("sigmoid_backward")
def sigmoid_backward(grad_output, output):
    return grad_output * (output * (1 - output))


@rule("tanh_backward")
def tanh_backward(grad_output, output):
    return grad_output * (1 - output * output)


@rule("threshold_backward")
def threshold_backward(grad_output, self, threshold):
    return choose(self > threshold, grad_output)


@rule("gelu_backward")
def gelu_backward(grad_output, self, *, approximate="none"):
    if approximate == "tanh":
        scale = math.sqrt(2 / math.pi)
        t = aten("tanh", scale * (self + 0.044715 * self * self * self))
        slope = scale * (1 + 3 * 0.044715 * self * self) * (1 - t * t)
        return grad_output * (0.5 * (1 + t) + 0.5 * self * slope)
    density = aten("exp", self * self * -0.5) / math.sqrt(2 * math.pi)
    return grad_output * (0.5 * (1 + aten("erf", self * math.sqrt(0.5))) + self * density)


@rule("silu_backward")
def silu_backward(grad_output, self):
    s = aten("sigmoid", self)
    return grad_output * s * (1 + self * (1 - s))


@rule("mish_backward")
def mish_backward(grad_output, self):
    t, s = aten("tanh", aten("softplus", self)), aten("sigmoid", self)
    return grad_output * (t + self * s * (1 - t * t))


@rule("softplus_backward")
def softplus_backward(grad_output, self, beta, threshold):
    return choose(self * beta > threshold, grad_output, grad_output * aten("sigmoid", self * beta))


@rule("log_sigmoid_backward")
def log_sigmoid_backward(grad_output, self, buffer):
    return grad_output * aten("sigmoid", -self)


@rule("elu_backward")
def elu_backward(grad_output, alpha, scale, input_scale, is_result, self_or_result):
    steep = self_or_result + alpha if is_result else aten("exp", self_or_result * input_scale) * (alpha * scale)
    steep = steep * input_scale
    return choose(self_or_result <= 0, grad_output * steep, grad_output * scale)


@rule("leaky_relu_backward")
def leaky_relu_backward(grad_output, self, negative_slope, self_is_result):
    return choose(self > 0, grad_output, grad_output * negative_slope)


@rule("hardtanh_backward")
def hardtanh_backward(grad_output, self, min_val, max_val):
    return choose(aten("logical_or", self <= min_val, self >= max_val), grad_output * 0, grad_output)


@rule("hardsigmoid_backward")
def hardsigmoid_backward(grad_output, self):
    return choose(aten("logical_and", self > -3, self < 3), grad_output * (1 / 6))


@rule("hardswish_backward")
def hardswish_backward(grad_output, self):
    middle = choose(self <= 3, grad_output * (self / 3 + 0.5), grad_output)
    return choose(self < -3, grad_output * 0, middle)


@rule("hardshrink_backward", "softshrink_backward")
def shrink_backward(grad_output, self, lambd):
    return choose(aten("logical_and", self >= -lambd, self <= lambd), grad_output * 0, grad_output)


@rule("logit_backward")
def logit_backward(grad_output, self, eps=None):
    slope = grad_output / (self * (1 - self))
    return slope if eps is None else choose(aten("logical_and", self >= eps, self <= 1 - eps), slope)


@rule("glu_backward")
def glu_backward(grad_output, self, dim):
    half = self.shape[dim] // 2
    a, b = aten("narrow", self, dim, 0, half), aten("narrow", self, dim, half, half)
    s = aten("sigmoid", b)
    return aten("cat", [grad_output * s, grad_output * a * s * (1 - s)], dim)


# ── along a dimension ────────────────────────────────────────────────────────
@rule("_softmax_backward_data")
def softmax_backward(grad_output, output, dim, input_dtype):
    g = grad_output * output
    return g - output * aten("sum", g, [dim], True)


@rule("_log_softmax_backward_data")
def log_softmax_backward(grad_output, output, dim, input_dtype):
    return grad_output - aten("exp", output) * aten("sum", grad_output, [dim], True)


@rule("select_backward")
def select_backward(grad_output, input_sizes, dim, index):
    return aten("select_scatter", aten("new_zeros", grad_output, input_sizes), grad_output, dim, index)


@rule("slice_backward")
def slice_backward(grad_output, input_sizes, dim, start, end, step):
    return aten("slice_scatter", aten("new_zeros", grad_output, input_sizes), grad_output, dim, start, end, step)


@rule("diagonal_backward")
def diagonal_backward(grad_output, input_sizes, offset, dim1, dim2):
    return aten("diagonal_scatter", aten("new_zeros", grad_output, input_sizes), grad_output, offset, dim1, dim2)


# ── losses ───────────────────────────────────────────────────────────────────
@rule("mse_loss_backward")
def mse_loss_backward(grad_output, self, target, reduction):
    return REDUCTIONS[reduction](grad_output * 2, self) * (self - target)


@rule("smooth_l1_loss_backward")
def smooth_l1_loss_backward(grad_output, self, target, reduction, beta):
    difference = self - target
    inside = difference / beta if beta else difference * 0
    slope = choose(aten("abs", difference) < beta, inside, aten("sign", difference))
    return REDUCTIONS[reduction](grad_output, self) * slope


@rule("huber_loss_backward")
def huber_loss_backward(grad_output, self, target, reduction, delta):
    difference = self - target
    slope = choose(aten("abs", difference) < delta, difference, aten("sign", difference) * delta)
    return REDUCTIONS[reduction](grad_output, self) * slope


@rule("soft_margin_loss_backward")
def soft_margin_loss_backward(grad_output, self, target, reduction):
    slope = -target * aten("sigmoid", -target * self)
    return REDUCTIONS[reduction](grad_output, self) * slope


@rule("binary_cross_entropy_backward")
def binary_cross_entropy_backward(grad_output, self, target, weight=None, reduction=1):
    slope = grad_output * (self - target) / aten("clamp", (1 - self) * self, 1e-12)
    slope = slope if weight is None else slope * weight
    return REDUCTIONS[reduction](slope, self)


@rule("native_dropout_backward")
def native_dropout_backward(grad_output, mask, scale):
    return grad_output * (mask * scale)
