"""Results that are written straight into a tensor, in place or as ``out=``: bit for bit those of the function."""

import pytest

import tensh as torch

UNARY = """abs acos asin atan ceil cos cosh deg2rad erf erfc exp exp2 expm1 floor frac log log10 log1p log2 logit
    nan_to_num neg reciprocal round rsqrt sgn sigmoid sign sin sinc sinh sqrt square tan tanh trunc""".split()
CALLS = {  # text of a call of x, y and z; "_" stands for the suffix of the form in place
    **{name: f"{name}(x)" for name in UNARY},
    "clamp": "clamp(x, -0.5, 0.5)",
    "clamp, one bound": "clamp(x, min=0.1)",
    "clamp, tensors": "clamp(x, y, z)",
    "lerp from the input": "lerp(x, y, 0.3)",
    "lerp from the end": "lerp(x, y, 0.7)",
    "lerp, a tensor": "lerp(x, y, z)",
    "addcmul": "addcmul(x, y, z)",
    "addcmul, a value": "addcmul(x, y, z, value=0.5)",
    "addcdiv, a value": "addcdiv(x, y, z, value=0.5)",
    "add": "add(x, y)",
    "add, alpha": "add(x, y, alpha=0.3)",
    "sub, alpha": "sub(x, y, alpha=0.3)",
    **{f"tril {n}": f"tril(x, {n})" for n in (-1000, -70, -1, 0, 2, 70, 1000)},
    **{f"triu {n}": f"triu(x, {n})" for n in (-1000, -70, -1, 0, 2, 70, 1000)},
}
SHAPES = [(8, 8), (100, 90), (300, 500)]  # as a copy; straight; in blocks


def call(text, x, y, z, out=None):
    """Evaluate the text of a call, with ``out=`` if given."""
    text = text if out is None else f"{text[:-1]}, out=out)"
    return eval(f"torch.{text}", {"torch": torch, "x": x, "y": y, "z": z, "out": out})


def call_in_place(text, x, y, z):
    """Evaluate the text of a call as the method that writes into ``x``."""
    name, _, rest = text.partition("(x")
    return eval(f"x.{name}_({rest.removeprefix(',')}", {"x": x, "y": y, "z": z})


def same(one, two):
    """Return True if two tensors of float32 have the same bits."""
    return torch.equal(one.contiguous().view(torch.int32), two.contiguous().view(torch.int32))


@pytest.mark.parametrize("name", CALLS)
def test_written_results_have_the_bits_of_the_function(name):
    text, random = CALLS[name], torch.Generator().manual_seed(0)
    for shape in SHAPES:
        x, y, z = torch.randn(3, *shape, generator=random).unbind()
        z = z.abs() + 0.1
        expected = call(text, x, y, z)
        out = torch.empty(shape)
        assert call(text, x, y, z, out) is out and same(out, expected)
        view = torch.zeros(2 * shape[0], shape[1] + 1)[::2, 1:]
        assert call(text, x, y, z, view) is view and same(view, expected)
        for target in (x.clone(), view.copy_(x), x.t().contiguous().t()):
            assert call_in_place(text, target, y, z) is target and same(target, expected)


def test_a_tensor_may_be_its_own_operand():
    for shape in SHAPES:
        x = torch.randn(shape, generator=torch.Generator().manual_seed(0))
        for text in ("lerp(x, y, 0.3)", "lerp(x, y, z)", "addcmul(x, y, z)", "add(x, y, alpha=0.3)", "clamp(x, y, z)"):
            t = x.clone()
            assert torch.equal(t.clamp_(x - 1, t), x)
            assert same(call_in_place(text, t, t, t), call(text, x, x, x))
            assert same(call(text, t := x.clone(), t, t, out=t), call(text, x, x, x))
