"""Layers, losses, gradients and products that contain sums, and inputs for the measurement of their errors.

``exact`` gives the terms of each sum as the last dimension, in ``longdouble``.
"""

import itertools
from typing import Any, NamedTuple

import numpy as np

TITLE = "Gradients, losses and layers"
TEXT = """
Errors are relative to the sum of the absolute values of the summands. Inputs: 50 to 30,000 numbers for each number of the result,
uniform, normal, or all 0.1.
"""
SIZES = 50, 100, 150, 257, 300, 500, 700, 1000, 1300, 2000, 4898, 30_000
LARGE = 5_000
DISTRIBUTIONS = {
    "uniform": lambda r, shape: r.random(shape),
    "normal": lambda r, shape: r.standard_normal(shape),
    "constant": lambda r, shape: np.full(shape, 0.1),
}
K = 3  # sums computed together


class Sum(NamedTuple):
    """``call(T, x, y)`` of tensors [size, K], and ``terms(x, y)``, whose last dimension has the terms of each sum."""

    call: Any
    terms: Any
    mean: bool = False  # is the sum divided by the number of terms?
    positive: bool = False  # are the numbers between 0 and 1?


def gradient(make):
    """The gradient of a tensor: ``make(T, x)`` returns it and a result, whose gradient is ``y``."""

    def call(T, x, y):
        leaf, out = make(T, x)
        out.backward(y.reshape(out.shape))
        return leaf.grad

    return call


def leaf(T, x, *shape):
    return T.ones(shape, dtype=x.dtype, requires_grad=True)


def linear_bias(T, x):
    bias = leaf(T, x, K)
    return bias, T.nn.functional.linear(x, T.ones(K, K, dtype=x.dtype), bias)


def linear_weight(T, x):
    weight = leaf(T, x, K, K)
    return weight, T.nn.functional.linear(x, weight)


def broadcast(*shape):
    def make(T, x):
        part = leaf(T, x, *shape)
        return part, x + part

    return make


def batch_weight(name):
    def make(T, x):
        parts = {"weight": leaf(T, x, K), "bias": leaf(T, x, K)}
        zero, one = T.zeros(K, dtype=x.dtype), T.ones(K, dtype=x.dtype)
        return parts[name], T.nn.functional.batch_norm(x, zero, one, **parts, eps=0.0)

    return make


def images(x):
    """[size, K] as [1, K, size, 1]."""
    return x.t().reshape(1, K, -1, 1).contiguous()


def conv_gradient(name):
    def call(T, x, y):
        parts = {"weight": leaf(T, x, K, K, 1, 1), "bias": leaf(T, x, K)}
        T.nn.functional.conv2d(images(x), **parts).backward(images(y))
        return parts[name].grad.reshape(-1)

    return call


def running(name):
    def call(T, x, y):
        found = {"mean": T.zeros(K, dtype=x.dtype), "var": T.zeros(K, dtype=x.dtype)}
        T.nn.functional.batch_norm(x, found["mean"], found["var"], training=True, momentum=1.0)
        return found[name]

    return call


def into(T, x):
    return T.zeros(x.shape[0], dtype=T.int64)


def embedded(T, x):
    weight = leaf(T, x, 2, K)
    return weight, T.nn.functional.embedding(into(T, x), weight)


def loss(name, **options):
    return lambda T, x, y: getattr(T.nn.functional, name)(x, y, **options)


def columns(x, y):
    return x.T


def second(x, y):
    return y.T


def whole(terms):
    """The terms of one sum over all elements."""
    return lambda x, y: terms(x, y).reshape(1, -1)


def pairs(x, y):
    return y.T[:, None] * x.T[None]


def bent(d, beta):
    return np.where(d < beta, d * d / (2 * beta), d - beta / 2)


def span(x, y):
    mean = x.T.copy().sum(1, keepdims=True) / len(x)
    return (x.T - mean) ** 2 * (len(x) / (len(x) - 1))


FUNCTIONS = {
    "linear, gradient of bias": Sum(gradient(linear_bias), second),
    "linear, gradient of weight": Sum(gradient(linear_weight), pairs),
    "x + row, gradient": Sum(gradient(broadcast(1, K)), second),
    "x + number, gradient": Sum(gradient(broadcast()), whole(second)),
    "batch_norm, gradient of weight": Sum(gradient(batch_weight("weight")), lambda x, y: (x * y).T),
    "batch_norm, gradient of bias": Sum(gradient(batch_weight("bias")), second),
    "batch_norm, mean": Sum(running("mean"), columns, True),
    "batch_norm, variance": Sum(running("var"), span, True),
    "conv2d, gradient of weight": Sum(conv_gradient("weight"), lambda x, y: pairs(x, y).reshape(K * K, -1)),
    "conv2d, gradient of bias": Sum(conv_gradient("bias"), second),
    "embedding, gradient": Sum(lambda T, x, y: gradient(embedded)(T, x, y)[0], second),
    "scatter_add": Sum(
        lambda T, x, y: T.zeros(2, K, dtype=x.dtype).scatter_add(0, into(T, x)[:, None].expand(-1, K), x)[0], columns
    ),
    "index_add": Sum(lambda T, x, y: T.zeros(2, K, dtype=x.dtype).index_add(0, into(T, x), x)[0], columns),
    "index_put, accumulated": Sum(
        lambda T, x, y: T.zeros(2, K, dtype=x.dtype).index_put((into(T, x),), x, accumulate=True)[0], columns
    ),
    "segment_reduce": Sum(
        lambda T, x, y: T.segment_reduce(x, "sum", lengths=T.tensor([x.shape[0]]))[0], columns
    ),
    "bincount, weights": Sum(lambda T, x, y: T.bincount(into(T, x), x[:, 0].contiguous()), lambda x, y: x.T[:1]),
    "adaptive_avg_pool2d": Sum(lambda T, x, y: T.nn.functional.adaptive_avg_pool2d(images(x), 1).reshape(-1), columns, True),
    "avg_pool1d": Sum(lambda T, x, y: T.nn.functional.avg_pool1d(x.t().contiguous(), x.shape[0])[:, 0], columns, True),
    "mse_loss": Sum(loss("mse_loss"), whole(lambda x, y: (x - y) ** 2), True),
    "mse_loss, sum": Sum(loss("mse_loss", reduction="sum"), whole(lambda x, y: (x - y) ** 2)),
    "l1_loss": Sum(loss("l1_loss"), whole(lambda x, y: abs(x - y)), True),
    "smooth_l1_loss": Sum(loss("smooth_l1_loss"), whole(lambda x, y: bent(abs(x - y), 1)), True),
    "binary_cross_entropy": Sum(
        loss("binary_cross_entropy"),
        whole(lambda x, y: -(y * np.log(x) + (1 - y) * np.log1p(-x))), True, True,
    ),
    "kl_div": Sum(loss("kl_div", reduction="sum"), whole(lambda x, y: y * (np.log(y) - x)), positive=True),
    "nll_loss": Sum(lambda T, x, y: T.nn.functional.nll_loss(x, into(T, x)), lambda x, y: -x.T[:1], True),
    "dot": Sum(lambda T, x, y: T.dot(x[:, 0].contiguous(), y[:, 0].contiguous()), lambda x, y: (x * y).T[:1]),
    "mv": Sum(lambda T, x, y: T.mv(x.t().contiguous(), y[:, 0].contiguous()), lambda x, y: x.T * y[:, 0]),
    "mm": Sum(lambda T, x, y: (y.t() @ x).reshape(-1), lambda x, y: pairs(x, y).reshape(K * K, -1)),
    "einsum": Sum(lambda T, x, y: T.einsum("ik,ik->k", x, y), lambda x, y: (x * y).T),
    "linalg.vecdot": Sum(lambda T, x, y: T.linalg.vecdot(x.t(), y.t()), lambda x, y: (x * y).T),
    "cov": Sum(lambda T, x, y: T.cov(x.t()).diagonal(), span, True),
    "trace": Sum(lambda T, x, y: T.trace(T.diag(x[:900, 0])), lambda x, y: x.T[:1, :900]),
    "matrix_norm": Sum(lambda T, x, y: T.linalg.matrix_norm(x) ** 2, whole(lambda x, y: x * x)),
    "cdist": Sum(lambda T, x, y: T.cdist(x.t()[:1], y.t()[:1]).reshape(-1) ** 2, lambda x, y: ((x - y) ** 2).T[:1]),
}  # fmt: skip
ULP = {"f": ("float32", 2.0**-23), "d": ("float64", 2.0**-52)}


def measure_function(modules, name, sizes, dtypes="f d"):
    """Measure one function for some sizes."""
    case = FUNCTIONS[name]
    numbers = [each for each in DISTRIBUTIONS if not (case.positive and each == "normal")]
    for letter, size, distribution in itertools.product(dtypes.split(), sizes, numbers):
        r, (dtype, ulp) = np.random.default_rng(size), ULP[letter]
        x, y = (DISTRIBUTIONS[distribution](r, (size, K)).astype(dtype) for _ in range(2))
        terms = np.ascontiguousarray(case.terms(*(a.astype(np.longdouble) for a in (x, y))))
        share = terms.shape[-1] if case.mean else 1
        exact, scale = (a.reshape(-1) / share for a in (terms.sum(-1), abs(terms).sum(-1)))
        errors = []
        for T in modules:
            found = case.call(T, T.from_numpy(x), T.from_numpy(y)).detach().numpy()
            found = found.reshape(-1).astype(np.longdouble)
            with np.errstate(all="ignore"):
                error = np.where(found == exact, 0, abs(found - exact) / (scale * ulp))
            errors.append(float(np.nan_to_num(error[scale > 0], nan=np.inf).max(initial=0)))
        yield name, dtype, f"{distribution} {size}", tuple(errors)


def measure(modules, wanted, quick):
    """Yield (function, dtype, input, (error of each module)) for the functions that are ``wanted``."""
    for name in filter(wanted, FUNCTIONS):
        yield from measure_function(modules, name, [size for size in SIZES if not quick or size < LARGE])
