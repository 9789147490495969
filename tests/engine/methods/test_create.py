"""Creation beyond what sessions show: bits of ranges, memory, warnings, and that reading is the same both ways."""

import datetime
import decimal
import re
import warnings

import numpy as np
import pytest

import tensh as torch
from tensh.engine.dtypes.dtype import ALL
from tensh.engine.methods.creation import nested

FLOATS = ["float16", "bfloat16", "float32", "float64"]
random = np.random.default_rng(0)
STEPS = [(random.normal(), random.normal() + random.integers(1, 60), random.uniform(0.05, 0.9)) for _ in range(40)]
ENDS = [(random.normal() * 3, random.normal() * 10, int(random.integers(0, 150))) for _ in range(40)]


def bits(t):
    """The numbers of a tensor of either library, exactly."""
    return t.double().tolist()


# ── ranges, bit by bit ───────────────────────────────────────────────────────
@pytest.mark.parametrize("dtype", [*FLOATS, "int64", "int32", "uint8"])
def test_arange_has_the_bits_of_pytorch(oracle, dtype):
    for start, end, step in STEPS:
        if dtype in FLOATS:
            arguments = (start, end, step) if start < end else (start, end, -step)
        else:
            arguments = (int(start), int(start) + abs(int(end)), max(1, int(step * 4)))
        expected = oracle.arange(*arguments, dtype=getattr(oracle, dtype))
        assert bits(torch.arange(*arguments, dtype=getattr(torch, dtype))) == bits(expected), arguments


@pytest.mark.parametrize("dtype", [*FLOATS, "int64", "int32"])
def test_linspace_has_the_bits_of_pytorch(oracle, dtype):
    for arguments in ENDS:
        expected = oracle.linspace(*arguments, dtype=getattr(oracle, dtype))
        assert bits(torch.linspace(*arguments, dtype=getattr(torch, dtype))) == bits(expected), arguments


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_logspace_has_the_bits_of_pytorch(oracle, dtype):
    for start, end, steps in ENDS:
        arguments = (start, min(end, 9), steps, 2.5)
        expected = oracle.logspace(*arguments, dtype=getattr(oracle, dtype))
        assert bits(torch.logspace(*arguments, dtype=getattr(torch, dtype))) == bits(expected), arguments


def test_ends_of_linspace_are_met_exactly():
    for start, end, steps in ENDS:
        if steps > 1:
            values = torch.linspace(start, end, steps, dtype=torch.float64).tolist()
            assert (values[0], values[-1]) == (start, end)


# ── reading data ─────────────────────────────────────────────────────────────
DATA = [
    1.5, 3, True, 1j, [], [[], []], [1, 2.5], [True, False], [[1, 2], [3, 4]], [[1.0, True], (2, 3)], [1, 2j],
    [[[1.5]], [[2.5]]], (1, (2,)) and (1, 2), [2**62, -(2**62)],
]  # fmt: skip


@pytest.mark.parametrize("data", DATA, ids=repr)
def test_the_short_way_and_the_careful_way_agree(data):
    quick, careful = nested.read(data), nested.read_by_elements(data, None)
    assert (quick.dtype, quick.shape) == (careful.dtype, careful.shape)
    np.testing.assert_array_equal(quick, careful)


@pytest.mark.parametrize("name", [name for name in ALL if name != "complex32"])
@pytest.mark.parametrize("data", [[0, 1, 5], [0.5, 1.25, 100.0], [True, False, True]], ids=repr)
def test_the_short_way_and_the_careful_way_agree_in_every_dtype(data, name):
    if name == "uint64" and isinstance(data[0], float):
        pytest.skip("PyTorch refuses floats there")
    quick, careful = nested.read(data, ALL[name]), nested.read_by_elements(data, ALL[name])
    assert quick.dtype == careful.dtype == ALL[name].numpy
    assert quick.tolist() == careful.tolist()


def test_data_of_strange_sequences():
    class Row:
        def __len__(self):
            return 2

        def __getitem__(self, index):
            return [10, 20][index]

    assert torch.tensor([Row(), Row()]).tolist() == [[10, 20], [10, 20]]


# ── memory ───────────────────────────────────────────────────────────────────
def test_what_copies_and_what_shares():
    array = np.arange(4.0)
    assert np.shares_memory(torch.from_numpy(array).numpy(), array)
    assert np.shares_memory(torch.as_tensor(array).numpy(), array)
    assert np.shares_memory(torch.asarray(array).numpy(), array)
    assert not np.shares_memory(torch.tensor(array).numpy(), array)
    assert not np.shares_memory(torch.asarray(array, copy=True).numpy(), array)


def test_the_array_of_a_tensor_keeps_its_own_shape():
    array = np.arange(4.0)
    t = torch.from_numpy(array)
    array.shape = 2, 2
    assert t.shape == (4,)
    t.numpy().shape = 2, 2
    assert t.shape == (4,)


@pytest.mark.parametrize("make", ["zeros", "ones", "empty"])
def test_creation_gives_memory_of_its_own(make):
    one, two = (getattr(torch, make)(3) for _ in range(2))
    assert not np.shares_memory(one.numpy(), two.numpy())
    assert one.numpy().flags.writeable


# ── failures change nothing ──────────────────────────────────────────────────
@pytest.mark.parametrize(
    "call",
    [
        lambda out: torch.zeros(2, -1, out=out),
        lambda out: torch.zeros(2, out=out, dtype=torch.float64),
        lambda out: torch.arange(1, 5, 0, out=out),
        lambda out: torch.linspace(0, 1, -1, out=out),
        lambda out: torch.full((2,), 1j, out=out),
        lambda out: torch.eye(-1, out=out),
    ],
)
def test_a_refused_call_leaves_out_as_it_was(call):
    out = torch.ones(3)
    with pytest.raises(RuntimeError):
        call(out)
    assert out.tolist() == [1, 1, 1] and out._version == 0


def test_a_refused_default_leaves_the_default():
    for wrong in torch.int64, torch.complex64, "float32", None:
        with pytest.raises(TypeError):
            torch.set_default_dtype(wrong)
    assert torch.get_default_dtype() is torch.float32


# ── warnings ─────────────────────────────────────────────────────────────────
def test_a_copy_of_a_tensor_is_better_cloned():
    with pytest.warns(UserWarning, match=r"sourceTensor\.detach\(\)\.clone\(\).*rather than torch\.tensor"):
        torch.tensor(torch.ones(2))
    with pytest.warns(UserWarning, match=r"rather than tensor\.new_tensor"):
        torch.ones(1).new_tensor(torch.ones(2))


def test_arange_says_that_it_resizes():
    with pytest.warns(UserWarning, match=r"of shape \[5\] is 5 which does not match .* elements 3"):
        torch.arange(3, out=torch.zeros(5))


def test_zeros_resizes_silently():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        out = torch.ones(5)
        assert torch.zeros(2, 2, out=out) is out
    assert out.shape == (2, 2)


def test_range_is_deprecated():
    with pytest.warns(UserWarning, match="torch.range is deprecated"):
        assert torch.range(1, 2, 0.5).tolist() == [1, 1.5, 2]


def test_warnings_point_to_the_caller():
    for call in (lambda: torch.tensor(torch.ones(1)), lambda: torch.range(0, 1)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        assert [warning.filename for warning in caught] == [__file__]


# ── signatures ───────────────────────────────────────────────────────────────
def test_functions_show_true_signatures():
    import inspect

    assert list(inspect.signature(torch.zeros).parameters)[:4] == ["size", "out", "dtype", "layout"]
    assert list(inspect.signature(torch.tensor).parameters) == [
        "data",
        "dtype",
        "device",
        "requires_grad",
        "pin_memory",
    ]
    assert next(iter(inspect.signature(torch.zeros_like).parameters)) == "input"


NAMED = {
    "numpy.bytes_": np.bytes_(b"a"), "numpy.str_": np.str_("a"), "decimal.Decimal": decimal.Decimal(1), "torch.dtype": torch.float32,
    "torch._C.Generator": torch.Generator(), "datetime.date": datetime.date(2020, 1, 1), "Linear": torch.nn.Linear(1, 1),
}  # fmt: skip


@pytest.mark.parametrize("name, value", NAMED.items(), ids=NAMED)
def test_types_have_the_names_that_c_gives_them(name, value):
    text = (
        f"new(): invalid data type '{name}'" if isinstance(value, str | bytes) else f"Could not infer dtype of {name}"
    )
    with pytest.raises((TypeError, RuntimeError)) as refused:
        torch.tensor(value)
    assert str(refused.value) == text
    with pytest.raises(TypeError, match=rf"got \({re.escape(name)}, str\), but expected one of"):
        torch.rand(value, "a")
