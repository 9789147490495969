"""Conversions of tensors: what comes back is the tensor itself, a copy, or a recorded copy."""

import warnings

import numpy as np
import pytest

import tensh as torch
from tensh.engine.dtypes.dtype import ALL
from tensh.engine.errors import warnings as warning

NUMBERS = [name for name in ALL if name != "complex32"]
METHODS = {
    "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16", "int": "int32", "long": "int64",
    "short": "int16", "char": "int8", "byte": "uint8", "bool": "bool", "cfloat": "complex64", "cdouble": "complex128",
}  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_a_cast_to_the_own_dtype_is_the_tensor_itself(method):
    t = torch.ones(2, dtype=getattr(torch, METHODS[method]))
    assert getattr(t, method)() is t
    assert t.to(t.dtype) is t and t.type_as(t) is t and t.type(t.dtype) is t
    assert t.to(t.dtype, copy=True) is not t


@pytest.mark.parametrize("to", NUMBERS)
@pytest.mark.parametrize("source", NUMBERS)
def test_casts_between_all_dtypes(source, to):
    t = torch.tensor([0, 1, 3], dtype=getattr(torch, source))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # complex numbers lose their imaginary part
        result = t.to(getattr(torch, to))
    assert str(result.dtype) == f"torch.{to}"
    assert result.tolist() == ([False, True, True] if "bool" in (source, to) else [0, 1, 3])


@pytest.mark.parametrize("source", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("to", [name for name in NUMBERS if name not in ("uint32", "uint64")])
def test_casts_of_what_does_not_fit_agree_with_pytorch(oracle, source, to):
    values = [float("nan"), float("inf"), -float("inf"), 1e30, -1.5, -0.5, 300.7, 70000.0, -128.9, 255.9, 2.0**31]
    expected = oracle.tensor(values, dtype=getattr(oracle, source)).to(getattr(oracle, to))
    result = torch.tensor(values, dtype=getattr(torch, source)).to(getattr(torch, to))
    assert str(result.tolist()) == str(expected.tolist())


@pytest.mark.parametrize("to", ["float16", "bfloat16", "float64", "complex64"])
def test_gradients_pass_through_casts_in_their_own_dtype(to):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.to(getattr(torch, to))
    assert type(y.grad_fn).__name__ == "ToCopyBackward0"
    y.backward(torch.tensor([3.0, 4.0], dtype=y.dtype))
    assert x.grad.dtype is torch.float32 and x.grad.tolist() == [3, 4]


def test_second_derivatives_pass_through_casts():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (g,) = torch.autograd.grad((x.double() * x.double()).sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    assert h.tolist() == [2, 2]


def test_a_form_of_old_warns_once(monkeypatch):
    monkeypatch.setattr(warning, "said", set())
    message = (
        r"overload of add_ is deprecated:\n\tadd_\(Number alpha, Tensor other\)\n.* instead:\n\tadd_\(Tensor other, \*"
    )
    x = torch.ones(2)
    with pytest.warns(UserWarning, match=message) as found:
        x.add_(-0.5, torch.ones(2)).add_(2, torch.ones(2))
    assert len(found) == 1 and x.tolist() == [2.5, 2.5]


def test_a_grid_without_indexing_warns_once(monkeypatch):
    monkeypatch.setattr(warning, "said", set())
    with pytest.warns(UserWarning, match="torch.meshgrid: .* required to pass the indexing argument") as found:
        for _ in range(3):
            torch.meshgrid(torch.ones(2), torch.ones(3))
    assert len(found) == 1


V, M = torch.ones(2), torch.ones(2, 2)
OF_OLD = {
    "add": lambda: torch.add(V, 1, V), "add_": lambda: V.clone().add_(1, V), "sub": lambda: torch.sub(V, 1, V),
    "addcmul": lambda: torch.addcmul(V, 1, V, V), "addcdiv": lambda: V.addcdiv(1, V, V),
    "addmm": lambda: torch.addmm(1, M, 1, M, M), "addmm_": lambda: M.clone().addmm_(1, M, M),
    "addmv": lambda: torch.addmv(1, V, M, V), "addr": lambda: V.new_ones(2, 2).addr(1, V, V),
    "baddbmm": lambda: torch.baddbmm(1, M[None], M[None], M[None]), "addbmm": lambda: torch.addbmm(1, M, 1, M[None], M[None]),
    "T": lambda: torch.ones(2, 2, 2).T, "mT": lambda: torch.ones(()).mT, "out": lambda: torch.add(V, V, out=torch.ones(3)),
    "std": lambda: torch.ones(1).std(), "qr": lambda: torch.qr(M), "range": lambda: torch.range(0, 3),
}  # fmt: skip


@pytest.mark.parametrize("name", OF_OLD)
def test_a_warning_that_is_an_error_stays_what_it_is(name, monkeypatch):
    monkeypatch.setattr(warning, "said", set())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="deprecated|resized|degrees of freedom"):
            OF_OLD[name]()


def test_no_gradient_passes_through_integers():
    x = torch.tensor([1.5], requires_grad=True)
    assert not x.long().requires_grad and x.long().grad_fn is None


def test_complex_numbers_lose_their_imaginary_part_with_a_warning(monkeypatch):
    monkeypatch.setattr(warning, "said", set())
    with pytest.warns(UserWarning, match="discards the imaginary part"):
        assert torch.tensor([1 + 2j]).float().tolist() == [1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # once per process
        torch.tensor([1 + 2j]).float()


def test_what_is_said_once_may_be_said_always(monkeypatch):
    monkeypatch.setattr(warning, "said", set())
    torch.set_warn_always(True)
    try:
        with pytest.warns(UserWarning) as found:
            torch.tensor([1j]).float(), torch.tensor([1j]).float()
    finally:
        torch.set_warn_always(False)
    assert len(found) == 2


@pytest.mark.parametrize("dtype", NUMBERS)
def test_items_are_numbers_of_python(dtype):
    t = torch.ones(1, dtype=getattr(torch, dtype))
    kind = bool if dtype == "bool" else float if "float" in dtype else complex if "complex" in dtype else int
    assert type(t.item()) is kind and type(t.tolist()[0]) is kind


def test_numpy_shares_memory_and_writes_are_seen():
    t = torch.zeros(2, 3).t()
    array = t.numpy()
    assert array.strides == (4, 12)
    array[0, 0] = 5
    assert t.tolist()[0][0] == 5


def test_isinstance_of_legacy_types_follows_the_dtype():
    t = torch.ones(2)
    assert isinstance(t, torch.FloatTensor) and not isinstance(t.double(), torch.FloatTensor)
    assert isinstance(t.double(), torch.DoubleTensor) and isinstance(t.long(), torch.LongTensor)
    assert not issubclass(torch.FloatTensor, torch.Tensor)


def test_subclasses_are_made_by_the_legacy_constructor():
    class Named(torch.Tensor):
        pass

    t = Named([1, 2])
    assert type(t) is Named and t.tolist() == [1, 2] and type(t.as_subclass(torch.Tensor)) is torch.Tensor
    x = torch.ones(2, requires_grad=True)
    assert type(x.as_subclass(Named)) is Named and x.as_subclass(Named).requires_grad


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("cpu", -1), RuntimeError, "Device index must not be negative"),
        (("xyz", -1), RuntimeError, "Expected one of cpu"),
        (("cuda", 2**70), ValueError, "Overflow when unpacking long long"),
        (
            (f"cuda:{2**31}",),
            RuntimeError,
            "Could not parse device index '2147483648' in device string 'cuda:2147483648'",
        ),
        (("cuda:" + "9" * 5000,), RuntimeError, "Could not parse device index"),
    ],
)
def test_a_number_of_a_device_that_cannot_be(arguments, error, words):
    with pytest.raises(error, match=words):
        torch.device(*arguments)


def test_pinned_and_foreign_devices_are_refused():
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        torch.ones(2).to("cuda")
    torch.set_default_device("cuda")
    try:
        with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
            torch.ones(2)
    finally:
        torch.set_default_device(None)
    assert torch.get_default_device() == torch.device("cpu")
    with torch.device("cpu"):
        assert torch.ones(1).device == torch.device("cpu")


def test_dtype_facts():
    for name, dtype in ALL.items():
        assert repr(dtype) == f"torch.{name}" and getattr(torch, name) is dtype
        assert dtype.itemsize == (np.dtype(bool).itemsize if name == "bool" else dtype.numpy.itemsize)


NO_FREEDOM = [
    (torch.ones(1), None, 1),
    (torch.ones(0), None, 1),
    (torch.ones(3, 1), 1, 1),
    (torch.ones(3, 2), 0, 3),
    (torch.ones(3, 0), 0, 1),
]


@pytest.mark.parametrize("name", ["var", "std", "var_mean", "std_mean"])
@pytest.mark.parametrize("input, dim, correction", NO_FREEDOM)
def test_a_variance_without_degrees_of_freedom_warns_every_time(name, input, dim, correction):
    for _ in range(2):
        with pytest.warns(UserWarning, match=rf"^{name}\(\): degrees of freedom is <= 0\. Correction should be"):
            getattr(torch, name)(input, dim, correction=correction)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: torch.cross(torch.ones(3), torch.ones(3)), "Using torch.cross without specifying the dim"),
        (lambda: torch.ones(2, 3, 4).T, "The use of `x.T` on tensors of dimension other than 2"),
        (lambda: torch.tensor(1.0).mT, "Tensor.mT is deprecated on 0-D tensors"),
        (lambda: torch.tensor(1.0).H, "Tensor.H is deprecated on 0-D tensors"),
    ],
)
def test_what_is_deprecated_is_said_once(call, message, monkeypatch):
    monkeypatch.setattr(warning, "said", set())
    with pytest.warns(UserWarning, match=message) as told:
        call()
        call()
    assert len(told) == 1


def test_a_number_stands_for_the_dtype_of_its_tensor_in_to():
    assert [torch.ones(2).to(number).dtype for number in (1.5, True, 1j)] == [
        torch.float64, torch.bool, torch.complex128,
    ]  # fmt: skip


@pytest.mark.parametrize("writes", [0, 1, 2])
def test_marking_an_input_dirty_counts_as_a_write(writes):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            for _ in range(writes):
                x.mul_(2)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * 2**writes

    leaf = torch.ones(3, requires_grad=True)
    x = leaf * 1
    y = Double.apply(x)
    assert (y is x, x._version) == (True, writes + 1)
    y.sum().backward()
    assert leaf.grad.tolist() == [2**writes] * 3


def test_type_refuses_options_that_it_does_not_have():
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'foo'"):
        torch.ones(2).type(foo=1)
