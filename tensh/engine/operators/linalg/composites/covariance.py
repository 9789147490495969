"""Covariance and correlation, and distances between rows."""

import numpy as np

from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.vocabulary import TENSORS
from tensh.engine.core.tensor import wrap
from tensh.engine.dispatch.override.points import watch_check
from tensh.engine.errors.warnings import warn
from tensh.engine.operators.elementwise.table import complex_op
from tensh.engine.operators.linalg.composites.products import matmul
from tensh.engine.operators.reductions.composites.reductions import sum

mul_number = TENSORS["mul_number"]


@watch_check
def check_weights(name, weights, input, whole):
    """Check weights: one per column, none negative."""
    if weights is None:
        return
    kinds = "integral" if whole else "floating point"
    w = weights.array
    if w.ndim > 1:
        raise RuntimeError(
            f"cov(): expected {name} to have one or fewer dimensions but got {name} with {w.ndim} dimensions"
        )
    if w.dtype.kind not in ("iu" if whole else "fV"):
        raise RuntimeError(
            f"cov(): expected {name} to have {kinds} dtype but got {name} with {weights.dtype.title} dtype"
        )
    if w.size != input.array.shape[1]:
        raise RuntimeError(
            f"cov(): expected {name} to have the same numel as there are observations in the input but got {w.size} != "
            f"{input.array.shape[1]}"
        )
    if w.size and w.min() < 0:
        raise RuntimeError(f"cov(): {name} cannot be negative")


@composite
def cov(input, *, correction=1, fweights=None, aweights=None):
    """The covariance matrix of the rows; a vector has its variance.

    ``fweights`` are counts of the columns, ``aweights`` their weights; the divisor is the sum of weights minus
    ``correction``. Differentiable.  Shape: [n, k] to [n, n]. Raise RuntimeError for more than two dimensions.

    >>> import tensh as torch
    >>> torch.cov(torch.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    if input.array.ndim > 2:
        raise RuntimeError(
            f"cov(): expected input to have two or fewer dimensions but got an input with {input.array.ndim} dimensions"
        )
    if input.array.dtype.kind == "b":
        raise RuntimeError("cov(): bool dtype is not supported for input")
    x = input.reshape(1, -1) if input.array.ndim < 2 else input
    check_weights("fweights", fweights, x, True)
    check_weights("aweights", aweights, x, False)
    w = fweights if aweights is None else aweights if fweights is None else fweights * aweights
    if w is None:
        total = wrap(np.array(x.array.shape[1]))
        centre = sum(x, 1) / total
    else:
        total = sum(w)
        centre = sum(x * w, 1) / total
    if w is not None:
        check_total(total)
    if aweights is not None and correction == 0:
        freedom = total
    elif aweights is None:
        freedom = total - correction
    else:
        freedom = total - mul_number(sum(w * aweights), correction) / total
    if is_used_up(freedom):
        warn("cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.")
        freedom = freedom.new_zeros(())
    rest = x - centre.unsqueeze(1)
    product = matmul(rest, (rest if w is None else rest * w).t().conj())
    if product.array.dtype.kind == "c" and len(product.array) == 1:  # a variance, which is real
        product = complex_op.fn(product.real, product.real.new_zeros((1, 1)))
    return (product / freedom).squeeze()


@watch_check
def is_used_up(freedom):
    """Return True if there are no degrees of freedom."""
    return bool(freedom.array <= 0)


@watch_check
def check_total(total):
    """Raise RuntimeError for weights whose sum is zero."""
    if total.array == 0:
        raise RuntimeError("cov(): weights sum to zero, can't be normalized")


@composite
def corrcoef(input):
    """The correlation coefficients of the rows.  Differentiable.

    Shape: [n, k] to [n, n]. Raise RuntimeError for more than two dimensions.

    >>> import tensh as torch
    >>> torch.corrcoef(torch.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    if input.array.ndim > 2:
        raise RuntimeError(
            f"corrcoef(): expected input to have two or fewer dimensions but got an input with {input.array.ndim} dimensions"
        )
    c = cov(input)
    if not c.array.ndim:
        return c / c
    d = c.diagonal()
    spread = (d.real if c.array.dtype.kind == "c" else d).sqrt()
    c = c / spread.reshape(-1, 1) / spread.reshape(1, -1)
    return complex_op.fn(c.real.clip(-1, 1), c.imag.clip(-1, 1)) if c.array.dtype.kind == "c" else c.clip(-1, 1)
