"""float16 converted by arithmetic on bits: every number, ties, subnormal ones and overflow, with NumPy's bits."""

import numpy as np
import pytest

import tensh as torch
from tensh.engine.arrays.halves import F2, F4, MANY, compute, convert

EVERY = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
FINITE = np.sort(EVERY[np.isfinite(EVERY)]).astype(np.float32)
TIES = ((FINITE[1:].astype(np.float64) + FINITE[:-1]) / 2).astype(np.float32)
FLOATS = {
    "finite": FINITE,
    "ties": TIES,
    "above ties": np.nextafter(TIES, np.float32(np.inf)),
    "below ties": np.nextafter(TIES, np.float32(-np.inf)),
    "tiny": np.linspace(-1e-7, 1e-7, MANY + 5, dtype=np.float32),
    "overflow": np.linspace(65000, 66000, MANY + 5, dtype=np.float32),
    "inf": np.full(MANY, -np.inf, np.float32),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, for the expected values
@pytest.mark.parametrize("name", FLOATS)
def test_float32_is_rounded_to_the_bits_of_numpy(name):
    assert convert(FLOATS[name], F2).tobytes() == FLOATS[name].astype(F2).tobytes()


@pytest.mark.parametrize("numbers", [EVERY, EVERY[np.isfinite(EVERY)]], ids=["every", "finite"])
def test_float16_is_widened_to_the_bits_of_numpy(numbers):
    wide = numbers.astype(F4)
    found = convert(numbers, F4)
    assert np.array_equal(found, wide, equal_nan=True)
    assert np.array_equal(np.signbit(found), np.signbit(wide))


@pytest.mark.parametrize("kernel", [np.add, np.subtract, np.multiply, np.divide])
@pytest.mark.parametrize("other", [EVERY[::-1].copy(), np.array(3.5, F2)], ids=["array", "number"])
def test_arithmetic_of_float16_is_that_of_numpy(kernel, other):
    with np.errstate(all="ignore"):
        assert np.array_equal(compute(kernel, EVERY, other), kernel(EVERY, other), equal_nan=True)


@pytest.mark.parametrize("shape", [(100, 50), (1, 70_000)])
def test_large_tensors_of_half_precision_add_as_small_ones(shape):
    x, y = torch.randn(shape).half(), torch.randn(shape).half()
    assert torch.equal(x + y, (x.float() + y.float()).half())
    assert torch.equal((x + y).flatten()[:7], x.flatten()[:7] + y.flatten()[:7])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("size", [8, 5000, 40000])
def test_numbers_are_not_rounded_where_they_multiply(dtype, size):
    x = torch.linspace(-3, 3, size).to(dtype).view(-1, 4)
    expected = (x.float() * 2.0315).to(dtype)
    assert torch.equal(x * 2.0315, expected)
    assert torch.equal(x.clone().mul_(2.0315), expected)
    assert torch.equal(x.t() * torch.tensor(2.0315), expected.t())
    assert torch.equal(x[::2, 1:3].clone().div_(2.0315), (x[::2, 1:3].float() / 2.0315).to(dtype))
    assert torch.equal(torch.vmap(lambda row: row * 2.0315)(x), expected)


# ── gradients ────────────────────────────────────────────────────────────────
GRADIENTS = {
    "quotient": lambda x: x / 65.792, "long quotient": lambda x: x / 65792.0, "product": lambda x: x * 1.0007, "power": lambda x: x.abs() ** 1.7,
    "mean": lambda x: x.mean(), "mean of columns": lambda x: x.mean(0),
}  # fmt: skip
"""Functions whose derivatives multiply or divide by numbers that 16 bits round or do not hold."""


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", GRADIENTS)
def test_derivatives_keep_numbers_in_float32(name, dtype):
    torch.manual_seed(0)
    x = torch.randn(300, 333).to(dtype).requires_grad_()
    plain, recorded, compiled = (
        torch.autograd.grad(function(x).sum(), x, create_graph=graph)[0]
        for function, graph in (
            (GRADIENTS[name], False),
            (GRADIENTS[name], True),
            (torch.compile(GRADIENTS[name]), False),
        )
    )
    assert torch.equal(plain, recorded) and torch.equal(plain, compiled)
    wide = x.detach().float().requires_grad_()
    exact = torch.autograd.grad(GRADIENTS[name](wide).sum(), wide)[0]
    torch.testing.assert_close(plain.float(), exact, rtol=3 * torch.finfo(dtype).eps, atol=1e-7)


ROWS = EVERY[np.isfinite(EVERY)][: 200 * 300].reshape(200, 300)


@pytest.mark.parametrize("kernel", [np.add, np.subtract, np.multiply, np.divide])
@pytest.mark.parametrize(
    "other", [ROWS[0], ROWS[:, :1], ROWS[::-1], ROWS.T[::2].T.repeat(2, 1)], ids=["row", "column", "turned", "copied"]
)
def test_arithmetic_of_float16_broadcasts(kernel, other):
    with np.errstate(all="ignore"):
        found, wanted = compute(kernel, ROWS, other), kernel(ROWS, other)
    assert np.array_equal(found, wanted, equal_nan=True)


@pytest.mark.parametrize(
    "array",
    [ROWS.T, ROWS[::2], ROWS[:, ::-1], ROWS.reshape(20, 10, 300).swapaxes(1, 2)],
    ids=["columns", "every second", "turned", "swapped"],
)
def test_conversions_keep_the_order_in_memory(array):
    wide = convert(array, F4)
    assert np.array_equal(wide, array.astype(F4)) and wide.strides == array.astype(F4, "K").strides
    back = convert(wide, F2)
    assert np.array_equal(back, array) and back.strides == wide.astype(F2, "K").strides


@pytest.mark.parametrize("name", ["amax", "amin", "max", "min", "argmax", "argmin", "aminmax"])
@pytest.mark.parametrize("dim", [{}, {"dim": 0}, {"dim": 1, "keepdim": True}])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_extremes_of_many_numbers_are_those_of_float32(name, dim, dtype):
    x = torch.randn(80, 90, generator=torch.Generator().manual_seed(0)).to(dtype)
    x[3, 5] = float("nan")
    found, wanted = (getattr(each, name)(**dim) for each in (x, x.float()))
    for one, other in zip(found, wanted, strict=True) if isinstance(found, tuple) else [(found, wanted)]:
        assert one.dtype is (dtype if other.is_floating_point() else torch.int64)
        assert torch.equal(one.float().nan_to_num(), other.float().nan_to_num())
