"""The workloads that ``bench.py`` times: for tensh and PyTorch, by hand in NumPy, and their budgets."""

from functools import cache, partial
from operator import add, getitem, matmul, mul
from typing import Any, NamedTuple

import numpy as np


class Case(NamedTuple):
    """A workload. ``ours(T)`` and ``by_hand()`` prepare it and return the function that runs it once."""

    name: str
    group: str
    budget: float  # against NumPy
    ours: Any
    by_hand: Any


def ones(*shape):
    return np.ones(shape, np.float32)


def leaf(T, *shape):
    return T.ones(*shape, requires_grad=True)


@cache
def squares(n):
    """Two matrices; all sides use the same memory, since its address changes the time by up to a half."""
    return ones(n, n), ones(n, n)


def tensors(T, n):
    return [T.from_numpy(array) for array in squares(n)]


# ── the work ─────────────────────────────────────────────────────────────────


def forward_and_backward(T):
    """y = (x + w) * (w + 1), and its gradients."""
    w, x = leaf(T, 1), leaf(T, 1)

    def work():
        y = (x + w) * (w + 1)
        y.backward()

    return work


def chain_rule_by_hand():
    """Compute y by hand: every product and sum of the backward pass, with gradients added to existing ones."""
    w, x, w_grad, x_grad = ones(1), ones(1), ones(1), ones(1)

    def work():
        nonlocal w_grad, x_grad
        a = x + w
        b = w + 1
        y = a * b
        g = np.ones_like(y)
        a_grad, b_grad = g * b, g * a
        x_grad = x_grad + a_grad
        w_grad = w_grad + (a_grad + b_grad)

    return work


def with_places(T):
    """Return a hundred products with recorded source locations, as at the prompt."""
    from tensh.graph.provenance import record_places

    w, x = leaf(T, 3), leaf(T, 3)

    def work():
        with record_places():
            for _ in range(100):
                w * x

    return work


def products_by_hand():
    w, x = ones(3), ones(3)

    def work():
        for _ in range(100):
            w * x

    return work


def network(inputs, hidden, outputs):
    """Weights that are the same for every module."""
    draw = np.random.default_rng(0)
    sizes = [(inputs, hidden), (hidden,), (hidden, outputs), (outputs,)]
    return [draw.normal(0, 0.1, size).astype(np.float32) for size in sizes]


def training_step(T, batch, *sizes):
    """Least squares with one hidden layer: forward, backward, and the step downhill."""
    parameters = [T.tensor(array, requires_grad=True) for array in network(*sizes)]
    data, target = T.ones(batch, sizes[0]), T.ones(batch, sizes[-1])

    def work():
        w1, b1, w2, b2 = parameters
        loss = ((T.tanh(data @ w1 + b1) @ w2 + b2 - target) ** 2).mean()
        loss.backward()
        with T.no_grad():
            for p in parameters:
                p -= 0.01 * p.grad
                p.grad = None

    return work


def training_step_by_hand(batch, *sizes):
    parameters = network(*sizes)
    data, target = ones(batch, sizes[0]), ones(batch, sizes[-1])

    def work():
        w1, b1, w2, b2 = parameters
        h = np.tanh(data @ w1 + b1)
        error = h @ w2 + b2 - target
        np.mean(error**2)
        g = (2.0 / error.size) * error
        gh = (g @ w2.T) * (1 - h * h)
        for p, grad in zip(parameters, (data.T @ gh, gh.sum(0), h.T @ g, g.sum(0)), strict=True):
            p -= 0.01 * grad

    return work


@cache
def picks(n):
    """Integers to index rows of a matrix with."""
    return np.random.default_rng(0).integers(0, n, (n, n))


def softmax_by_hand(n):
    x, _ = squares(n)

    def work():
        powers = np.exp(x - x.max(1, keepdims=True))
        return powers / powers.sum(1, keepdims=True)

    return work


def scatter_add(T, n):
    values, index = T.from_numpy(squares(n)[0].reshape(-1)), T.from_numpy(picks(n).reshape(-1))
    return lambda: T.zeros(n).scatter_add_(0, index, values)


def scatter_add_by_hand(n):
    values, index = squares(n)[0].reshape(-1), picks(n).reshape(-1)
    return lambda: np.add.at(np.zeros(n, np.float32), index, values)


# The time of a tiny operation is overhead; that of a large one must be its elements alone.
CASES = [
    Case("w + x", "tiny", 4.0, lambda T: partial(add, leaf(T, 3), leaf(T, 3)), lambda: partial(np.add, ones(3), ones(3))),
    Case("w * x", "tiny", 4.0, lambda T: partial(mul, leaf(T, 3), leaf(T, 3)), lambda: partial(mul, ones(3), ones(3))),
    Case("w + 1.0", "tiny", 4.0, lambda T: partial(add, leaf(T, 3), 1.0), lambda: partial(add, ones(3), 1.0)),
    # NumPy's loop of exp for AVX-512 takes two thirds of the time of the others: elsewhere 4.5 would do.
    Case("exp(w)", "tiny", 5.5, lambda T: partial(T.exp, leaf(T, 3)), lambda: partial(np.exp, ones(3))),
    Case("x * y, no grad", "tiny", 4.0, lambda T: partial(mul, T.ones(3), T.ones(3)), lambda: partial(mul, ones(3), ones(3))),
    Case("m.sum()", "tiny", 4.0, lambda T: leaf(T, 4, 4).sum, lambda: ones(4, 4).sum),
    Case("m.sum(0)", "tiny", 4.0, lambda T: partial(leaf(T, 4, 4).sum, 0), lambda: partial(ones(4, 4).sum, 0)),
    Case("m @ m", "tiny", 4.0, lambda T: partial(matmul, leaf(T, 4, 4), T.ones(4, 4)), lambda: partial(matmul, ones(4, 4), ones(4, 4))),
    Case("m.view(2, 8)", "tiny", 12.0, lambda T: partial(leaf(T, 4, 4).view, 2, 8), lambda: partial(ones(4, 4).reshape, 2, 8)),
    Case("m[0]", "tiny", 20.0, lambda T: partial(getitem, leaf(T, 4, 4), 0), lambda: partial(getitem, ones(4, 4), 0)),
    Case("x.add_(u)", "tiny", 4.0, lambda T: partial(T.ones(3).add_, T.ones(3)), lambda: partial(np.add, x := ones(3), ones(3), x)),
    Case("(x+w)*(w+1), backward", "tiny", 4.0, forward_and_backward, chain_rule_by_hand),
    Case("100 w * x, with places", "tiny", 8.0, with_places, products_by_hand),
    Case("step of 8-16-4", "train", 4.0, lambda T: training_step(T, 32, 8, 16, 4), lambda: training_step_by_hand(32, 8, 16, 4)),
    Case("step of 784-256-10", "train", 1.5, lambda T: training_step(T, 64, 784, 256, 10), lambda: training_step_by_hand(64, 784, 256, 10)),
    Case("x + y, 1024 x 1024", "large", 1.3, lambda T: partial(add, *tensors(T, 1024)), lambda: partial(add, *squares(1024))),
    Case("x.sum(), 1024 x 1024", "large", 1.3, lambda T: tensors(T, 1024)[0].sum, lambda: squares(1024)[0].sum),
    # NumPy's exp for AVX-512 is off by up to 2.4 units in half of the time that an exact one takes: elsewhere 1.5 would do.
    Case("x.exp(), 1024 x 1024", "large", 2.2, lambda T: tensors(T, 1024)[0].exp, lambda: partial(np.exp, squares(1024)[0])),
    Case("x.softmax(1), 1024 x 1024", "large", 0.9, lambda T: partial(tensors(T, 1024)[0].softmax, 1), lambda: softmax_by_hand(1024)),
    Case("x.cumsum(1), 1024 x 1024", "large", 0.8, lambda T: partial(tensors(T, 1024)[0].cumsum, 1), lambda: partial(np.cumsum, squares(1024)[0], 1)),
    Case("x.t() copied, 2048 x 2048", "large", 0.7, lambda T: tensors(T, 2048)[0].t().contiguous, lambda: squares(2048)[0].T.copy),
    Case("where(i > 500, x, y)", "large", 0.8, lambda T: partial(T.where, T.from_numpy(picks(1024) > 500), *tensors(T, 1024)), lambda: partial(np.where, picks(1024) > 500, *squares(1024))),
    Case("x.gather(1, i)", "large", 0.8, lambda T: partial(tensors(T, 1024)[0].gather, 1, T.from_numpy(picks(1024))), lambda: partial(np.take_along_axis, squares(1024)[0], picks(1024), 1)),
    Case("x.scatter_add_(0, i, y)", "large", 1.6, lambda T: scatter_add(T, 1024), lambda: scatter_add_by_hand(1024)),
    Case("x @ y, 256 x 256", "large", 1.3, lambda T: partial(matmul, *tensors(T, 256)), lambda: partial(matmul, *squares(256))),
]  # fmt: skip
