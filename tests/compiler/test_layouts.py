"""Results of compiled functions lie in memory as those of the functions themselves, whatever their size."""

import pytest

import tensh as torch

FUNCTIONS = {
    "one operand": lambda x, y: x.sin().sigmoid(),
    "two operands": lambda x, y: (x * y.exp()).tanh(),
    "a row": lambda x, y: torch.minimum(x.sin(), y[:1]) + 1,
    "another result": lambda x, y: ((z := x.t().contiguous() * 2).exp() - 1) * z,
}
LAYOUTS = {
    "rows": lambda n: torch.randn(n, n),
    "columns": lambda n: torch.randn(n, n).t(),
    "every second": lambda n: torch.randn(n, 2 * n)[:, ::2],
}


@pytest.mark.parametrize("size", [8, 200])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_compiled_functions_keep_values_and_strides(name, layout, size):
    torch.manual_seed(0)
    function = FUNCTIONS[name]
    x, y = (LAYOUTS[layout](size).detach().requires_grad_() for _ in range(2))
    compiled = torch.compile(function)
    compiled(x, y)
    found, expected = compiled(x, y), function(x, y)
    assert found.stride() == expected.stride() and torch.equal(found, expected)
    for one, other in zip(
        *(torch.autograd.grad(each.square().sum(), [x, y], allow_unused=True) for each in (found, expected)),
        strict=True,
    ):
        # shares of a gradient may be added in another order
        assert one is other is None or one.stride() == other.stride() and torch.allclose(one, other, 1e-5, 1e-5)
