"""The dtype in which two operands meet: tensors, 0-d tensors and numbers, as PyTorch promotes them."""

import pytest

import tensh as torch
from tests.recorded.answers import read_answers
from tests.recorded.promotion.cases import DEFAULTS, FILE, FUNCTIONS, answers


@pytest.fixture
def default(request):
    """One of the default dtypes, for the time of a test."""
    torch.set_default_dtype(getattr(torch, request.param))
    yield request.param
    torch.set_default_dtype(torch.float32)


GOLDEN = read_answers(FILE)


@pytest.mark.parametrize("default", DEFAULTS, indirect=True)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_result_dtypes(name, default):
    assert answers(torch, name) == GOLDEN[default][name]


def test_recorded_dtypes_are_pytorchs(oracle):
    for default in DEFAULTS:
        oracle.set_default_dtype(getattr(oracle, default))
        try:
            assert {name: answers(oracle, name) for name in FUNCTIONS} == GOLDEN[default]
        finally:
            oracle.set_default_dtype(oracle.float32)


# ── numbers ──────────────────────────────────────────────────────────────────
def test_integers_keep_the_low_bits_of_a_number():
    byte = torch.tensor([1, 2], dtype=torch.uint8)
    assert (
        (byte + 300).tolist() == [45, 46] and (byte - 3).tolist() == [254, 255] and (byte * -1).tolist() == [255, 254]
    )
    assert (torch.tensor([0], dtype=torch.int8) + 200).tolist() == [-56]
    assert (torch.tensor([1], dtype=torch.int32) + 2**31).tolist() == [-(2**31) + 1]
    assert (torch.tensor([1]) + 2**63).tolist() == [-(2**63) + 1]


@pytest.mark.parametrize("tensor", [torch.tensor([1]), torch.tensor([1.0])])
def test_a_number_of_more_than_64_bits_is_refused(tensor):
    if tensor.dtype is torch.float32:
        assert (tensor + 2.0**64).sum() > 0  # a float that is equal to the integer
    with pytest.raises(OverflowError, match="int too big to convert"):
        tensor + 2**64


def test_the_sign_of_zero_is_kept():
    one = torch.tensor([1.0])
    assert torch.copysign(one, 0.0).item() == 1 and torch.copysign(one, -0.0).item() == -1
    assert str(one * 0.0) == "tensor([0.])" and str(one * -0.0) == "tensor([-0.])"


def test_a_number_may_be_numpys():
    np = pytest.importorskip("numpy")
    x = torch.tensor([1, 2], dtype=torch.int16)
    assert (x + np.int64(1)).dtype is torch.int16 and (np.int64(1) + x).dtype is torch.int16
    assert (x * np.float64(2)).dtype is torch.float32 and (np.float32(2) - x).tolist() == [1.0, 0.0]


def test_two_numbers_make_a_tensor():
    assert torch.add(1, 2).dtype is torch.int64 and torch.mul(2, 1.5).item() == 3 and torch.div(1, 2).item() == 0.5
    with pytest.raises(TypeError, match=r"maximum\(\): argument 'input' \(position 1\) must be Tensor, not int"):
        torch.maximum(1, 2)


def test_recorded_operands_keep_their_dtype_of_gradient():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.tensor([3.0, 4.0], dtype=torch.float64, requires_grad=True)
    (x * y).sum().backward()
    assert x.grad.dtype is torch.float32 and y.grad.dtype is torch.float64
    z = torch.tensor([1.0], requires_grad=True)
    (z * torch.tensor([2j])).real.sum().backward()
    assert z.grad.dtype is torch.float32


# ── refusals ─────────────────────────────────────────────────────────────────
BOOL, INT, FLOAT = torch.tensor([True]), torch.tensor([2]), torch.tensor([2.0])
REFUSED = {
    "sub of bools": (lambda: BOOL - BOOL, RuntimeError, "with two bool tensors is not supported"),
    "sub of a bool": (lambda: FLOAT - BOOL, RuntimeError, "with a bool tensor is not supported"),
    "rsub of a bool": (lambda: 1 - BOOL, RuntimeError, "with a bool tensor is not supported"),
    "neg of a bool": (lambda: -BOOL, RuntimeError, "Negation, the `-` operator, on a bool tensor is not supported"),
    "invert of a float": (lambda: ~FLOAT, TypeError, "only implemented on integer and Boolean-type tensors"),
    "and of a float": (lambda: INT & 1.5, NotImplementedError, "\"bitwise_and_cpu\" not implemented for 'Float'"),
    "negative power": (lambda: INT**-1, RuntimeError, "Integers to negative integer powers are not allowed."),
    "floor_divide by 0": (lambda: INT // 0, RuntimeError, "ZeroDivisionError"),
    "remainder by 0": (lambda: INT % 0, RuntimeError, "ZeroDivisionError"),
    "add_ of a float": (lambda: INT.clone().add_(1.5), RuntimeError, "result type Float can't be cast to the desired output"),
    "div_ of integers": (lambda: INT.clone().div_(2), RuntimeError, "result type Float can't be cast to the desired output"),
    "a string": (lambda: FLOAT + "a", TypeError, r"unsupported operand type\(s\) for \+: 'Tensor' and 'str'"),
    "None": (lambda: FLOAT < None, TypeError, "'<' not supported between instances of 'Tensor' and 'NoneType'"),
    "function": (lambda: torch.add(FLOAT, "a"), TypeError, r"add\(\): argument 'other' \(position 2\) must be Tensor, not str"),
    "method": (lambda: FLOAT.add("a"), TypeError, r"add\(\): argument 'other' \(position 1\) must be Tensor, not str"),
    "in place": (lambda: FLOAT.add_("a"), TypeError, r"add_\(\): argument 'other' \(position 1\) must be Tensor, not str"),
    "forms": (lambda: torch.pow(FLOAT, "a"), TypeError, r"got \(Tensor, str\), but expected one of:\n \* \(Tensor input, Te"),
    "shapes": (lambda: torch.ones(2) + torch.ones(3), RuntimeError, r"a \(2\) must match the size of tensor b \(3\) at non"),
    "alpha": (lambda: torch.add(INT, INT, alpha=1.5), RuntimeError, "argument alpha must not be a floating point number"),
    "isclose": (lambda: torch.isclose(INT, FLOAT), RuntimeError, "Long did not match Float"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_promoted_is_refused_as_in_pytorch(what):
    run, kind, message = REFUSED[what]
    with pytest.raises(kind, match=message) as caught:
        run()
    assert type(caught.value) is kind
