"""Costs of operations: peak memory in addition to the result, and arrays that are shared or copied."""

import gc
import sys
import tracemalloc

import numpy as np
import pytest

import tensh as torch
from tensh.nn import functional as F

pytestmark = pytest.mark.thorough


def peak(work):
    """The bytes that ``work`` takes at its peak beyond those that were taken before; its second call is measured."""
    work()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        result = work()
        return tracemalloc.get_traced_memory()[1] - before, result
    finally:
        tracemalloc.stop()


# ── gradients that arrive as transposed products ─────────────────────────────
PRODUCTS = {  # name -> the shape of a weight, and a function of it and random numbers of a shape
    "linear, one row": ((512, 768), (1, 768), lambda w, x: F.linear(x, w)),
    "linear, a vector": ((512, 768), (768,), lambda w, x: F.linear(x, w)),
    "linear, many rows": ((512, 768), (4, 8, 768), lambda w, x: F.linear(x, w, torch.ones(512, dtype=w.dtype))),
    "x @ w.T": ((512, 768), (3, 768), lambda w, x: x @ w.T),
    "w.T @ x": ((512, 768), (512, 3), lambda w, x: w.T @ x),
    "w @ x, a column": ((512, 768), (768, 1), lambda w, x: w @ x),
    "x @ w, a row": ((512, 768), (1, 512), lambda w, x: x @ w),
    "addmm": ((512, 768), (2, 768), lambda w, x: torch.addmm(torch.ones(1, dtype=w.dtype), x, w.t())),
    "addmm, first factor": ((512, 768), (512, 2), lambda w, x: torch.addmm(torch.ones(1, dtype=w.dtype), w.t(), x)),
    "bmm": ((4, 256, 384), (4, 2, 384), lambda w, x: torch.bmm(x, w.mT)),
    "bmm, first factor": ((4, 256, 384), (4, 256, 2), lambda w, x: torch.bmm(w.mT, x)),
    "baddbmm": ((4, 256, 384), (4, 1, 384), lambda w, x: torch.baddbmm(torch.ones(1, dtype=w.dtype), x, w.mT)),
    "einsum": ((512, 768), (2, 768), lambda w, x: torch.einsum("bi,oi->bo", x, w)),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_the_gradient_of_a_weight_lies_as_the_weight_and_is_made_once(name):
    shape, other, compute = PRODUCTS[name]
    torch.manual_seed(0)
    w, x = torch.randn(shape, requires_grad=True), torch.randn(other)

    def gradient():
        w.grad = None
        compute(w, x).sum().backward()
        return w.grad

    taken, grad = peak(gradient)
    assert grad.stride() == w.stride()
    assert taken < 1.5 * w.nbytes
    exact = torch.autograd.grad(compute(w.double(), x.double()).sum(), w)[0]
    assert torch.allclose(grad, exact, atol=1e-4)


def test_second_derivatives_of_transposed_factors():
    torch.manual_seed(0)
    x, w = (torch.randn(n, 3, dtype=torch.float64, requires_grad=True) for n in (2, 4))
    assert torch.autograd.gradgradcheck(lambda x, w: x @ w.T, (x, w))
    assert torch.autograd.gradgradcheck(lambda x, w: w.T.mT @ x.T, (x, w))
    assert torch.autograd.gradgradcheck(lambda x, w: torch.addmm(torch.ones(1, dtype=torch.float64), x, w.T), (x, w))
    assert torch.autograd.gradgradcheck(lambda x, w: torch.bmm(x[None], w.T[None]), (x, w))


SHARING = {  # name -> leaves of a 4 x 4 matrix each, and a result whose gradients reach them as views
    "one gradient for two": lambda a, b, g: (a.T + b).backward(g),
    "the transpose of what was given": lambda a, b, g: (a.T.backward(g), b.T.backward(g)),
    "parts of one array": lambda a, b, g: torch.cat([a, b]).backward(torch.cat([g, g])),
    "parts as views": lambda a, b, g: torch.stack([a.T, b.T]).backward(torch.stack([g, g])),
    "one leaf twice": lambda a, b, g: (a.T + a + b.T.T).backward(g),
    "through a hook that keeps": lambda a, b, g: (t := a.T, t.register_hook(KEPT.append), (t + b).backward(g)),
    "kept by a view": lambda a, b, g: (a.T + b.T).T.backward(g),
    "of equal views": lambda a, b, g: torch.where(torch.tensor(True), a.reshape(16), b.reshape(16)).backward(
        g.reshape(16)
    ),
}
KEPT = []


@pytest.mark.parametrize("name", SHARING)
def test_no_two_gradients_share_memory(name):
    a, b = torch.ones(4, 4, requires_grad=True), torch.ones(4, 4, requires_grad=True)
    g = torch.arange(16.0).reshape(4, 4)
    SHARING[name](a, b, g)
    arrays = [g.numpy(), a.grad.numpy(), b.grad.numpy()]
    for i, one in enumerate(arrays):
        assert not any(np.shares_memory(one, other) for other in arrays[i + 1 :])
    kept = a.grad.clone(), b.grad.clone()
    a.grad.mul_(2)
    assert g.equal(torch.arange(16.0).reshape(4, 4)) and b.grad.equal(kept[1])


# ── what Python does for an index ────────────────────────────────────────────
STATEMENTS = {  # statement -> the calls of Python functions that it may take; each once took twice as many
    "d[i, j]": 15,
    "d[:, i]": 14,
    "d[1, i]": 14,
    "d[k, k]": 10,
    "w[i, j]": 15,
    "d[i, j] = 1.0": 25,
    "d[i, j] = r": 20,
    "d[:, i] = 1.0": 25,
    "d[1, i] = r": 20,
    "d[k, k] = 1.0": 25,
    "d[i, j] += g[i, j]": 50,
    "d[k, k] += 1": 36,
    "d[1] += g[1]": 44,
    "d[1:2] *= 2": 38,
    "d[:, 1] += 1": 38,
}


@pytest.mark.parametrize("text", STATEMENTS)
def test_an_index_takes_few_calls(text):
    names = {
        "d": torch.zeros(3, 3), "g": torch.ones(3, 3), "w": torch.zeros(3, 3, requires_grad=True), "r": torch.ones(2),
        "i": torch.tensor([1, 2]), "j": torch.tensor([0, 1]), "k": torch.tensor(1),
    }  # fmt: skip
    code, calls = compile(text, "statement", "exec"), []
    exec(code, names)
    gc.disable()  # the end of what another test has left is no call of the statement
    sys.setprofile(lambda frame, event, _: calls.append(frame.f_code.co_name) if event == "call" else None)
    try:
        exec(code, names)
    finally:
        sys.setprofile(None)
        gc.enable()
    assert len(calls) < STATEMENTS[text], calls


# ── padding ──────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular", "constant"])
@pytest.mark.parametrize("dims", [1, 2, 3])
def test_padding_makes_its_result_and_nothing_else(mode, dims):
    x = torch.ones(2, 4, *(40,) * dims)
    taken, result = peak(lambda: F.pad(x, (2, 2) * dims, mode=mode))
    assert taken < 1.1 * result.nbytes + 10_000


# ── pooling ──────────────────────────────────────────────────────────────────
POOLS = {
    "fractional, 2": ((8, 16, 64, 64), lambda x: F.fractional_max_pool2d(x, 2, output_size=32)),
    "fractional, 3": ((2, 8, 32, 32, 32), lambda x: F.fractional_max_pool3d(x, 3, output_size=16)),
    "adaptive, 2": ((8, 16, 64, 64), lambda x: F.adaptive_max_pool2d(x, 32)),
    "adaptive, 3": ((2, 8, 32, 32, 32), lambda x: F.adaptive_max_pool3d(x, 20)),
}


@pytest.mark.parametrize("name", POOLS)
def test_pooling_does_not_gather_its_windows(name):
    shape, pool = POOLS[name]
    x = torch.ones(shape)
    taken, _ = peak(lambda: pool(x))
    assert taken < 4.2 * x.nbytes


# ── functions whose result is small, or of the size of the input ─────────────
LARGE = {  # name -> the memory it may take in sizes of the input, and the function of two tensors of numbers from 0 to 1
    "smooth_l1_loss": (1.6, lambda x, y: F.smooth_l1_loss(x, y)),
    "huber_loss": (1.6, lambda x, y: F.huber_loss(x, y)),
    "binary_cross_entropy": (1.6, lambda x, y: F.binary_cross_entropy(x, y)),
    "binary_cross_entropy_with_logits": (1.6, lambda x, y: F.binary_cross_entropy_with_logits(x, y)),
    "weighted": (1.6, lambda x, y: F.binary_cross_entropy_with_logits(x, y, y, pos_weight=y)),
    "soft_margin_loss": (1.6, lambda x, y: F.soft_margin_loss(x, y)),
    "histc": (1.0, lambda x, y: x.histc(10)),
    "histogram": (1.0, lambda x, y: torch.histogram(x, 10)),
    "cumsum": (1.6, lambda x, y: x.cumsum(0)),
    "cumsum of columns": (1.2, lambda x, y: x.view(1 << 12, -1).cumsum(0)),
    "cumprod": (1.2, lambda x, y: x.cumprod(0)),
    "cumprod of columns": (1.2, lambda x, y: x.view(1 << 12, -1).cumprod(0)),
    "logcumsumexp": (1.2, lambda x, y: x.logcumsumexp(0)),
}


@pytest.mark.parametrize("name", LARGE)
def test_what_is_made_on_the_way_is_small(name):
    most, compute = LARGE[name]
    torch.manual_seed(0)
    x, y = torch.rand(1 << 23), torch.rand(1 << 23)
    taken, _ = peak(lambda: compute(x, y))
    assert taken < most * x.nbytes
