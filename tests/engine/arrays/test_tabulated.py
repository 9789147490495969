"""Functions of many 16 bit numbers, which are looked up: the bits, strides and arguments of the function itself."""

import numpy as np
import pytest

import tensh as torch
from tensh.engine.arrays.tabulated import LEAST
from tensh.engine.codegen.vocabulary import OPS

EVERY = torch.tensor(np.arange(LEAST, dtype=np.uint16).view(np.int16))
MANY = torch.tensor(np.random.default_rng(0).permutation(2 * LEAST) % LEAST)
ARGUMENTS = {
    "round_decimals": (2,), "threshold": (0.3, 1.5), "threshold_over": (0.3, 1.5), "erfcx_derivative": (2,),
    "polygamma_of": (2,), "mvlgamma": (3,),
}  # fmt: skip


def functions_of_one_number():
    assert torch.nn.functional.relu  # which declares the activations
    return sorted(name for name, op in OPS.items() if op.pointwise and op.parallel and len(op.inputs) == 1)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", functions_of_one_number())
def test_many_numbers_have_the_bits_of_few(name, dtype):
    function, given = OPS[name].fn, ARGUMENTS.get(name, ())
    numbers = EVERY.view(dtype)
    try:
        few = torch.cat([function(part.clone(), *given) for part in numbers.split(LEAST // 2)])
    except (NotImplementedError, RuntimeError) as error:
        with pytest.raises(type(error)):
            function(numbers[MANY], *given)
        return
    many = function(numbers[MANY], *given)
    assert many.dtype is few.dtype
    found, wanted = many.double(), few.double()[MANY]
    assert torch.equal(found.nan_to_num(0.25), wanted.nan_to_num(0.25))
    assert torch.equal(found.signbit() | found.isnan(), wanted.signbit() | wanted.isnan())
    columns = numbers[MANY].reshape(256, -1).t()
    assert function(columns, *given).stride() == columns.stride()


def test_each_argument_has_a_table():
    x = EVERY.view(torch.float16)[MANY]
    for slope in (0.5, 0.25, 0.5):
        found = torch.nn.functional.leaky_relu(x, slope)[x == -2]
        assert found.unique().tolist() == [-2 * slope]


def test_a_look_up_is_written_into_the_tensor_itself():
    x = EVERY.view(torch.float16)[MANY]
    wanted, rows = x.floor(), x.reshape(2, -1)
    rows.floor_()
    assert torch.equal(x.nan_to_num(), wanted.nan_to_num())
    rows[0, ::2].ceil_()
    assert torch.equal(x.nan_to_num(), wanted.nan_to_num())


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("size", [1, 100, 10_000, LEAST + 1])
def test_relu_keeps_the_sign_of_zero(dtype, size):
    assert torch.full((size,), -0.0, dtype=dtype).relu().signbit().all()
