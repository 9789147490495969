"""Python's protocols where memory matters: copies, pickles, NumPy, and what importing costs."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

import tensh as torch
from tensh.engine.errors import warnings
from tests.support.project import ROOT, plain_environment


def python(code):
    """The output of a fresh Python."""
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=plain_environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert not result.stderr, result.stderr
    return result.stdout


# ── importing ────────────────────────────────────────────────────────────────
def test_importing_tensh_loads_nothing_heavy():
    assert python("import sys, tensh; print('numpy' in sys.modules, 'tensh.engine' in sys.modules)") == "False False\n"


@pytest.mark.parametrize(
    ("first", "libraries"),
    [("", {"numpy"}), ("import numpy", {"threadpoolctl"})],  # which limits a loaded BLAS to one thread
)
def test_the_engine_loads_no_more_than_numpy_and_itself(first, libraries):
    loaded = python(
        f"import sys\n{first}\nbefore = set(sys.modules)\n"
        "import tensh; tensh.float32\n"
        "print(*sorted({m.split('.')[0] for m in set(sys.modules) - before}))"
    ).split()
    assert set(loaded) <= {"tensh", *libraries, *sys.stdlib_module_names}
    assert not {"typing_extensions", "asyncio", "unittest", "multiprocessing", "ssl"} & set(loaded)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'nothing_of_the_kind'"):
        torch.nothing_of_the_kind  # noqa: B018


def test_every_public_name_resolves():
    names = dir(torch)
    assert {"tensor", "Tensor", "float32", "FloatTensor", "cuda", "strided"} <= set(names)
    for name in names:
        getattr(torch, name)


def test_a_tensor_lists_the_names_of_pytorchs_tensors():
    class Tree(torch.Tensor):
        def dequantize(self):
            return self

    for x in torch.ones(2), torch.nn.Parameter(torch.ones(2)):
        assert "sum" in dir(x) and not {"array", "node", "dequantize"} & {*dir(x)}
    assert "dequantize" in dir(torch.ones(2).as_subclass(Tree))


# ── copies ───────────────────────────────────────────────────────────────────
def test_deepcopy_keeps_what_is_shared_and_shares_nothing_with_the_original():
    x = torch.arange(6.0).reshape(2, 3)
    for copied in copy.deepcopy([x, x[1], x.t(), x]), pickle.loads(pickle.dumps([x, x[1], x.t(), x])):
        a, row, turned, again = copied
        assert a is again
        a.numpy()[1, 0] = 100
        assert row.tolist() == [100, 4, 5] and turned.tolist()[0] == [0, 100]
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_copy_shares_memory():
    x = torch.zeros(2)
    y = copy.copy(x)
    y.numpy()[0] = 1
    assert y is not x and x.tolist() == [1, 0]


def test_a_copy_is_no_write():
    x = torch.ones(2, requires_grad=True)
    y = (x * x).sum()
    copy.copy(x), copy.copy(x.detach())
    y.backward()
    assert x.grad.tolist() == [2, 2]


def test_copies_keep_gradients_attributes_and_class():
    class Named(torch.Tensor):
        def new_empty(self, *args, **options):
            return super().new_empty(*args, **options).as_subclass(Named)

    x = Named([1.0, 2.0]).requires_grad_()
    x.title = "x"
    x.grad = torch.ones(2)
    y = copy.deepcopy(x)
    assert type(y) is Named and y.title == "x" and y.requires_grad and y.is_leaf
    assert y.grad.tolist() == [1, 1] and y.grad is not x.grad


def test_deepcopy_of_the_same_tensor_twice_is_one_tensor():
    x = torch.ones(2)
    a, b = copy.deepcopy((x, x))
    assert a is b


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "bfloat16", "float64", "complex64"])
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_of_every_kind(dtype, protocol):
    for t in torch.ones(2, 3, dtype=getattr(torch, dtype)), torch.tensor(1, dtype=getattr(torch, dtype)):
        again = pickle.loads(pickle.dumps(t, protocol))
        assert again.dtype is t.dtype and again.tolist() == t.tolist() and again.stride() == t.stride()


def pickled(value):
    return pickle.loads(pickle.dumps(value))


def foreign(values):
    """An array whose dtype object is equal to NumPy's own and not the same."""
    array = pickled(np.array(values))
    assert array.dtype is not np.dtype(array.dtype.name)
    return array


def stored(values):
    """The values by way of a pickled storage."""
    t = torch.tensor(values)
    return t.new_empty(0).set_(pickled(t.storage()))


def replaced(values):
    """The values as the new data of a tensor."""
    t = torch.empty(0)
    t.data = pickled(torch.tensor(values))
    return t


def loaded(values):
    """The values out of a worker of a loader."""
    loader = torch.utils.data.DataLoader([torch.tensor(values)], batch_size=None, num_workers=1)
    return next(iter(loader))


def write(values):
    """The values in memory that was there before."""
    t = torch.tensor(values)
    return torch.empty_like(t).copy_(pickled(t))


FROM_NUMPY = {
    "from_numpy": lambda values: torch.from_numpy(foreign(values)),
    "as_tensor": lambda values: torch.as_tensor(foreign(values)),
    "tensor": lambda values: torch.tensor(foreign(values)),
    "numbers of NumPy": lambda values: torch.tensor([pickled(np.array(each)[()]) for each in values]),
    "DLPack": lambda values: torch.from_dlpack(foreign(values)),
}
ARRIVALS = FROM_NUMPY | {
    "pickled": lambda values: pickled(torch.tensor(values)),
    "a pickled view": lambda values: pickled(torch.tensor([*values, 0])[:-1]),
    "copied from a pickle": lambda values: copy.deepcopy(pickled(torch.tensor(values))),
    "a pickled parameter": lambda values: pickled(torch.nn.Parameter(torch.tensor(values), False)).detach(),
    "a pickled storage": stored,
    "pickled sparse values": lambda values: pickled(torch.tensor([values]).to_sparse()).to_dense()[0],
    "written": write,
    "data": replaced,
    "a worker of a loader": loaded,
}


@pytest.mark.filterwarnings("ignore:TypedStorage")
@pytest.mark.parametrize("arrival", ARRIVALS)
@pytest.mark.parametrize("values", [[1.0, 2.0, 3.0], [1j, 2j, 3j], [1, 2, 3]], ids=["float", "complex", "int"])
def test_a_tensor_is_of_one_dtype_with_others_wherever_it_comes_from(arrival, values):
    """Operators that refuse mixed dtypes take both, either way round."""
    came, made = ARRIVALS[arrival](values), torch.tensor(values)
    if arrival in FROM_NUMPY:
        made = made.to(torch.tensor(np.array(values)).dtype)  # double, where Python's numbers are float
    places = torch.arange(3)
    for x, y in (came, made), (made, came):
        assert torch.allclose(x, y) and torch.isclose(x, y).all()
        assert torch.equal(x.clone().index_copy_(0, places, y), y)
        assert torch.equal(torch.zeros_like(x).scatter_add(0, places, y), y)
        assert torch.equal(torch.zeros_like(x).index_add(0, places, y), y)
        if not isinstance(values[0], int):
            assert torch.equal(x.lerp(y, 0.5), x)
            assert torch.equal(x[None] @ y, (x * y).sum()[None])


def test_pickles_load_without_pytorch():
    data = pickle.dumps([torch.ones(2), torch.float32, torch.Size([2]), torch.device("cpu"), torch.strided])
    code = f"import pickle, sys; print(pickle.loads({data!r})); print('torch' in sys.modules)"
    assert python(code) == (
        "[tensor([1., 1.]), torch.float32, torch.Size([2]), device(type='cpu'), torch.strided]\nFalse\n"
    )


# ── NumPy ────────────────────────────────────────────────────────────────────
def test_arrays_of_tensors_share_memory_unless_converted():
    t = torch.arange(3.0)
    assert np.shares_memory(np.asarray(t), t.numpy())
    assert not np.shares_memory(np.array(t), t.numpy())
    assert not np.shares_memory(np.asarray(t, np.float64), t.numpy())
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        np.array(t, np.float64, copy=False)


def test_numpy_functions_answer_with_tensors():
    t = torch.tensor([0.0, 1.0])
    assert isinstance(np.exp(t), torch.Tensor) and np.exp(t).dtype is torch.float32
    assert isinstance(np.add(t, np.ones(2)), torch.Tensor)
    assert isinstance(t + np.ones(2), torch.Tensor) and isinstance(t @ np.ones(2), torch.Tensor)


def test_dlpack_shares_memory_both_ways():
    t = torch.zeros(2)
    array = np.from_dlpack(t)
    t.numpy()[0] = 3
    assert array.tolist() == [3, 0]
    if array.flags.writeable:  # NumPy 2.0 gives an array that must not be written, and hands out none that is such
        assert np.shares_memory(torch.from_dlpack(array).numpy(), array)
    assert t.__dlpack_device__() == (1, 0)


def test_writes_through_another_library_do_not_count():
    x = torch.zeros(2)
    torch.from_dlpack(x).add_(1)
    assert x.tolist() == [1, 1] and x._version == 0


# ── numbers ──────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("kind", [float, complex])
def test_conversions_of_recorded_tensors_warn_once(monkeypatch, recwarn, kind):
    monkeypatch.setattr(warnings, "said", set())
    x = torch.tensor(1.0, requires_grad=True)
    with torch.no_grad():
        assert kind(x) == 1
    assert kind(x.detach()) == int(x) == 1 and not recwarn
    with pytest.warns(UserWarning, match="Converting a tensor with requires_grad=True to a scalar"):
        assert kind(x) == 1
    assert kind(x) == 1 and not recwarn


def test_tensors_are_hashed_by_identity():
    x = torch.ones(2)
    assert hash(x) == hash(x) and len({x, x, torch.ones(2)}) == 2


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: torch.isclose(torch.ones(1), torch.ones(1), rtol=-1.0), RuntimeError, "rtol must be greater than"),
        (lambda: torch.isclose(torch.ones(1), torch.ones(1), atol=-1.0), RuntimeError, "atol must be greater than"),
        (lambda: torch.hash_tensor(torch.ones(2, dtype=torch.complex64)), NotImplementedError, "for 'ComplexFloat'"),
    ],
)
def test_values_that_are_refused_by_keyword(call, error, words):
    with pytest.raises(error, match=words):
        call()
