"""Gradients in graphs of ``make_fx``, for every differentiable entry of PyTorch's operator database.

The graph runs, also on other inputs, and computes what the function computes.
"""

import pytest

import tensh
from tensh.fx.experimental.proxy_tensor import make_fx
from tests.oracle.test_op_db import binding, entries, oracle, seed, some
from tests.support.databases import Twin
from tests.support.sampling import few_of

pytestmark = pytest.mark.filterwarnings("ignore")
OTHER = {
    "nn.functional.rrelu": "it draws other numbers when it is computed again",
    "nn.functional.dropout": "it draws other numbers when it is computed again",
    "nn.functional.scaled_dot_product_attention": "dropout draws other numbers when it is computed again",
    "svd_lowrank": "a mean to subtract cannot be traced",
    "pca_lowrank": "a mean to subtract cannot be traced",
    "nn.functional.gaussian_nll_loss": "Python reads variances, in PyTorch, too",
}
"""Entry -> why it is not compared."""
ENTRIES = [each.values[0] for each in entries() if each.values[1] is oracle.float64]


def leaves_of(value):
    if isinstance(value, tensh.Tensor):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [leaf for part in parts for leaf in leaves_of(part)]


def replace(value, leaves):
    """The arguments with other tensors in place of those that require grad."""
    if isinstance(value, tensh.Tensor):
        return next(leaves) if value.requires_grad else value
    if isinstance(value, dict):
        return {key: replace(part, leaves) for key, part in value.items()}
    return type(value)(replace(part, leaves) for part in value) if type(value) in (list, tuple) else value


def gradients_of(function, given):
    """A function of the leaves: the gradients of the squares of the results."""

    def differentiate(*leaves):
        leaves = [each.detach().requires_grad_() for each in leaves]
        input, args, kwargs = replace(given, iter(leaves))
        results = [t for t in leaves_of(function(input, *args, **kwargs)) if t.requires_grad]
        total = sum(t.real.sum() if t.is_complex() else (t * t).sum() for t in results)
        return tensh.autograd.grad(total, leaves, allow_unused=True)

    return differentiate


@pytest.mark.parametrize("op", few_of(ENTRIES, every=8), ids=lambda op: f"{op.name}.{op.variant_test_name}".strip("."))
def test_traced_gradients_are_those_of_the_function(op):
    if op.name in OTHER:
        pytest.skip(OTHER[op.name])
    for sample in some(op, oracle.float64)[:2]:
        given = Twin(tensh)([sample.input, list(sample.args), dict(sample.kwargs)])
        differentiate = gradients_of(binding.function(tensh, op), given)
        leaves = [t.detach() for t in leaves_of(given) if t.requires_grad]
        seed()
        try:
            differentiate(*leaves)
        except (RuntimeError, TypeError):
            continue  # no gradient arrives
        seed()
        traced = make_fx(differentiate)(*leaves)
        for others in (leaves, [t * 0.99 for t in leaves]):
            seed()
            expected = differentiate(*others)
            seed()
            for one, other in zip(traced(*others), expected, strict=True):
                assert (one is None) == (other is None)
                assert one is None or tensh.allclose(one.nan_to_num(), other.nan_to_num(), rtol=1e-9, atol=1e-12)
