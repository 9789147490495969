"""Large arrays, computed in blocks on several cores: the same numbers as on one, and PyTorch's."""

import sys

import numpy as np
import pytest

import tensh as torch
from tensh.engine.arrays import threads
from tensh.engine.arrays.copying import copy_into
from tensh.engine.codegen import environment

pytestmark = pytest.mark.filterwarnings("error::DeprecationWarning")  # of NumPy
F = torch.nn.functional
SHAPE = 640, 660  # no whole number of blocks
LIMITS = {"PARALLEL", "PARALLEL_LIGHT", "SPREAD_SUMS"}
FEW, NEVER = 1 << 18, 1 << 62
THREADS = 1, 2, 3, 8

CHAINS = (
    "gelu silu softplus elu selu celu leaky_relu hardswish hardtanh relu6 hardsigmoid logsigmoid tanhshrink".split()
)
# name -> a function of x, y (floats of SHAPE), row (a vector), index (integers of SHAPE), and small (an index of a vector)
JOBS = {
    "exp": lambda x, **_: x.exp(),
    "sum and product": lambda x, y, row, **_: (x + y) * row,
    "column": lambda x, y, **_: x / (y[:, :1] + 2),
    "transposed": lambda x, y, **_: x.t() * y.t() + 1,
    "two orders": lambda x, y, **_: x.reshape(660, 640) * y.t(),
    "with gaps": lambda x, **_: x[:, ::2].tanh(),
    "power": lambda x, y, **_: (x.abs() + 0.1) ** y,
    "remainders": lambda x, y, **_: (torch.fmod(x, y), x % y, x.detach() // y.detach(), x % 0.3),
    "where": lambda x, y, **_: torch.where(x > y, x, y),
    "masked": lambda x, **_: x.masked_fill(x > 0.5, 2.0),
    "choices of doubles and over rows": lambda x, y, **_: (
        torch.where(x > y, x.double(), y.double()),
        torch.where(x > y, x, y[:1]),
        torch.where(x[:1] > 0, x, y),
        x.double().masked_fill(x > 0.5, 2.0),
        x.masked_fill(y[:1] > 0.5, 0),
    ),
    "choices in place": lambda x, y, **_: (
        (x * 1).masked_fill_(x > 0.5, 2.0),
        (x * 1).masked_fill_(y > 0, 0),
        torch.where(x > 0, x, y, out=y.detach() * 1) if not x.requires_grad else x,
        (x * 1).lerp_(y, 0.3),
        y.detach().half().lerp_(x.detach().half(), 0.7),
    ),
    "clamp": lambda x, **_: x.clamp(-0.5, 0.7),
    "the larger and the smaller": lambda x, y, **_: (torch.maximum(x, y), torch.minimum(x, y), torch.fmax(x, y)),
    "addcmul": lambda x, y, **_: torch.addcmul(x, x, y, value=0.3),
    "lerp": lambda x, y, **_: (torch.lerp(x, y, 0.3), torch.lerp(x, y[:1], 0.8), torch.lerp(x.t(), y.t(), 0.8)),
    "by way of float64": lambda x, **_: (x.exp2(), x.abs().log10(), x.sinh(), x.double().sinh()),
    "relu": lambda x, y, **_: (F.relu(x), F.relu_(y * 2), x.half().relu(), y.clamp(max=0.2)),
    "gelu": lambda x, **_: F.gelu(x),
    "elu": lambda x, **_: F.elu(x),
    "chains of steps": lambda x, y, **_: (
        *[getattr(F, name)(x * 3) for name in CHAINS],
        F.smooth_l1_loss(x, y, reduction="none"),
        torch.hypot(x, y),
        torch.erf(x) + torch.sin(y),
    ),
    "chains over columns": lambda x, **_: tuple(getattr(F, name)(x.t() * 3) for name in CHAINS if name != "logsigmoid"),
    "chains in place": lambda x, **_: tuple(
        f(x.detach().half(), inplace=True) for f in (F.elu, F.leaky_relu, F.hardtanh)
    ),
    "in place": lambda x, y, **_: (x * 1).add_(y, alpha=0.1).mul_(y.detach()).neg_(),
    "sum": lambda x, **_: x.sum(),
    "sum of columns": lambda x, **_: x.sum(0),
    "sum of rows": lambda x, **_: x.sum(1),
    "sum of trailing dimensions": lambda x, **_: (
        x.view(64, 10, 660).sum((1, 2)),
        x.view(64, 10, 660).mean(2, keepdim=True),
    ),
    "sum of all dimensions": lambda x, **_: x.view(64, 10, 660).sum((0, 1, 2)),
    "extremes": lambda x, **_: (x.amax(1), x.amin(), x.max(), x.view(64, 10, 660).max(2)[0], *x.detach().aminmax()),
    "product of all": lambda x, **_: x.sign().prod(),
    "sums of integers": lambda index, **_: (
        index.sum(),
        index.sum(1),
        index.int().sum(1),
        (index > 3).sum(1, keepdim=True),
    ),
    "sum of short rows": lambda x, **_: x.view(-1, 16).sum(1),
    "mean of few": lambda x, **_: x[:100].view(-1, 33).mean(1),
    "mean and variance": lambda x, **_: torch.var_mean(x, 1),
    "product": lambda x, **_: (x + 1).prod(1),
    "norm": lambda x, **_: x.norm(dim=1),
    "softmax": lambda x, **_: x.softmax(1),
    "softmax of short rows": lambda x, **_: x.view(4, -1, 20).softmax(2),
    "softmax across": lambda x, **_: x.view(4, 160, 660).softmax(1),
    "log_softmax of large": lambda x, **_: (x * 100).log_softmax(1),
    "logsumexp": lambda x, **_: x.logsumexp(1),
    "cumsum": lambda x, **_: x.cumsum(1),
    "cumsum of whole groups": lambda x, **_: x.view(-1, 320).cumsum(1),
    "cumsum across": lambda x, **_: x.cumsum(0),
    "cumprod": lambda x, **_: x.cumprod(1),
    "cumsum of integers": lambda index, **_: (index.cumsum(1), index.view(-1, 60).cumsum(1)),
    "cummax": lambda x, **_: x.cummax(1),
    "running values of short rows": lambda x, **_: (*x.view(-1, 12).cummin(1), x.view(-1, 12).cumprod(1)),
    "sort": lambda x, **_: x.sort(1),
    "topk": lambda x, **_: x.topk(5, 1),
    "gather": lambda x, index, **_: x.gather(1, index),
    "gather across": lambda x, index, **_: x.gather(0, index % 640),
    "take": lambda x, index, **_: x.take(index * 600),
    "rows": lambda x, small, **_: x[small[:700] % 640],
    "columns": lambda x, small, **_: x.index_select(1, small[:700] % 660),
    "scatter_add": lambda x, y, index, **_: x.scatter_add(1, index, y),
    "scatter_add across": lambda x, y, index, **_: x.scatter_add(0, index % 640, y),
    "scatter_add of many": lambda x, small, **_: torch.zeros(900).scatter_add_(0, small, x.view(-1)),
    "scatter": lambda x, index, **_: x.scatter(1, index, 3.0),
    "scatter_reduce": lambda x, y, index, **_: x.scatter_reduce(1, index, y, "mean"),
    "index_add": lambda x, y, small, **_: x.index_add(0, small[:640] % 640, y),
    "contiguous": lambda x, **_: x.t().contiguous(),
    "permuted": lambda x, **_: x.view(8, 80, 660).permute(2, 0, 1).contiguous(),
    "matrix product": lambda x, y, **_: x @ y.t(),
    "few rows": lambda x, y, **_: x[:40] @ y.t(),
    "few columns": lambda x, y, **_: torch.mm(x, y[:41].t()),
    "few sums": lambda x, y, **_: x[:, :20].t() @ y[:, :30],
    "stacks": lambda x, y, **_: x.view(16, 40, 660) @ y.view(16, 40, 660).mT,
    "one stack": lambda x, y, **_: torch.bmm(x[None], y.t()[None]),
    "one factor for a stack": lambda x, y, **_: x.view(16, 40, 660) @ y.t(),
    "two dimensions of stacks": lambda x, y, **_: x.view(2, 8, 40, 660) @ y.view(1, 16, 40, 660)[:, :8].mT,
    "matrix and vector": lambda x, row, **_: (x @ row, x.t() @ row[:640], torch.addmv(row[:640], x, row)),
    "integer product": lambda index, **_: index @ index.t(),
    "linear": lambda x, y, row, **_: F.linear(x, y[:300], row[:300]),
    "einsum": lambda x, y, **_: torch.einsum("bij,bkj->ibk", x.view(8, 80, 660), y.view(8, 80, 660)),
    "convolution": lambda x, y, row, **_: F.conv2d(
        x.view(11, 6, 80, 80), y.view(-1)[:1350].view(25, 6, 3, 3), row[:25], padding=1
    ),
    "convolution of one image": lambda x, y, **_: F.conv2d(
        x.view(1, 44, 80, 120), y.view(-1)[:79200].view(200, 44, 3, 3), padding=2, dilation=2
    ),
    "convolution of few images": lambda x, y, **_: (
        F.conv2d(x.view(4, 11, 80, 120), y.view(-1)[:6336].view(64, 11, 3, 3), padding=1),
        F.conv2d(x.view(2, 22, 80, 120), y.view(-1)[:52800].view(96, 22, 5, 5), stride=2),
        F.conv2d(x.view(3, 44, 40, 80), y.view(-1)[:1408].view(32, 44, 1, 1)),
    ),
    "convolution of groups": lambda x, y, **_: F.conv1d(
        x.view(33, 10, 1280), y.view(-1)[:600].view(20, 5, 6), groups=2
    ),
    "transposed convolution": lambda x, y, **_: F.conv_transpose2d(
        x.view(11, 6, 80, 80), y.view(-1)[:1350].view(6, 25, 3, 3), stride=2
    ),
    "batch_norm": lambda x, y, **_: F.batch_norm(x.view(8, 66, 800), None, None, y[0, :66], y[1, :66], True),
    "layer_norm": lambda x, y, **_: (
        F.layer_norm(x, (660,), y[0], y[1]),
        F.group_norm(x.view(8, 66, 800), 6, y[0, :66], y[1, :66]),
        F.batch_norm(x, None, None, y[0], y[1], True),
    ),
    "pooling": lambda x, y, **_: (
        F.avg_pool2d(x.view(11, 6, 80, 80), 2),
        F.avg_pool2d(y.view(11, 6, 80, 80), 3, 2, 1),
        F.max_pool2d(x.view(66, 80, 80), (3, 2), (2, 1), (1, 0)),
        *F.max_pool2d(y.view(11, 6, 80, 80), 2, return_indices=True),
    ),
    "attention": lambda x, y, **_: F.scaled_dot_product_attention(*[t.view(4, 4, 440, 60) for t in (x, y, x + y)]),
    "attention under masks": lambda x, y, **_: (
        F.scaled_dot_product_attention(*[t.view(4, 1, 1760, 60) for t in (x, y, x)], is_causal=True),
        F.scaled_dot_product_attention(
            *[t.view(22, 8, 40, 60) for t in (x, y, y)], (x > -1)[:22, :40].view(22, 1, 1, 40)
        ),
    ),
    "half": lambda x, **_: x.half().exp() + 1,
    "sums of halves": lambda x, **_: (x.half().sum(1), x.half().mean(), x.bfloat16().sum(0).float()),
    "integers": lambda index, **_: index * 3 + index // 7,
}


def arrays(grad=False):
    torch.manual_seed(0)
    x, y = (torch.randn(SHAPE, requires_grad=grad) for _ in range(2))
    index, small = torch.randint(0, SHAPE[1], SHAPE), torch.randint(0, 900, (SHAPE[0] * SHAPE[1],))
    return {"x": x, "y": y, "row": torch.randn(SHAPE[1]), "index": index, "small": small}


@pytest.fixture
def limits(monkeypatch):
    """Set from how many elements on jobs are handed out, light ones as well as others."""

    def limit(number):
        places = [vars(module) for name, module in sys.modules.items() if name.startswith("tensh.engine")]
        for place in (*places, environment.ENVIRONMENT):
            for name in LIMITS & place.keys():
                monkeypatch.setitem(place, name, number)

    return limit


def listed(result):
    return list(result) if isinstance(result, tuple) else [result]


def bits(tensors):
    return [(t.dtype, t.stride(), t.detach().contiguous().numpy().tobytes()) for t in tensors]


@pytest.mark.thorough
@pytest.mark.parametrize("name", JOBS)
def test_the_same_bits_on_any_number_of_threads(name, limits):
    limits(FEW)
    found = []
    for number in THREADS:
        torch.set_num_threads(number)
        given = arrays(grad="integers" not in name)
        results = listed(JOBS[name](**given))
        if any(t.requires_grad for t in results):
            sum((t.float() * t.float()).sum() for t in results if t.requires_grad).backward()
        found.append(bits(results + [each.grad for each in (given["x"], given["y"]) if each.grad is not None]))
    assert all(each == found[0] for each in found[1:])


ELEMENTS = list(JOBS)[: list(JOBS).index("in place") + 1]


@pytest.mark.thorough
@pytest.mark.parametrize("name", [*ELEMENTS, "half", "integers"])
def test_functions_of_elements_are_what_they_are_of_the_whole(name, limits):
    with torch.no_grad():
        limits(FEW)
        in_blocks = JOBS[name](**arrays())
        limits(NEVER)
        at_once = JOBS[name](**arrays())
    assert bits(listed(in_blocks)) == bits(listed(at_once))


@pytest.mark.parametrize("draw", ["rand", "randn", "rand64", "randn64", "exponential", "uniform", "cauchy"])
def test_random_numbers_come_in_the_same_order(draw, limits):
    limits(FEW)
    n = 300_007
    draws = {
        "rand": lambda: torch.rand(n),
        "randn": lambda: torch.randn(n),
        "rand64": lambda: torch.rand(n, dtype=torch.float64),
        "randn64": lambda: torch.randn(n, dtype=torch.float64),
        "exponential": lambda: torch.empty(n).exponential_(),
        "uniform": lambda: torch.empty(n).uniform_(-1, 3),
        "cauchy": lambda: torch.empty(n).cauchy_(),
    }
    found = []
    for number in THREADS:
        torch.set_num_threads(number)
        torch.manual_seed(5)
        found.append(bits([draws[draw](), torch.rand(3)]))
    assert all(each == found[0] for each in found[1:])


WIDTHS = [1, 2, 3, 16, 31, 32, 33, 64, 100, 128, 129, 191, 192, 700, 4097]
MANY = 9_000, 150_000, 300_000  # more than BLAS computes at once, than the cache holds, and than one core computes


@pytest.mark.thorough
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_sums_along_rows_are_exact_to_the_last_digits(width, dtype, limits):
    limits(FEW)
    torch.manual_seed(1)
    for many in MANY:
        x = torch.rand(many // width + 1, width, dtype=dtype) + 0.5
        exact = x.numpy().astype(np.longdouble)
        digits = 5 * torch.finfo(dtype).eps
        np.testing.assert_allclose(x.sum(1).numpy(), exact.sum(1), digits)
        one_by_one = digits if dtype == torch.float32 else 8 * digits  # doubles may be added one after the other
        np.testing.assert_allclose(x.cumsum(1).numpy(), exact.cumsum(1), one_by_one)
        np.testing.assert_allclose(x.flip(1).cumsum(1).numpy(), exact[:, ::-1].cumsum(1), one_by_one)
        near = 1 + (x - 1) / 1024
        np.testing.assert_allclose(
            near.prod().item(), near.numpy().astype(np.longdouble).prod(), 1e-6 if many > FEW else 1e-4
        )
        np.testing.assert_allclose(near.prod(1).numpy(), near.numpy().astype(np.longdouble).prod(1), width * digits)
        powers = np.exp(exact)
        np.testing.assert_allclose(x.softmax(1).numpy(), powers / powers.sum(1, keepdims=True), digits)


@pytest.mark.parametrize("width", [64, 128, 200, 1024])
@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_what_is_not_finite_stays_in_its_row(width, value, limits):
    limits(FEW)
    array = np.ones((300_000 // width, width), np.float32)
    array[7, width - 3] = array[9, 0] = value
    x = torch.from_numpy(array)
    np.testing.assert_array_equal(x.cumsum(1).numpy(), array.cumsum(1))
    np.testing.assert_array_equal(x.sum(1).numpy(), array.sum(1))
    np.testing.assert_array_equal(x.amax(1).numpy(), array.max(1))
    np.testing.assert_array_equal(x.max().numpy(), array.max())


LAYOUTS = {
    "rows": lambda a: a,
    "columns": lambda a: a.T,
    "gaps": lambda a: a[:, ::3],
    "backwards": lambda a: a[::-1],
    "three": lambda a: a.reshape(64, 10, -1).transpose(1, 0, 2),
    "four": lambda a: a.reshape(8, 8, 10, -1).transpose(3, 0, 2, 1),
    "expanded": lambda a: np.broadcast_to(a[:, :1], a.shape),
    "one row": lambda a: a.reshape(1, -1),
    "crowded lines": lambda a: a.reshape(-1)[: 1 << 16].reshape(256, 256).T,
    "channels last": lambda a: a.reshape(-1)[: 1 << 20].reshape(16, 64, 32, 32).transpose(0, 2, 3, 1),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i1"])
def test_copies_into_any_order(layout, dtype):
    array = LAYOUTS[layout]((np.arange(1280 * 1300) % 251).reshape(1280, 1300).astype(dtype))
    for order in "CF":
        out = np.empty(array.shape, array.dtype, order)
        copy_into(out, array)
        assert np.array_equal(out, array)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_results_lie_as_numpy_lays_them(layout):
    array = LAYOUTS[layout](np.random.default_rng(0).random((1280, 1300), np.float32))
    for kernel, others in (
        (np.exp, ()),
        (np.add, (np.float32(2) + np.zeros((), np.float32),)),
        (np.multiply, (array,)),
    ):
        result, expected = threads.parallel_map(kernel, (array, *others)), kernel(array, *others)
        assert result.strides == expected.strides or layout in ("backwards", "expanded")
        assert np.array_equal(result, expected)


@pytest.mark.parametrize("name", [name for name in JOBS if name not in ("sort", "topk", "half", "sums of halves")])
def test_large_results_are_those_of_pytorch(name, oracle, limits):
    limits(FEW)
    given = arrays()
    ours = listed(JOBS[name](**given))
    theirs = listed(as_in(oracle, name)(**{key: oracle.from_numpy(t.numpy()) for key, t in given.items()}))
    for one, other in zip(ours, theirs, strict=True):
        assert one.stride() == other.stride()
        near = 1e-3 if one.dtype is torch.float16 else 1e-4  # the last bit of the half, where PyTorch rounds once less
        np.testing.assert_allclose(one.numpy(), other.numpy(), near, near)


def as_in(oracle, name):
    """The job with PyTorch's names in place of tensh's."""
    job = JOBS[name]
    return type(job)(job.__code__, globals() | {"torch": oracle, "F": oracle.nn.functional}, name)
