"""Norms and their derivatives."""

import math

import numpy as np

from tensh.engine.arguments.checks import dims
from tensh.engine.codegen.table import OR_THE_SAME, op
from tensh.engine.codegen.vocabulary import ARRAYS, TENSORS, on_tensors, word
from tensh.engine.dtypes.dtype import BY_NUMPY, DIFFERENTIABLE, HALF_COMPLEX
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.operators.forms import require_kind
from tensh.engine.operators.kernels import promote_arrays, reusable
from tensh.engine.operators.precision import ONES, narrow_result, real_dtype, widen
from tensh.engine.operators.reductions.product_sums import add_squares, add_vector_products
from tensh.engine.operators.reductions.summation import add_along

maximum = np.maximum.reduce


# ── norms ────────────────────────────────────────────────────────────────────
def norm_dtype(name, dtype, wanted):
    """Return the dtype to compute a norm in; raise PyTorch's errors for dtypes without a norm."""
    if dtype.kind not in DIFFERENTIABLE:
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {BY_NUMPY[dtype].title}")
    if wanted is None:
        return dtype
    if wanted.kind not in DIFFERENTIABLE:
        raise RuntimeError(f"{name}: dtype should be floating point or complex, but got {BY_NUMPY[wanted].title}")
    if (wanted.kind in "cW") != (dtype.kind in "cW"):
        kind = "complex" if dtype.kind in "cW" else "real"
        raise RuntimeError(f"{name}: dtype should be {kind} for {kind} inputs, but got {BY_NUMPY[wanted].title}")
    if wanted.itemsize < dtype.itemsize:
        raise RuntimeError(
            f"{name}: the dtype of the input ({BY_NUMPY[dtype].title}) should be convertible without narrowing to "
            f"the specified dtype ({BY_NUMPY[wanted].title})"
        )
    return wanted


def norm(input, ord, axes, keepdim):
    """Compute the norm of real or complex numbers along ``axes``."""
    sizes = np.abs(input) if ord != 2 or input.dtype.kind == "c" else input
    if ord == math.inf:
        return maximum(sizes, axes, None, None, keepdim, initial=0)
    if ord == -math.inf:
        return np.minimum.reduce(sizes, axes, None, None, keepdim)
    if ord == 0:
        return np.count_nonzero(input, axes, keepdims=keepdim).astype(sizes.dtype)
    if ord == 1:
        return add_along(sizes, axes, keepdim)
    if ord == 2:
        return np.sqrt(add_squares(sizes, axes, keepdim))
    return np.power(add_along(np.power(sizes, sizes.dtype.type(ord)), axes, keepdim), sizes.dtype.type(1 / ord))


def along_norm(s, x, r):
    """The derivative of the Euclidean norm ``r`` of ``x``, with 0 at 0, in PyTorch's order."""
    part = np.divide(x, r)
    if not r.all():
        part = ARRAYS["only"](part, r != 0)
    return np.multiply(s, part, reusable(part))


ARRAYS["along_norm"] = along_norm
TENSORS["along_norm"] = lambda s, x, r: s * on_tensors("masked_fill")(x / r, r == 0, 0)
INFINITE = "ord * ord == float('inf')"
NORM = (
    "None if ord == 0 else {s} * sgn({x}) if ord == 1 else"
    " along_norm({s}, {x}, {r}) if ord == 2 else"
    f" sgn({{x}}) * equal_share({{s}}, (abs({{x}}) == {{r}}) | ({{x}} != {{x}}) & ({{r}} != {{r}}), dim) if {INFINITE} else"
    " sgn({x}) * only(abs({x}) ** (ord - 1), {x} != 0) * {s} * {r} ** (1 - ord) if ord < 1 else"
    " sgn({x}) * abs({x}) ** (ord - 1) * only({s} / masked_fill({r}, {r} == 0, 1) ** (ord - 1), {r} != 0) if ord < 2 else"
    " {x} * abs({x}) ** (ord - 2) * only({s} / masked_fill({r}, {r} == 0, 1) ** (ord - 1), {r} != 0)"
)
"""The derivative of a norm ``r`` of ``x`` for the gradient ``s``, both with the dimensions of ``x``."""


@op(public=False, mask=None)
def count_where(mask, dim, dtype):
    """The number of elements along ``dim`` for which ``mask`` holds."""
    return np.add.reduce(mask, dims(dim, mask.ndim), dtype, None, True)


@op(public=False, node="MulBackward0", input="g * mask / count_where(mask, dim, input.dtype)", mask=None)
def equal_share(input, mask, dim):
    """The gradient of the largest magnitude: shared by the elements that have it."""
    return mask * (input / count_where.kernel(mask, dim, input.dtype))


@op(
    public=False,
    node="LinalgVectorNormBackward0",
    let={"s": "restore(g, input.shape, dim, keepdim)", "r": "restore(out, input.shape, dim, keepdim)"},
    input=NORM.format(s="s", r="r", x="input"),
)
def vector_norm(input, ord=2, dim=None, keepdim=False, dtype=None):
    """The ``ord``-norm of the elements along ``dim`` as one vector."""
    dtype = norm_dtype("linalg.vector_norm", input.dtype, dtype)
    axes = dims(dim, input.ndim)
    require_identity(input, ord, dim)
    if dtype.itemsize == 2 or dtype.char in HALF_COMPLEX:
        return norm(widen(input), ord, axes, keepdim).astype(real_dtype(dtype))
    if ord == 2 and input.dtype in ONES and input.dtype == dtype and len(axes) == input.ndim and not keepdim:
        return np.sqrt(add_vector_products(flat := input.reshape(-1), flat))
    return norm(input.astype(dtype, copy=False), ord, axes, keepdim)


def require_identity(input, ord, dim):
    """Raise for a norm of no elements, unless the norm has an identity."""
    if input.size or not (ord < 0 or ord == math.inf):
        return
    given = () if dim is None else (dim,) if isinstance(dim, int) else dim
    if not given:
        raise RuntimeError(
            f"linalg.vector_norm cannot compute the {ord:g} norm on an empty tensor because the operation does not have "
            "an identity"
        )
    for d in given:
        if input.shape[d] == 0:
            raise RuntimeError(
                f"linalg.vector_norm cannot compute the {ord:g} norm on the dimension {d}because this dimension is empty "
                "and the operation does not have an identity"
            )


@word
def others(ndim, dim):
    """Return all dimensions but one."""
    axis = wrap_dim(dim, ndim)
    return tuple(i for i in range(ndim) if i != axis)


DISTANCE = NORM.format(s="g", r="out", x="d").replace(", dim)", ", None)").replace("ord", "p")


NO_BOOL = (
    "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` "
    "or `logical_not()` operator instead."
)
NO_BOOLS = (
    "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator "
    "instead."
)


@op(out=False, let={"d": "input - other"}, input=DISTANCE, other=f"None if p == 0 else -({DISTANCE})")
def dist(input, other, p=2):
    """The ``p``-norm of ``input - other``.  Differentiable.  Shapes: [*] to []. Raise RuntimeError for integers.

    >>> import tensh as torch
    >>> torch.dist(torch.tensor([3.0, 4.0]), torch.zeros(2))
    tensor(5.)
    """
    if "b" in (input.dtype.kind, other.dtype.kind):
        raise RuntimeError(NO_BOOLS if input.dtype == other.dtype else NO_BOOL)
    input, other = promote_arrays(input, other)
    dtype = input.dtype
    if dtype.kind not in DIFFERENTIABLE:
        raise RuntimeError(
            f"norm(): input dtype should be either floating point or complex. Got {BY_NUMPY[dtype].title} instead."
        )
    require_kind("Number", p, "dist", "p")
    if type(p) is complex:
        raise RuntimeError("linalg.vector_norm: Expected a non-complex scalar as the order of norm.")
    difference = widen(input - other)
    result = norm(difference, p, tuple(range(difference.ndim)), False)
    return narrow_result(result, dtype)


@op(
    apart=OR_THE_SAME,
    inplace=True,
    let={
        "axes": "others(input.ndim, dim)",
        "r": "vector_norm(accumulated(input), p, axes, True)",
        "inverse": "1 / (r + 1e-7)",
        "s": "sum_dim(accumulated((input * conj(g)).real), axes, True)",
    },
    input="where(r > maxnorm, rounded_like(g, inverse * maxnorm * (g - inverse * ("
    + NORM.format(s="s", r="r", x="input")
    .removeprefix("None if ord == 0 else")
    .replace(", dim)", ", axes)")
    .replace("ord", "p")
    + "))), g)",
)
def renorm(input, p, dim, maxnorm):
    """The input with every slice along ``dim`` whose ``p``-norm exceeds ``maxnorm`` scaled down to it.  Differentiable.

    Shape: [*], kept. Raise RuntimeError unless ``p`` is positive.

    >>> import tensh as torch
    >>> torch.renorm(torch.tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1)
    tensor([[0.6000, 0.8000],
            [0.3000, 0.4000]])
    """
    for name, number in (("p", p), ("maxnorm", maxnorm)):
        require_kind("Number", number, "renorm", name)
        if type(number) is complex:
            raise RuntimeError(f"renorm: {name} must be real-valued")
    p, maxnorm = float(p), float(maxnorm)
    if not p > 0:  # nan, too
        raise RuntimeError("renorm: non-positive-norm not supported")
    if not maxnorm >= 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm}")
    if input.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {input.ndim} dimensions")
    axes = others(input.ndim, dim)
    norm_dtype("linalg.vector_norm", input.dtype, None)
    size = norm(widen(input), p, axes, True)
    factor = np.where(size > maxnorm, maxnorm / (size + 1e-7), 1).astype(size.dtype)
    return np.multiply(input, narrow_result(factor, input.dtype), order="C")
