"""Writes into many elements, which are computed block by block in place: they give the elements of the function itself."""

import numpy as np
import pytest

import tensh as torch

SIDE = 364  # a few more elements than a block has
CALLS = """
abs_() ceil_() frac_() neg_() reciprocal_() relu_() round_() sign_() sgn_() square_() sigmoid_() tanh_() exp_() rsqrt_()
deg2rad_() trunc_() logical_not_() nan_to_num_() logit_(0.1) erf_() conj_physical_() tril_() triu_(1) tril_(-3)
add_(y) sub_(y,alpha=2) mul_(y) div_(y) pow_(2) remainder_(y) copysign_(y) eq_(y) ne_(0) lt_(y) ge_(0) logical_and_(y)
logical_xor_(y) clamp_min_(0) clamp_max_(y) clamp_(0,1) clamp_(-1) clamp_(y,z) clamp_(None,z)
addcmul_(y,z) addcmul_(y,z,value=2) addcdiv_(y,z,value=3) lerp_(y,0.3) lerp_(y,0.7) lerp_(y,z)
addcmul_(row,column) lerp_(row,z) clamp_(row,column) copy_(y.t()) addcmul_(x,x) addcdiv_(x,x) lerp_(x,0.3) lerp_(y,x)
clamp_(x,y) sub_(x) eq_(x) addcmul_(x.t(),y) lerp_(x.t(),0.5) clamp_(x.t(),y) add_(x.t()) addcmul_(one,one) lerp_(one,one)
""".split()
DTYPES = (
    torch.float32,
    torch.float64,
    torch.float16,
    torch.bfloat16,
    torch.int64,
    torch.int32,
    torch.bool,
    torch.complex64,
)
LAYOUTS = {
    "rows": lambda a: a,
    "columns": lambda a: a.t().contiguous().t(),
    "gaps": lambda a: torch.cat([a, a], 1)[:, :SIDE],
    "every second": lambda a: torch.stack([a, a], 2)[..., 0],
}


def operands(dtype):
    """The operands by name, with nan, infinities and zeros of both signs among them."""
    rng = np.random.default_rng(0)
    found = {}
    for name, shape in {
        "x": (SIDE, SIDE),
        "y": (SIDE, SIDE),
        "z": (SIDE, SIDE),
        "row": (1, SIDE),
        "column": (SIDE, 1),
    }.items():
        array = rng.integers(-4, 5, shape) + (0 if dtype in (torch.int64, torch.int32) else rng.random(shape))
        if dtype.is_floating_point:
            array.reshape(-1)[:5] = [np.nan, np.inf, -np.inf, 0.0, -0.0]
            array.reshape(-1)[-2:] = [np.nan, -0.0]
        found[name] = torch.tensor(array).to(dtype)
    return found | {"one": torch.tensor(2).to(dtype)}


def bits(t):
    return np.ascontiguousarray(
        t.detach().resolve_conj().numpy() if t.dtype is not torch.bfloat16 else t.float().numpy()
    )


def run(call, names):
    try:
        return eval(f"x.{call}", {"torch": torch}, names)
    except Exception as error:
        return error


FEW = "abs_() frac_() logical_not_() tril_() eq_(y) clamp_(0,1) addcmul_(y,z,value=2) lerp_(y,0.3) addcmul_(x.t(),y)".split()
CASES = [(dtype, "rows", CALLS) for dtype in (torch.float32, torch.int64)]
CASES += [(dtype, "rows", FEW) for dtype in DTYPES] + [(torch.float32, layout, FEW) for layout in LAYOUTS]


@pytest.mark.parametrize(("dtype", "layout", "calls"), CASES)
def test_writes_give_what_the_function_gives(dtype, layout, calls):
    """Values and errors are those of a write that is recorded, which copies the result of the function."""
    for call in calls:
        if layout == "every second" and ("x.t()" in call or "(x" in call):
            continue
        straight, copied = operands(dtype), operands(dtype)
        straight["x"], copied["x"] = LAYOUTS[layout](straight["x"]), LAYOUTS[layout](copied["x"])
        x, before = straight["x"], straight["x"]._version
        written, function = run(call, straight), run(call.replace("_(", "(", 1), copied)
        if call.startswith("copy_"):
            function = copied["y"].t()
        if isinstance(written, Exception):
            assert "x.t()" in call or isinstance(function, Exception) or function.dtype is not dtype, call
            assert np.array_equal(bits(x).view(np.uint8), bits(copied["x"]).view(np.uint8)), call
            continue
        assert written is x and x._version == before + 1, call
        expected = bits(function.to(dtype))
        assert bits(x).dtype == expected.dtype and np.array_equal(
            bits(x), expected, equal_nan=dtype.is_floating_point
        ), call
        if dtype in (torch.float32, torch.float64):
            numbers = expected == expected
            assert np.array_equal(np.signbit(bits(x))[numbers], np.signbit(expected)[numbers]), call


@pytest.mark.parametrize(
    "call", ["addcmul_(y,z)", "addcdiv_(y,z)", "lerp_(y,0.5)", "lerp_(y,z)", "clamp_(0,1)", "relu_()", "tril_()"]
)
def test_recorded_writes_have_gradients(call):
    """A write into a tensor with a history gives the gradients of the function."""
    grads = []
    for name in (call, call.replace("_(", "(", 1)):
        given = {n: t.requires_grad_() for n, t in operands(torch.float64).items()}
        leaves = [given[n] for n in "xyz"]
        result = eval(f"(x * 1).{name}", {}, given)
        grads.append(torch.autograd.grad(result.nan_to_num(0, 0, 0).sum(), leaves, allow_unused=True))
    for one, other in zip(*grads, strict=True):
        assert (one is None) == (other is None)
        assert one is None or torch.equal(one.nan_to_num(), other.nan_to_num())


@pytest.mark.parametrize("call", ["addcmul_(y,z)", "lerp_(y,0.5)", "clamp_(y,z)", "square_()", "tril_()", "copy_(y)"])
def test_refused_writes_change_nothing(call):
    """A leaf that requires grad, and a tensor whose elements lie in one place, cannot be written."""
    given = operands(torch.float32)
    before = given["x"].clone()
    leaf = given | {"x": given["x"].requires_grad_()}
    assert isinstance(run(call, leaf), RuntimeError)
    assert np.array_equal(bits(given["x"]), bits(before), equal_nan=True)
    expanded = given | {"x": torch.ones(1, SIDE).expand(SIDE, SIDE)}
    if call != "tril_()":
        assert isinstance(run(call, expanded), RuntimeError)
    with torch.no_grad():
        assert eval(f"x.{call}", {}, leaf) is given["x"]


@pytest.mark.parametrize("share", [0.5, 0.01, 0.99, 0.0, 1.0])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_a_number_is_assigned_by_a_mask(dtype, share):
    """``x[mask] = number`` writes exactly the chosen elements, in any layout."""
    given = operands(dtype)["x"]
    for layout in LAYOUTS.values():
        x = given.clone()
        mask = torch.tensor(np.random.default_rng(1).random((SIDE, SIDE)) < share)
        expected = np.where(bits(mask), bits(torch.tensor(1).to(dtype)), bits(x))
        x = layout(x)
        x[mask] = 1
        assert np.array_equal(bits(x), expected, equal_nan=dtype.is_floating_point)
