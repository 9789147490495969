"""Norms of vectors, and softmax, with PyTorch's overloads."""

from tensh.engine.arguments.binding import bind
from tensh.engine.arguments.checks import require_dtype
from tensh.engine.arguments.kinds import NO_FIT
from tensh.engine.arguments.mismatches import type_name
from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.scalars import take_number
from tensh.engine.operators.namespaces import linalg
from tensh.engine.operators.reductions import norms
from tensh.engine.operators.reductions.softmax import log_softmax_dim, softmax_dim


# ── softmax ──────────────────────────────────────────────────────────────────
@composite(out=True)
def softmax(input, dim, dtype=None):
    """The exponentials of the elements, divided by their sum along ``dim``; ``dtype`` casts before.  Differentiable.

    Shape: [*], kept.

    >>> import tensh as torch
    >>> torch.tensor([0.0, 0.0]).softmax(0)
    tensor([0.5000, 0.5000])
    """
    return softmax_dim.fn(input if dtype is None else input.to(require_dtype(dtype, "softmax")), dim)


@composite(out=True)
def log_softmax(input, dim, dtype=None):
    """The logarithm of softmax along ``dim``, without overflow; ``dtype`` casts before.  Differentiable.

    Shape: [*], kept.

    >>> import tensh as torch
    >>> torch.tensor([0.0, 0.0]).log_softmax(0)
    tensor([-0.6931, -0.6931])
    """
    return log_softmax_dim.fn(input if dtype is None else input.to(require_dtype(dtype, "log_softmax")), dim)


# ── norms of vectors ─────────────────────────────────────────────────────────
@linalg
def vector_norm(input, ord=2, dim=None, keepdim=False, *, dtype=None):
    """The ``ord``-norm of all elements taken as one vector, or of those along ``dim``.  Differentiable.

    Shape: [*] to [], or without ``dim``. Raise RuntimeError for a complex ``ord``.

    >>> import tensh as torch
    >>> torch.linalg.vector_norm(torch.tensor([3.0, 4.0]))
    tensor(5.)
    """
    if isinstance(number := take_number(ord), complex):
        raise RuntimeError("linalg.vector_norm: Expected a non-complex scalar as the order of norm.")
    if number is NO_FIT:
        raise TypeError(f"linalg_vector_norm(): argument 'ord' (position 2) must be Number, not {type_name(ord)}")
    try:
        return norms.vector_norm.fn(input, number, dim, keepdim, numpy_of(dtype, "linalg_vector_norm"))
    except TypeError:
        bind("linalg_vector_norm", ["(Tensor input, Number ord, tuple of ints[1]? dim)"], (input, number, dim), {})
        raise


def numpy_of(dtype, name):
    return dtype if dtype is None else require_dtype(dtype, name).numpy
