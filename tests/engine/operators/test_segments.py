"""Reductions of segments: values, gradients and refusals are PyTorch's."""

import numpy as np
import pytest

import tensh as torch

REDUCTIONS = ("sum", "mean", "prod", "max", "min", "amax", "amin")
NUMBERS = np.random.default_rng(0).permutation(24) / 8 + 0.5
SHAPES = {
    "a vector": ((6,), {"lengths": [2, 0, 3, 1]}),
    "rows": ((6, 4), {"lengths": [2, 0, 3, 1]}),
    "rows of matrices": ((3, 4, 2), {"lengths": [1, 2]}),
    "columns": ((2, 6), {"lengths": [[2, 0, 4], [0, 5, 1]], "axis": 1}),
    "columns, from the end": ((2, 6), {"lengths": [[6], [6]], "axis": -1}),
    "in the middle": ((2, 3, 4), {"lengths": [[1, 2], [3, 0]], "axis": 1}),
    "offsets": ((6, 4), {"offsets": [0, 2, 2, 5, 6]}),
    "offsets of columns": ((2, 6), {"offsets": [[0, 2, 6], [1, 1, 4]], "axis": 1}),
    "offsets of a part": ((6, 4), {"offsets": [1, 3, 5]}),
    "lengths of a part": ((6, 4), {"lengths": [2, 3], "unsafe": True}),
    "no lengths": ((6, 4), {"lengths": [], "unsafe": True}),
    "nothing": ((0, 2), {"lengths": [0, 0]}),
    "no columns": ((2, 0), {"lengths": [2]}),
    "both": ((6,), {"lengths": [4, 2], "offsets": [0, 2, 6]}),
}


def run(module, shape, told, reduce, numbers=NUMBERS, dtype="float64", initial=None, kind="int64"):
    """Return (values and gradients, names of nodes)."""
    tell = {k: module.tensor(v, dtype=getattr(module, kind)) if isinstance(v, list) else v for k, v in told.items()}
    data = module.tensor(
        numbers[: int(np.prod(shape))].reshape(shape), dtype=getattr(module, dtype), requires_grad=True
    )
    out = module.segment_reduce(data, reduce, initial=initial, **tell)
    weights = module.arange(1, out.numel() + 1, dtype=out.dtype).reshape(out.shape)
    (slopes,) = module.autograd.grad(out, data, weights)
    arrays = [t.detach().to(module.float64).numpy() for t in (out, slopes)]
    return arrays, out.grad_fn.name(), str(out.dtype), str(slopes.dtype)


def assert_same(oracle, *case, rtol=1e-12, **options):
    (values, *facts), (expected, *others) = (run(module, *case, **options) for module in (torch, oracle))
    assert facts == others
    for one, other in zip(values, expected, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol)


@pytest.mark.parametrize("initial", [None, 2, 0.0])
@pytest.mark.parametrize("reduce", REDUCTIONS)
@pytest.mark.parametrize("name", SHAPES)
def test_values_and_gradients(oracle, name, reduce, initial):
    assert_same(oracle, *SHAPES[name], reduce, initial=initial)


@pytest.mark.parametrize("dtype, rtol", [("float32", 1e-6), ("float16", 5e-3), ("bfloat16", 3e-2)])
@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_reductions_in_every_dtype(oracle, reduce, dtype, rtol):
    assert_same(oracle, *SHAPES["rows"], reduce, dtype=dtype, kind="int32", rtol=rtol)


SPECIAL = {
    "ties": [1, 3, 3, 3, 2, 2],
    "zeros": [0, 3, 0, 0, 5, 4],
    "nan": [1, np.nan, 2, np.nan, np.nan, 5],
    "nan and zeros": [np.nan, 0, 0, 4, np.nan, np.inf],
    "infinite": [np.inf, 1, -np.inf, np.inf, 0, -np.inf],
}


@pytest.mark.parametrize("initial", [None, 2, 0])
@pytest.mark.parametrize("reduce", REDUCTIONS[:5])
@pytest.mark.parametrize("name", SPECIAL)
def test_special_numbers(oracle, name, reduce, initial):
    assert_same(oracle, (6,), {"lengths": [2, 2, 2, 0]}, reduce, numbers=np.array(SPECIAL[name]), initial=initial)


def test_equal_extremes_share_a_gradient_of_any_sign():
    data = torch.tensor([1.0, 3.0, 3.0], requires_grad=True)
    out = torch.segment_reduce(data, "max", lengths=torch.tensor([3]))
    (slopes,) = torch.autograd.grad(out, data, torch.tensor([-1.0]))
    assert slopes.tolist() == [0, -0.5, -0.5]


def test_halves_are_summed_in_single_precision():
    out = torch.segment_reduce(torch.full((1000,), 0.125).half(), "mean", lengths=torch.tensor([1000]))
    assert out.tolist() == [0.125]


@pytest.mark.parametrize("reduce", REDUCTIONS[:5])
@pytest.mark.parametrize("told", [{"lengths": [2, 0, 1, 1]}, {"offsets": [[0, 2], [1, 3], [0, 0]], "axis": 1}])
def test_batches_are_computed_at_once(told, reduce, monkeypatch):
    """Data and gradients that vary, alone and together, by one map and by two."""
    from tensh.engine.dispatch.vmap import dispatch

    monkeypatch.setattr(dispatch, "call_by_samples", None)
    tell = {k: torch.tensor(v) if isinstance(v, list) else v for k, v in told.items()}
    shape = (4, 2) if "lengths" in told else (3, 4)
    data = torch.tensor(np.resize(NUMBERS, (5, 2, *shape)))

    def fold(x):
        return torch.segment_reduce(x, reduce, **tell)

    def slope(x, g):
        return torch.func.vjp(fold, x)[1](g)[0]

    expected = torch.stack([torch.stack([fold(x) for x in xs]) for xs in data])
    assert torch.equal(torch.vmap(torch.vmap(fold))(data).nan_to_num(), expected.nan_to_num())
    weights = torch.arange(1.0, expected.numel() + 1, dtype=torch.float64).reshape(expected.shape)
    one, other = data[:, 0], weights[:, 0]
    for places in (0, 0), (0, None), (None, 0):
        xs, gs = one if places[0] == 0 else one[0], other if places[1] == 0 else other[0]
        pairs = [(xs[i] if places[0] == 0 else xs, gs[i] if places[1] == 0 else gs) for i in range(5)]
        wanted = torch.stack([slope(x, g) for x, g in pairs])
        assert torch.equal(torch.vmap(slope, places)(xs, gs), wanted)


def test_lengths_may_vary():
    data, lengths = torch.arange(12.0).reshape(2, 6), torch.tensor([[1, 5], [4, 2]])
    out = torch.vmap(lambda x, n: torch.segment_reduce(x, "sum", lengths=n))(data, lengths)
    assert out.tolist() == [[0, 15], [30, 21]]


REFUSED = """
S(x, "sum")
S(x, "foo")
S(x, "foo", lengths=n)
S(x, "foo", axis=4)
S(x, "sum", axis=1, lengths=n)
S(x, "sum", indices=n)
S(x, "sum", indices=n, lengths=n)
S(x, "sum", lengths=module.tensor([2, 3]))
S(x, "sum", lengths=module.tensor([7, -1]))
S(x, "sum", lengths=module.tensor([7, -1]), unsafe=True)
S(x, "sum", lengths=module.tensor([2.0, 4.0]))
S(x, "sum", lengths=n.short())
S(x, "sum", lengths=n[:0])
S(x, "sum", lengths=n[None])
S(x, "sum", lengths=n[0])
S(x, "sum", offsets=n[None])
S(x, "sum", offsets=n[0])
S(x, "sum", offsets=n[:0])
S(x, "sum", offsets=module.tensor([0, 4, 2, 6]))
S(x, "sum", offsets=module.tensor([0.0, 6.0]))
S(x.long(), "sum", lengths=n)
S(x.to(module.complex64), "sum", lengths=n)
S(x, "sum", n)
S(x)
S(x, 3, lengths=n)
S([1.0], "sum", lengths=n)
S(x, "sum", lengths=[2, 4])
S(x, "sum", lengths=n, axis=0.5)
S(x, "sum", lengths=n, unsafe=1)
S(x, "sum", lengths=n, initial="a")
S(x, "sum", lengths=n, initial=1j)
S(x, "sum", lengths=n, out=x)
module.autograd.grad(module.autograd.grad(S(x, "sum", lengths=n).sum(), x, create_graph=True)[0].sum(), x)
""".strip().split("\n")


def refusal(module, code):
    x, n = module.arange(6.0, requires_grad=True), module.tensor([2, 4])
    with pytest.raises(Exception) as caught:
        eval(code, {"module": module, "S": module.segment_reduce, "x": x, "n": n})
    return type(caught.value).__name__, str(caught.value)


@pytest.mark.parametrize("code", REFUSED)
def test_segments_are_refused_as_in_pytorch(oracle, code):
    assert refusal(torch, code) == refusal(oracle, code)


@pytest.mark.parametrize(
    "options",
    ["lengths=module.tensor([4, 4]), unsafe=True", "offsets=module.tensor([0, 9])", "offsets=module.tensor([-1, 6])"],
)
def test_segments_beyond_the_data_are_refused(options):
    kind, text = refusal(torch, f'S(x, "sum", {options})')
    assert kind == "RuntimeError" and text.startswith("segment_reduce(): segments reach beyond the 6 elements")
