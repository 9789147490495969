"""torch.fft: the frequencies of a transform's elements, and their order."""

import numpy as np

from tensh.engine.arguments.binding import OUT, bind, finish
from tensh.engine.arguments.lazy_signatures import shows
from tensh.engine.dtypes.dtype import get_default_dtype
from tensh.engine.errors.messages import dtype_error, wrap_dim
from tensh.engine.methods.creation.fill import require_room
from tensh.engine.methods.creation.ranges import warn_resized
from tensh.engine.methods.creation.roundings import narrow_values
from tensh.engine.operators.fourier.composites.shared import make_tuples
from tensh.engine.operators.namespaces import fft
from tensh.engine.operators.shapes.composites.repetition import roll


# ── frequencies ──────────────────────────────────────────────────────────────
@fft
@shows("n, d=1.0, *")
def fftfreq(*args, **given):
    """The frequencies of ``fft`` of ``n`` samples at distance ``d``: from zero up, then the negative ones.

    Shape: [n]. Raise RuntimeError for integer dtypes.

    >>> import tensh as torch
    >>> torch.fft.fftfreq(4, d=0.25)
    tensor([ 0.,  1., -2., -1.])
    """
    return frequencies("fftfreq", args, given, both_signs)


@fft
@shows("n, d=1.0, *")
def rfftfreq(*args, **given):
    """The frequencies of ``rfft`` of ``n`` samples at distance ``d``: from zero up.

    Shape: [n // 2 + 1]. Raise RuntimeError for integer dtypes.

    >>> import tensh as torch
    >>> torch.fft.rfftfreq(4, d=0.25)
    tensor([0., 1., 2.])
    """
    return frequencies("rfftfreq", args, given, lambda n: np.arange(half(n) + 1))


def half(n):
    """Half of ``n``, rounded towards zero."""
    return n // 2 if n >= 0 else -(-n // 2)


def both_signs(n):
    """0, 1, 2 … -2, -1: ``n`` numbers."""
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    places = np.arange(n)
    places[(n + 1) // 2 :] -= n
    return places


def frequencies(name, args, given, places):
    given = bind(f"fft_{name}", (f"(int n, float d = 1.0, {OUT})",), args, given)
    n, step, out = given["n"], given["n"] * given["d"], given["out"]
    require_room(name, (n if places is both_signs else half(n) + 1,), get_default_dtype().numpy)

    def make(dtype):
        if dtype.kind not in "fcV":
            raise RuntimeError(f"{name} requires a floating point or complex dtype")
        if dtype.kind == "c":
            raise dtype_error("arange", dtype)
        values = narrow_values(places(n).astype(np.float64) * (1 / step if step else np.inf), dtype)
        if out is not None and out.array.size not in (0, values.size):
            warn_resized(out.array, values.size)
        return values

    return finish(f"fft_{name}", make, get_default_dtype().numpy, given)


# ── order ────────────────────────────────────────────────────────────────────
@fft
@shows("input, dim=None", "")
def fftshift(*args, **given):
    """The elements moved so that frequency zero is in the middle of the dimensions ``dim`` (by default all).

    Differentiable.  Shape: [*], kept.

    >>> import tensh as torch
    >>> torch.fft.fftshift(torch.fft.fftfreq(4, d=0.25))
    tensor([-2., -1.,  0.,  1.])
    """
    return shift_frequencies("fftshift", args, given, lambda n: n // 2)


@fft
@shows("input, dim=None", "")
def ifftshift(*args, **given):
    """The inverse of ``fftshift``: frequency zero comes first again.  Differentiable.  Shape: [*], kept.

    >>> import tensh as torch
    >>> torch.fft.ifftshift(torch.tensor([-2.0, -1.0, 0.0, 1.0]))
    tensor([ 0.,  1., -2., -1.])
    """
    return shift_frequencies("ifftshift", args, given, lambda n: (n + 1) // 2)


def shift_frequencies(name, args, given, distance):
    if "axis" in given:
        given["dim"] = given.pop("axis")
    bound = bind(f"fft_{name}", ("(Tensor input, tuple of ints dim = None)",), *make_tuples(args, given, 1))
    input, dims = bound["input"], bound["dim"]
    ndim = input.array.ndim
    dims = tuple(range(ndim) if dims is None else [wrap_dim(d, ndim, scalar=False) for d in dims])
    return roll(input, tuple(distance(input.array.shape[d]) for d in dims), dims)
