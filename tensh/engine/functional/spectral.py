"""torch.fft: the transforms, made of three operators.  frequencies.py has what goes with them."""

from tensh.engine.dtype import get_default_dtype
from tensh.engine.errors import wrap_dim
from tensh.engine.functional.namespaces import fft
from tensh.engine.inplace import into
from tensh.engine.making import bind, shows
from tensh.engine.ops import spectral
from tensh.engine.ops.shape import slice_dim
from tensh.engine.table import OPS

ONE = "(Tensor input, int n = None, int dim = -1, str norm = None, *, Tensor out = None)"
MANY = "(Tensor input, tuple of ints s = None, tuple of ints dim = None, str norm = None, *, Tensor out = None)"
TWO = MANY.replace("dim = None", "dim = (-2,-1)")


class Unusual(TypeError):
    """An argument is of the wrong kind, or must be converted first."""


# ── declaring ────────────────────────────────────────────────────────────────
def public(name, form, compute, doc):
    """Declare ``torch.fft.NAME``, which computes ``compute(input, n or s, dim, norm, out)``.

    The plain call is tried first: binding the arguments by the signature costs 5 µs.
    """
    several = form is not ONE

    @shows(f"input, {'s' if several else 'n'}=None, dim={DEFAULTS[form]}, norm=None, *", "out=None")
    def function(*args, **given):
        try:
            return compute(*args, **given)
        except Exception:
            pass
        if "axis" in given:
            given["dim"] = given.pop("axis")
        if several:
            args, given = in_tuples(args, given, 1, 2)
        return compute(**bind(f"fft_{name}", (form,), args, given))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    fft(function)


DEFAULTS = {ONE: -1, MANY: None, TWO: (-2, -1)}


def in_tuple(value):
    """Where several numbers may be given, one may stand alone."""
    return (value,) if type(value) is int else value


def in_tuples(args, given, *places):
    """The same for the arguments at these places, and those called ``s`` and ``dim``."""
    args = [in_tuple(value) if place in places else value for place, value in enumerate(args)]
    return args, {name: in_tuple(value) if name in ("s", "dim") else value for name, value in given.items()}


# ── arguments ────────────────────────────────────────────────────────────────
class Scalings(dict):
    """(``norm``, forward?) -> which of the two directions divides, and by what, as the operators call it."""

    def __missing__(self, key):
        raise RuntimeError(f'Invalid normalization mode: "{key[0]}"')


SCALINGS = Scalings(
    ((norm, forward), 1 if norm == "ortho" else 2 if (norm == "forward") == forward else 0)
    for norm in (None, "backward", "forward", "ortho")
    for forward in (True, False)
)


def floating(x, complex_too=False):
    """Integers as floating point numbers; as complex ones with ``complex_too``."""
    kind, size = x.array.dtype.kind, x.array.dtype.itemsize
    if kind == "c" or kind == "f" and size > 2 and not complex_too:
        return x
    dtype = get_default_dtype() if kind in "biu" else x.dtype
    if dtype.numpy.itemsize == 2 or kind == "W":
        raise RuntimeError(f"Unsupported dtype {dtype.title}")
    return x.to(dtype.to_complex() if complex_too else dtype)


def require_real(name, x, words="a real input tensor"):
    if x.array.dtype.kind == "c":
        raise RuntimeError(f"{name} expects {words}, but got {x.dtype.title}")


def require_kind(name, out, kinds, words):
    """Raise unless ``out`` can take a result of this kind."""
    if out.array.dtype.kind not in kinds:
        raise RuntimeError(f"{name} expects a {words} output tensor, but got {out.dtype.title}")


def positive(size):
    if size < 1:
        raise RuntimeError(f"Invalid number of data points ({size}) specified")
    return size


def resized(x, dims, sizes):
    """The elements along ``dims`` cut to the sizes, or followed by zeros."""
    pads = [0] * (2 * x.array.ndim)
    for dim, size in zip(dims, sizes, strict=True):
        own = x.array.shape[dim]
        if size < own:
            x = slice_dim.fn(x, dim, 0, size, 1)
        elif size > own:
            pads[2 * (x.array.ndim - 1 - dim) + 1] = size - own
    return OPS["constant_pad_nd"].fn(x, pads, 0) if any(pads) else x


def one_dim(x, n, dim):
    """The dimension from 0, and ``x`` with ``n`` elements along it."""
    d = wrap_dim(dim, x.array.ndim, scalar=False)
    if n is None:
        positive(x.array.shape[d])
        return d, x
    if type(n) is not int:
        raise Unusual
    return d, resized(x, (d,), (positive(n),))


def many_dims(x, s, dim):
    """(dimensions from 0, sizes) of a transform along several dimensions."""
    ndim, shape = x.array.ndim, x.array.shape
    if dim is not None:
        dims = tuple([wrap_dim(d, ndim, scalar=False) for d in dim])
        if len(set(dims)) < len(dims):
            raise RuntimeError("FFT dims must be unique")
    elif s is None:
        dims = tuple(range(ndim))
    else:
        if len(s) > ndim:
            raise RuntimeError(f"Got shape with {len(s)} values but input tensor only has {ndim} dimensions.")
        dims = tuple(range(ndim - len(s), ndim))
    if s is None:
        sizes = [shape[d] for d in dims]
    else:
        if any(type(n) is not int for n in s):
            raise Unusual
        if len(dims) != len(s):
            raise RuntimeError("When given, dim and shape arguments must have the same length")
        sizes = [shape[d] if n == -1 else n for d, n in zip(dims, s, strict=True)]
    for size in sizes:
        positive(size)
    return dims, sizes


def some_dims(name, x, s, dim):
    """The same, but at least one."""
    dims, sizes = many_dims(x, s, dim)
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")
    return dims, sizes


def half_sizes(name, x, s, dim):
    """(dimensions, sizes of the half that is given, number of real elements in the last dimension)."""
    dims, sizes = some_dims(name, x, s, dim)
    last = 2 * (sizes[-1] - 1) if s is None or s[-1] == -1 else sizes[-1]
    return dims, [*sizes[:-1], positive(last) // 2 + 1], last


def finished(result, out, operator):
    """The result, in ``out`` if there is one; errors call that by the operator."""
    return result if out is None else into(out, result, f"_{operator.name}")


# ── one dimension ────────────────────────────────────────────────────────────
def full(name, forward):
    """From any numbers to complex ones."""

    def compute(input, n=None, dim=-1, norm=None, *, out=None):
        if out is not None:
            require_kind(name, out, "c", "complex")
        d, x = one_dim(floating(input), n, dim)
        if x.array.dtype.kind == "c":
            result = spectral.fft_c2c.fn(x, (d,), SCALINGS[norm, forward], forward)
            return finished(result, out, spectral.fft_c2c)
        result = spectral.fft_r2c.fn(x, (d,), SCALINGS[norm, forward], False)
        return finished(result if forward else result.conj(), out, spectral.fft_r2c)

    return compute


def from_real(name, forward):
    """From real numbers to the first half of complex ones."""

    def compute(input, n=None, dim=-1, norm=None, *, out=None):
        require_real(name, input)
        if out is not None:
            require_kind(name, out, "c", "complex")
        d, x = one_dim(floating(input), n, dim)
        result = spectral.fft_r2c.fn(x, (d,), SCALINGS[norm, forward], True)
        return finished(result if forward else result.conj(), out, spectral.fft_r2c)

    return compute


def to_real(name, forward):
    """From the first half of complex numbers to real ones."""

    def compute(input, n=None, dim=-1, norm=None, *, out=None):
        if out is not None:
            require_kind(name, out, "fV", "floating point")
        x = floating(input, complex_too=True)
        d = wrap_dim(dim, x.array.ndim, scalar=False)
        if n is not None and type(n) is not int:
            raise Unusual
        last = positive(2 * (x.array.shape[d] - 1) if n is None else n)
        if n is not None:
            x = resized(x, (d,), (last // 2 + 1,))
        scale = SCALINGS[norm, forward]
        result = spectral.fft_c2r.fn(x.conj() if forward else x, (d,), scale, last)
        return finished(result, out, spectral.fft_c2r)

    return compute


# ── several dimensions ───────────────────────────────────────────────────────
def full_many(forward):
    def compute(input, s=None, dim=None, norm=None, *, out=None):
        if out is not None:
            require_kind("fftn", out, "c", "complex")
        dims, sizes = many_dims(input, in_tuple(s), in_tuple(dim))
        x = resized(floating(input, complex_too=True), dims, sizes)
        return finished(spectral.fft_c2c.fn(x, dims, SCALINGS[norm, forward], forward), out, spectral.fft_c2c)

    return compute


def rfft_many(input, s=None, dim=None, norm=None, *, out=None):
    require_real("rfftn", input, "a real-valued input tensor")
    if out is not None:
        require_kind("rfftn", out, "c", "complex")
    dims, sizes = some_dims("rfftn", input, in_tuple(s), in_tuple(dim))
    x = resized(floating(input), dims, sizes)
    return finished(spectral.fft_r2c.fn(x, dims, SCALINGS[norm, True], True), out, spectral.fft_r2c)


def irfft_many(input, s=None, dim=None, norm=None, *, out=None):
    if out is not None:
        require_kind("irfftn", out, "fV", "floating point")
    dims, sizes, last = half_sizes("irfftn", input, in_tuple(s), in_tuple(dim))
    x = resized(floating(input, complex_too=True), dims, sizes)
    return finished(spectral.fft_c2r.fn(x, dims, SCALINGS[norm, False], last), out, spectral.fft_c2r)


def hfft_many(input, s=None, dim=None, norm=None, *, out=None):
    if out is not None:
        require_kind("hfftn", out, "fV", "floating point")
    dims, sizes, last = half_sizes("hfftn", input, in_tuple(s), in_tuple(dim))
    x = resized(floating(input, complex_too=True), dims, sizes)
    scale = SCALINGS[norm, True]
    if len(dims) > 1:
        x = spectral.fft_c2c.fn(x, dims[:-1], scale, True)
    return finished(spectral.fft_c2r.fn(x.conj(), dims[-1:], scale, last), out, spectral.fft_c2r)


def ihfft_many(input, s=None, dim=None, norm=None, *, out=None):
    if out is not None:
        require_kind("ihfftn", out, "c", "complex")
    dims, sizes = some_dims("ihfftn", input, in_tuple(s), in_tuple(dim))
    x, scale = floating(input), SCALINGS[norm, False]
    if x.array.dtype.kind == "c":
        raise RuntimeError(f"Only supports floating-point dtypes, but found: {x.dtype.title}")
    half = spectral.fft_r2c.fn(resized(x, dims, sizes), dims[-1:], scale, True)
    if len(dims) == 1:
        return finished(half.conj(), out, spectral.fft_r2c)
    return finished(spectral.fft_c2c.fn(half.conj_physical(), dims[:-1], scale, False), out, spectral.fft_c2c)


# ── the table ────────────────────────────────────────────────────────────────
def family(name, one, many, what, details):
    """Declare ``NAME`` along one dimension, ``NAMEn`` along several, ``NAME2`` along the last two."""
    public(name, ONE, one, f"{what} along ``dim``.{SIZE}{details}")
    public(f"{name}n", MANY, many, f"{what} along several dimensions, by default all.{SIZES}{details}")

    def two(input, s=None, dim=DEFAULTS[TWO], norm=None, *, out=None):
        if dim is None:
            raise Unusual
        return many(input, s, dim, norm, out=out)

    public(f"{name}2", TWO, two, f"{what} along two dimensions, by default the last.{SIZES}{details}")


SIZE = "\n\n``n`` elements are transformed: the dimension is cut, or filled up with zeros.  "
SIZES = "\n\n``s`` says how many elements are transformed: dimensions are cut, or filled up with zeros.  "
NORM = (
    '``norm`` says where to divide\nby the number of elements: "backward" (the inverse does, the default), "forward" or '
    '"ortho" (both by its root).\nDifferentiable; RuntimeError for 16 bit floating point numbers'
)

family("fft", full("fft", True), full_many(True), "The discrete Fourier transform", f"{NORM}.")
family("ifft", full("ifft", False), full_many(False), "The inverse discrete Fourier transform", f"{NORM}.")
family(
    "rfft", from_real("rfft", True), rfft_many,
    "The first half (of the last dimension) of the Fourier transform of real numbers; the rest is its mirror",
    f"{NORM} and complex ones.",
)  # fmt: skip
family(
    "irfft", to_real("irfft", False), irfft_many,
    "The inverse of ``rfft``: 2 (m - 1) real numbers from a half of m complex ones, unless the size says otherwise,",
    f"{NORM}.",
)  # fmt: skip
family(
    "hfft", to_real("hfft", True), hfft_many,
    "The Fourier transform, which is real, of numbers of which the first half is given and the rest is its mirror",
    f"{NORM}.",
)  # fmt: skip
family(
    "ihfft", from_real("ihfft", False), ihfft_many,
    "The inverse of ``hfft``: the first half of the inverse Fourier transform of real numbers",
    f"{NORM} and complex ones.",
)  # fmt: skip
