"""torch.fft: all transforms, made of three operators."""

import numpy as np

from tensh.engine.dtype import get_default_dtype
from tensh.engine.errors import wrap_dim
from tensh.engine.functional.namespaces import FFT, fft
from tensh.engine.inplace import into
from tensh.engine.ops import spectral
from tensh.engine.ops.shape import slice_dim
from tensh.engine.table import OPS, PUBLIC
from tensh.engine.tensor import wrap


# ── arguments ────────────────────────────────────────────────────────────────
def scaling(norm, forward):
    """The number that stands for ``norm``: which of the two directions divides, and by what."""
    if norm not in (None, "backward", "forward", "ortho"):
        raise RuntimeError(f'Invalid normalization mode: "{norm}"')
    if norm == "ortho":
        return 1
    return 2 if (norm == "forward") == forward else 0


def promoted(x, complex_too):
    """Integers as floating point numbers; as complex ones with ``complex_too``."""
    dtype = x.dtype
    if dtype.name in ("float16", "bfloat16", "complex32"):
        raise RuntimeError(f"Unsupported dtype {dtype.title}")
    if x.array.dtype.kind in "biu":
        dtype = get_default_dtype()
    if complex_too:
        dtype = dtype.to_complex()
    return x if dtype is x.dtype else x.to(dtype)


def resized(x, dims, sizes):
    """The elements along ``dims`` cut to the sizes, or followed by zeros; a size of -1 leaves them."""
    pads = [0] * (2 * x.array.ndim)
    for dim, size in zip(dims, sizes):
        if size == -1:
            continue
        if size < 1:
            raise RuntimeError(f"Invalid number of data points ({size}) specified")
        own = x.array.shape[dim]
        if size < own:
            x = slice_dim.fn(x, dim, 0, size, 1)
        else:
            pads[2 * (x.array.ndim - 1 - dim) + 1] = size - own
    return OPS["constant_pad_nd"].fn(x, pads, 0) if any(pads) else x


def one_dim(x, n, dim):
    """(dimension from 0, size) of a transform along one dimension."""
    d = wrap_dim(dim, x.array.ndim, scalar=False)
    if n is not None and (isinstance(n, (bool, float, str)) or not hasattr(n, "__index__")):
        raise TypeError(f"fft_fft(): argument 'n' must be int, not {type(n).__name__}")
    size = x.array.shape[d] if n is None else n
    if size < 1:
        raise RuntimeError(f"Invalid number of data points ({size}) specified")
    return d, size


def many_dims(x, s, dim):
    """(dimensions from 0, sizes) of a transform along several dimensions."""
    ndim = x.array.ndim
    s = [s] if isinstance(s, int) else s
    dim = [dim] if isinstance(dim, int) else dim
    if dim is not None:
        dims = [wrap_dim(d, ndim, scalar=False) for d in dim]
        if len(set(dims)) < len(dims):
            raise RuntimeError("FFT dims must be unique")
    if s is not None:
        if dim is not None and len(dim) != len(s):
            raise RuntimeError("When given, dim and shape arguments must have the same length")
        if len(s) > ndim:
            raise RuntimeError(f"Got shape with {len(s)} values but input tensor only has {ndim} dimensions.")
        if dim is None:
            dims = list(range(ndim - len(s), ndim))
        return dims, [x.array.shape[d] if n == -1 else n for d, n in zip(dims, s)]
    if dim is None:
        dims = list(range(ndim))
    return dims, [x.array.shape[d] for d in dims]


def require_real(name, x, words="a real input tensor"):
    if x.array.dtype.kind == "c":
        raise RuntimeError(f"{name} expects {words}, but got {x.dtype.title}")


# ── one dimension ────────────────────────────────────────────────────────────
def one(name, doc, transform):
    """Declare ``fft.NAME(input, n, dim, norm)``."""

    def function(input, n=None, dim=-1, norm=None):
        return transform(name, input, n, dim, norm)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"{doc}\n\n    ``n`` cuts the dimension or fills it with zeros before; ``norm`` is \"backward\" (the inverse divides by\n"
        '    the number of elements), "forward" or "ortho" (both divide by its root).  Differentiable.\n    '
    )
    return fft(function)


def complex_output(forward):
    def transform(name, x, n, dim, norm):
        x = promoted(x, False)
        d, size = one_dim(x, n, dim)
        x = resized(x, [d], [size])
        if x.array.dtype.kind == "c":
            return spectral.fft_c2c.fn(x, (d,), scaling(norm, forward), forward)
        result = spectral.fft_r2c.fn(x, (d,), scaling(norm, forward), False)
        return result if forward else result.conj()

    return transform


def half_output(forward):
    def transform(name, x, n, dim, norm):
        require_real(name, x)
        x = promoted(x, False)
        d, size = one_dim(x, n, dim)
        result = spectral.fft_r2c.fn(resized(x, [d], [size]), (d,), scaling(norm, forward), True)
        return result if forward else result.conj()

    return transform


def real_output(forward):
    def transform(name, x, n, dim, norm):
        x = promoted(x, True)
        d = wrap_dim(dim, x.array.ndim, scalar=False)
        size = 2 * (x.array.shape[d] - 1) if n is None else n
        if size < 1:
            raise RuntimeError(f"Invalid number of data points ({size}) specified")
        x = resized(x, [d], [size // 2 + 1])
        return spectral.fft_c2r.fn(x.conj() if forward else x, (d,), scaling(norm, forward), size)

    return transform


one("fft", "The discrete Fourier transform along ``dim``.", complex_output(True))
one("ifft", "The inverse discrete Fourier transform along ``dim``.", complex_output(False))
one("rfft", "The first half of the transform of real numbers along ``dim``; the rest is its mirror.", half_output(True))
one("ihfft", "The first half of the inverse transform of real numbers along ``dim``.", half_output(False))
one("irfft", "The inverse of ``rfft``: ``n`` real numbers (2 (m - 1) by default) from a half.", real_output(False))
one("hfft", "The transform, which is real, of numbers whose second half mirrors the first.", real_output(True))


# ── several dimensions ───────────────────────────────────────────────────────
def several(name, doc, transform):
    """Declare ``fft.NAMEn(input, s, dim, norm)`` and ``fft.NAME2`` with the last two dimensions."""
    declare(f"{name}n", doc, transform, None)
    declare(f"{name}2", doc, transform, (-2, -1))


def declare(name, doc, transform, default):
    def function(input, s=None, dim=default, norm=None):
        return transform(name, input, s, dim, norm)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{doc}\n\n    ``s`` cuts the dimensions or fills them with zeros before.  Differentiable.\n    "
    fft(function)


def complex_many(forward):
    def transform(name, x, s, dim, norm):
        x = promoted(x, True)
        dims, sizes = many_dims(x, s, dim)
        return spectral.fft_c2c.fn(resized(x, dims, sizes), tuple(dims), scaling(norm, forward), forward)

    return transform


def rfft_many(name, x, s, dim, norm):
    require_real(name.replace("2", "n"), x, "a real-valued input tensor")
    x = promoted(x, False)
    dims, sizes = many_dims(x, s, dim)
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")
    return spectral.fft_r2c.fn(resized(x, dims, sizes), tuple(dims), scaling(norm, True), True)


def halves(name, x, s, dim):
    """(dimensions, sizes of the half that is given, number of real elements in the last dimension)."""
    dims, sizes = many_dims(x, s, dim)
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")
    given = s[-1] if isinstance(s, (list, tuple)) else s
    last = sizes[-1] if given not in (None, -1) else 2 * (x.array.shape[dims[-1]] - 1)
    if last < 1:
        raise RuntimeError(f"Invalid number of data points ({last}) specified")
    return dims, [*sizes[:-1], last // 2 + 1], last


def irfft_many(name, x, s, dim, norm):
    x = promoted(x, True)
    dims, sizes, last = halves(name, x, s, dim)
    return spectral.fft_c2r.fn(resized(x, dims, sizes), tuple(dims), scaling(norm, False), last)


def hfft_many(name, x, s, dim, norm):
    x = promoted(x, True)
    dims, sizes, last = halves(name, x, s, dim)
    x = resized(x, dims, sizes)
    if len(dims) > 1:
        x = spectral.fft_c2c.fn(x, tuple(dims[:-1]), scaling(norm, True), True)
    return spectral.fft_c2r.fn(x.conj(), (dims[-1],), scaling(norm, True), last)


def ihfft_many(name, x, s, dim, norm):
    if x.array.dtype.kind == "c":
        raise RuntimeError(f"Only supports floating-point dtypes, but found: {x.dtype.title}")
    x = promoted(x, False)
    dims, sizes = many_dims(x, s, dim)
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")
    half = spectral.fft_r2c.fn(resized(x, dims, sizes), (dims[-1],), scaling(norm, False), True)
    if len(dims) == 1:
        return half.conj()
    return spectral.fft_c2c.fn(half.conj_physical(), tuple(dims[:-1]), scaling(norm, False), False)


several("fft", "The discrete Fourier transform along several dimensions.", complex_many(True))
several("ifft", "The inverse discrete Fourier transform along several dimensions.", complex_many(False))
several("rfft", "The transform of real numbers along several dimensions; of the last one its first half.", rfft_many)
several("irfft", "The inverse of the transform of real numbers along several dimensions.", irfft_many)
several("hfft", "The transform, which is real, of mirrored numbers along several dimensions.", hfft_many)
several("ihfft", "The first half of the inverse transform of real numbers along several dimensions.", ihfft_many)


# ── places ───────────────────────────────────────────────────────────────────
def frequencies(half):
    def function(n, d=1.0, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
        places = np.arange(n // 2 + 1) if half else np.concatenate([np.arange((n + 1) // 2), np.arange(-(n // 2), 0)])
        wanted = get_default_dtype() if dtype is None else dtype
        result = wrap((places * (1.0 / (n * d))).astype(wanted.numpy))
        if out is not None:
            return into(out, result, function.__name__)
        return result.requires_grad_() if requires_grad else result

    name = "rfftfreq" if half else "fftfreq"
    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"The frequencies that the elements of ``{'rfft' if half else 'fft'}`` of ``n`` elements at distance ``d`` stand for."
    )
    function.__module__ = "torch.fft"
    FFT[name] = function


frequencies(False)
frequencies(True)


def shifted(input, dim, forward):
    dims = range(input.array.ndim) if dim is None else [dim] if isinstance(dim, int) else dim
    dims = [wrap_dim(d, input.array.ndim) for d in dims]
    sizes = [input.array.shape[d] for d in dims] if input.array.ndim else []
    return PUBLIC["roll"](input, [n // 2 if forward else (n + 1) // 2 for n in sizes], dims)


@fft
def fftshift(input, dim=None):
    """The elements in the order of their frequencies: zero in the middle.  Differentiable.

    >>> import tensh as torch
    >>> torch.fft.fftshift(torch.fft.fftfreq(4, 0.25))
    tensor([-2., -1.,  0.,  1.])
    """
    return shifted(input, dim, True)


@fft
def ifftshift(input, dim=None):
    """The inverse of ``fftshift``.  Differentiable."""
    return shifted(input, dim, False)
