"""Forward accumulation, for every operator by the same tests: what it gives is the transpose of what backward gives.

No operator has a forward rule of its own to be tested; all samples of tests/samples run here.
"""

import numpy as np
import pytest
from test_ops import each_operator, product, with_others_fixed

import tensh as torch
from tensh.autograd import forward_ad as fwAD


def directions(rng, arrays):
    """A random array of the shape and dtype of each."""
    made = []
    for a in arrays:
        values = rng.standard_normal(a.shape)
        made.append(np.asarray(values + 1j * rng.standard_normal(a.shape) if a.dtype.kind == "c" else values, a.dtype))
    return made


def varied(name, call):
    """(the call as a function of its differentiable tensors, their arrays)."""
    made = call.arrays(prefix=name)
    return with_others_fixed(name, call, made), [array for argument, _, array in made if argument.differentiable]


def forward(function, arrays, tangents):
    """(the values of a function, the tangent of its result), by dual tensors."""
    with fwAD.dual_level():
        out = function(*(fwAD.make_dual(torch.tensor(a), torch.tensor(t)) for a, t in zip(arrays, tangents, strict=True)))
        value, tangent = fwAD.unpack_dual(out)
        assert not out.requires_grad and out.grad_fn is None
    assert not out.requires_grad and out.node is None
    return value, tangent


@each_operator
def test_forward_is_backward_transposed(name, calls, golden):
    """<u, J t> = <J' u, t>."""
    rng = np.random.default_rng(0)
    for number, call in enumerate(calls):
        function, arrays = varied(name, call)
        if not arrays:
            continue
        leaves = [torch.tensor(a).requires_grad_() for a in arrays]
        torch.manual_seed(0)
        try:
            out = function(*leaves)
            if not isinstance(out, torch.Tensor) or not out.requires_grad:
                continue
            (weight,) = directions(rng, [out.detach().numpy()])
            grads = torch.autograd.grad(out, leaves, torch.tensor(weight), allow_unused=True)
        except (RuntimeError, NotImplementedError):
            continue  # PyTorch has no derivative either
        tangents = directions(rng, arrays)
        torch.manual_seed(0)
        value, tangent = forward(function, arrays, tangents)
        np.testing.assert_array_equal(value.numpy(), out.detach().numpy())
        assert tangent is not None and tangent.dtype == value.dtype and tangent.shape == value.shape
        backward = sum(product(g.numpy(), t) for g, t in zip(grads, tangents, strict=True) if g is not None)
        where = f"{name}, call {number}"
        assert product(weight, tangent.numpy()) == pytest.approx(backward, rel=1e-7, abs=1e-9, nan_ok=True), where
