"""Gamma and Dirichlet numbers.  For their derivatives see implicit.py."""

import numpy as np

from tensh.engine.arguments.signatures import accepts
from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.table import op
from tensh.engine.dtypes.dtype import BY_NUMPY, FLOAT
from tensh.engine.errors.messages import broadcast_clash
from tensh.engine.operators.random import implicit
from tensh.engine.operators.random.draws import underivable
from tensh.engine.random import drawing, rejection
from tensh.engine.random.generator import default_generator

HALVES = ("float16", "bfloat16")


def require_alike(kernel, *arrays):
    """Raise PyTorch's error unless arrays of one dtype can be broadcast."""
    first, *others = (BY_NUMPY[each.dtype] for each in arrays)
    for other in others:
        if other is not first:
            raise RuntimeError(f"Found dtype {other.title} but expected {first.title}")
    if clash := broadcast_clash([each.shape for each in arrays]):
        raise RuntimeError(clash)
    drawing.refuse(arrays[0], kernel, (FLOAT,), HALVES)


# ── operators ────────────────────────────────────────────────────────────────
@op(public=False, out=False, node="StandardGammaBackward0", input="g * standard_gamma_slope(input, out)")
def standard_gamma_of(input, generator):
    """Gamma numbers of the shapes in ``input``."""
    drawing.refuse(input, "gamma_cpu", (FLOAT,), HALVES)
    drawn = rejection.gamma(input.reshape(-1), generator).astype(input.dtype)
    return np.fmax(drawn, np.finfo(input.dtype).tiny).reshape(input.shape)


@op(
    public=False,
    out=False,
    node="StandardGammaGradBackward0",
    input="no_derivative('_standard_gamma_grad')",
    output=None,
)
def standard_gamma_slope(input, output):
    """The derivative of gamma numbers by their shapes."""
    require_alike("_standard_gamma_grad_cpu", input, output)
    return implicit.gamma_slope(input, output)


def sample_dirichlet(alpha, generator):
    """Gamma numbers in double precision, divided by their sum along the last dimension."""
    drawing.refuse(alpha, "dirichlet", (FLOAT,), HALVES)
    drawn = rejection.gamma(alpha.reshape(-1).astype(np.float64), generator).reshape(alpha.shape)
    drawn = np.fmax(drawn, np.finfo(np.float64).tiny)
    share = (drawn / (drawn.sum(-1, keepdims=True) if drawn.ndim else drawn)).astype(alpha.dtype)
    return np.minimum(
        np.fmax(share, np.finfo(alpha.dtype).tiny), np.nextafter(alpha.dtype.type(1), alpha.dtype.type(0))
    )


def dirichlet_grad(x, alpha, total):
    require_alike("_dirichlet_grad_cpu", x, alpha, total)
    return implicit.dirichlet_slope(x, alpha, total)


@composite(method=False)
@accepts("(Tensor input, torch.Generator generator = None)")
def _standard_gamma(input, generator=None):
    """Numbers of gamma distributions with the shapes in ``input`` and scale 1.  Differentiable.

    >>> import tensh as torch
    >>> _ = torch.manual_seed(0)
    >>> torch._standard_gamma(torch.tensor([0.5, 2.0, 3.0]))
    tensor([7.8936e-04, 6.3154e-01, 2.9372e+00])
    """
    return standard_gamma_of.fn(input, default_generator if generator is None else generator)


@composite(method=False)
@accepts("(Tensor input, Tensor output)")
def _standard_gamma_grad(input, output):
    """The derivative of gamma numbers ``output`` by their shapes ``input``, to about three digits.

    >>> import tensh as torch
    >>> torch._standard_gamma_grad(torch.tensor([0.5, 2.0]), torch.tensor([1.0, 1.0]))
    tensor([1.8782, 0.7507])
    """
    return standard_gamma_slope.fn(input, output)


@composite(method=False)
@accepts("(Tensor input, torch.Generator generator = None)")
def _sample_dirichlet(input, generator=None):
    """Numbers of Dirichlet distributions, whose parameters lie along the last dimension of ``input``.

    There is no derivative; ``_dirichlet_grad`` computes its parts.

    >>> import tensh as torch
    >>> _ = torch.manual_seed(0)
    >>> torch._sample_dirichlet(torch.tensor([0.5, 2.0, 3.0]))
    tensor([2.2114e-04, 1.7692e-01, 8.2286e-01])
    """
    generator = default_generator if generator is None else generator
    return underivable.fn([input], lambda alpha: sample_dirichlet(alpha, generator), "_sample_dirichlet")


@composite(method=False)
@accepts("(Tensor x, Tensor alpha, Tensor total)")
def _dirichlet_grad(x, alpha, total):
    """The derivative of beta numbers ``x`` by ``alpha``, over ``1 - x``, where the two parameters have the sum ``total``.

    >>> import tensh as torch
    >>> torch._dirichlet_grad(torch.tensor([0.2, 0.8]), torch.tensor([1.0, 2.0]), torch.tensor([3.0, 3.0]))
    tensor([0.3277, 0.4463])
    """
    return underivable.fn([x, alpha, total], dirichlet_grad, "_dirichlet_grad")
