"""``x[...]`` and functions of index tensors: random indices beside PyTorch."""

import random

import numpy as np
import pytest

import tensh as torch
from tests.recorded.expressions import cases as expressions


# ── random indices ───────────────────────────────────────────────────────────
def part(rng, n, rest):
    """One part of an index for a dimension of size ``n``, as a function of the module."""
    ends = [None, None, 0, 1, 2, -1, -2, n]
    numbers = [rng.randrange(-n, n) for _ in range(rng.randint(1, 3))]
    piece = slice(rng.choice(ends), rng.choice(ends), rng.choice((None, None, 2)))
    mask = np.random.default_rng(rng.randrange(10**6)).random(rest[: rng.choice((1, 1, 2))]) > 0.5
    return rng.choice([
        (1, lambda m, i=numbers[0]: i), (1, lambda m, s=piece: s),
        (1, lambda m: slice(None)), (0, lambda m: None), (1, lambda m: numbers), (1, lambda m: m.tensor(numbers)),
        (1, lambda m: m.tensor([numbers])), (1, lambda m: m.tensor(numbers[0])), (mask.ndim, lambda m: m.tensor(mask)),
        (1, lambda m: m.tensor(numbers, dtype=m.int32)), (0, lambda m: True),
    ])  # fmt: skip


def random_index(seed):
    """Return (shape, index as a function of the module, is it written to?)."""
    rng = random.Random(seed)
    shape = rng.choice([(3,), (2, 3), (3, 4), (2, 3, 4), (3, 2, 2), (2, 2, 2, 2)])
    parts, dim = [], 0
    while dim < len(shape) and rng.random() < 0.8:
        takes, make = part(rng, shape[dim], shape[dim:])
        parts.append(make)
        dim += takes
    if rng.random() < 0.3:
        parts.insert(rng.randint(0, len(parts)), lambda m: ...)
    alone = len(parts) == 1 and rng.random() < 0.7
    return shape, lambda m: parts[0](m) if alone else tuple(make(m) for make in parts), rng.random() < 0.5


def answer(m, seed, history):
    """What reading, or writing, at a random index gives: values, graph, gradients; or the error."""
    shape, index, writing = random_index(seed)
    x = m.tensor(np.arange(np.prod(shape), dtype=np.float64).reshape(shape) + 1).requires_grad_()
    base = (x * 1.0) if history else x.detach().clone()
    base = base.transpose(0, -1) if seed % 3 == 0 else base
    try:
        if writing:
            size = base.detach()[index(m)].shape
            value = m.tensor(np.arange(np.prod(tuple(size))).reshape(tuple(size)) * 10.0).requires_grad_(history)
            base[index(m)] = value if seed % 2 else 7.0
            found = base
        else:
            found = base[index(m)]
    except (IndexError, RuntimeError, TypeError, ValueError) as error:
        return type(error).__name__, str(error)
    facts = [tuple(found.shape), found.detach().tolist(), expressions.history(found.grad_fn), found._is_view()]
    if found.requires_grad:
        (g,) = m.autograd.grad((found * found * found).sum(), x, create_graph=True)
        facts.append(g.tolist())
        if g.requires_grad:
            facts.append(m.autograd.grad(g.sum(), x)[0].tolist())
    return facts


@pytest.mark.parametrize("first", range(0, 600, 100))
def test_random_indices(oracle, first):
    """Values, errors, graph and gradients of two orders are PyTorch's."""
    for seed in range(first, first + 100):
        for history in (False, True):
            expected, actual = answer(oracle, seed, history), answer(torch, seed, history)
            assert expected == actual, f"index {seed}: {random_index(seed)[1](torch)} of {random_index(seed)[0]}"


@pytest.mark.parametrize("seed", range(300))
def test_history_makes_no_difference(seed):
    """An index of many operators gives what one NumPy index gives, and shares memory where that does."""
    shape, index, writing = random_index(seed)
    x = torch.tensor(np.arange(np.prod(shape)).reshape(shape) * 1.0)
    try:
        plain, recorded = x[index(torch)], x.clone().requires_grad_()[index(torch)]
    except IndexError:
        return
    assert torch.equal(plain, recorded.detach())
    assert plain._is_view() == recorded._is_view() == np.shares_memory(plain.numpy(), x.numpy()) or not plain.numel()


# ── many numbers, of which one leads nowhere ─────────────────────────────────
MANY = 5000
WRITES = {  # name -> what adds numbers into ``d`` [1000, 8] at the rows ``i`` [5000]
    "index_put of rows": lambda d, i: d.index_put_((i,), torch.ones(MANY, 8), accumulate=True),
    "index_put of elements": lambda d, i: d.index_put_((i, torch.zeros_like(i)), torch.ones(MANY), accumulate=True),
    "index_put of transposed": lambda d, i: d.t().index_put_((torch.zeros_like(i), i), torch.ones(()), accumulate=True),
    "index_add": lambda d, i: d.index_add_(0, i, torch.ones(MANY, 8)),
    "index_add along rows": lambda d, i: d.t().contiguous().index_add_(1, i, torch.ones(8, MANY)),
    "scatter_add": lambda d, i: d.scatter_add_(0, i[:, None].expand(MANY, 8), torch.ones(MANY, 8)),
    "put": lambda d, i: d.put_(i * 8, torch.ones(MANY), accumulate=True),
    "assignment": lambda d, i: d.__setitem__((i, torch.zeros_like(i)), torch.ones(MANY)),
}


@pytest.mark.parametrize("wrong", [1000, -1001, 10**9])
@pytest.mark.parametrize("name", WRITES)
def test_a_number_outside_is_refused_before_anything_is_written(name, wrong):
    d, i = torch.zeros(1000, 8), torch.zeros(MANY, dtype=torch.int64)
    i[MANY // 2] = wrong
    with pytest.raises((IndexError, RuntimeError), match="out of (bounds|range)|self indexing axis"):
        WRITES[name](d, i)
    assert not d.any()


@pytest.mark.parametrize("shape", [(MANY,), (50, 100)])
def test_numbers_are_added_wherever_they_point(shape):
    rng = np.random.default_rng(0)
    i, j = rng.integers(-20, 20, shape), rng.integers(-8, 8, shape[-1:])
    values = rng.integers(0, 9, (*shape, 5)).astype(np.float32)
    expected = np.zeros((20, 8, 5), np.float32)
    np.add.at(expected, (i, j), values)
    d = torch.zeros(20, 8, 5)
    d.index_put_((torch.tensor(i), torch.tensor(j)), torch.tensor(values), accumulate=True)
    assert np.array_equal(d.numpy(), expected)


# ── one index for whole slices ───────────────────────────────────────────────
SLICED = {  # functions of (input, dim, expanded index, source)
    "gather": lambda x, d, i, y: torch.gather(x, d, i),
    "scatter_add": lambda x, d, i, y: x.scatter_add(d, i, y),
    "sum": lambda x, d, i, y: x.scatter_reduce(d, i, y, "sum"),
    "mean": lambda x, d, i, y: x.scatter_reduce(d, i, y, "mean", include_self=False),
    "amax": lambda x, d, i, y: x.scatter_reduce(d, i, y, "amax"),
}


@pytest.mark.parametrize(
    "shape, dim", [((20, 6), 0), ((3, 40, 5), 1), ((3, 40, 5), 0), ((4, 3, 9, 2), -2), ((4, 7), 1)]
)
@pytest.mark.parametrize("number", [0, 9, 700])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64])
def test_an_expanded_index_gives_the_bits_of_a_whole_one(shape, dim, number, dtype):
    torch.manual_seed(0)
    sizes = list(shape)
    sizes[dim] = number
    vector = torch.randint(shape[dim], (number,))
    index = vector.view([number if n == number and d == dim % len(shape) else 1 for d, n in enumerate(sizes)])
    x, y = (torch.randn(shape) * 8).to(dtype), (torch.randn(sizes) * 8).to(dtype)
    for name, function in SLICED.items():
        found, expected = (function(x, dim, i, y) for i in (index.expand(sizes), index.expand(sizes).contiguous()))
        assert torch.equal(found, expected), name
        if name == "scatter_add" and (dtype != torch.bfloat16 or dim % len(shape) in (0, len(shape) - 1)):
            assert torch.equal(x.index_add(dim, vector, y), expected)


@pytest.mark.parametrize("wrong", [-1, 3])
@pytest.mark.parametrize("dim", [0, 1])
def test_a_number_outside_in_an_expanded_index_is_named(wrong, dim):
    x, index = torch.zeros(3, 3, 2000), torch.tensor([0, wrong]).view([2 if d == dim else 1 for d in range(3)])
    index = index.expand([2 if d == dim else n for d, n in enumerate(x.shape)])
    for function in (torch.gather, lambda *args: torch.scatter_add(*args, torch.ones(index.shape))):
        with pytest.raises(RuntimeError, match=f"index {wrong} is out of bounds for dimension {dim} with size 3"):
            function(x, dim, index)


ROUNDED_ONCE = [(2, 0, torch.int64), (2, 1, torch.int64), (3, 0, torch.int64), (3, 2, torch.int64)]
ROUNDED_EACH = [(1, 0, torch.int64), (2, 0, torch.int32), (2, 1, torch.int32), (3, 0, torch.int32), (3, 1, torch.int64)]


@pytest.mark.parametrize("ndim, dim, dtype", ROUNDED_ONCE + ROUNDED_EACH)
@pytest.mark.parametrize("number", [2, 5000])
def test_index_add_rounds_16_bit_sums_as_pytorch_does(ndim, dim, dtype, number):
    x, index = torch.full((1,) * ndim, 256, dtype=torch.bfloat16), torch.zeros(number, dtype=dtype)
    source = torch.zeros([number if d == dim else 1 for d in range(ndim)], dtype=torch.bfloat16)
    source.narrow(dim, 0, 2).fill_(1)
    assert x.index_add(dim, index, source).item() == (258 if (ndim, dim, dtype) in ROUNDED_ONCE else 256)


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
@pytest.mark.parametrize("reduce", ["sum", "prod", "mean"])
@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("zeros", [(), (1,)])
def test_gradients_of_reductions_at_indices_agree_with_differences(dtype, reduce, include_self, zeros):
    torch.manual_seed(0)
    index, (x, y) = torch.tensor([0, 0, 1, 1]), (torch.randn(4, dtype=dtype) for _ in range(2))
    y[list(zeros)] = 0
    given = x.requires_grad_(), y.requires_grad_()

    def function(x, y):
        return x.scatter_reduce(0, index, y, reduce, include_self=include_self)

    assert torch.autograd.gradcheck(function, given) and torch.autograd.gradgradcheck(function, given)
