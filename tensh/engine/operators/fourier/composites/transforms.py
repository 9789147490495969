"""torch.fft: the transforms, composed of three operators."""

from tensh.engine.errors.messages import wrap_dim
from tensh.engine.operators.fourier import spectral
from tensh.engine.operators.fourier.composites.shared import (
    DEFAULTS,
    MANY,
    ONE,
    SCALINGS,
    TWO,
    Unusual,
    half_sizes,
    make_tuple,
    many_dims,
    one_dim,
    positive,
    public,
    require_kind,
    require_real,
    resize,
    some_dims,
    to_floating,
    write_result,
)


# ── one dimension ────────────────────────────────────────────────────────────
def declare_full(name, forward):
    """Transform any numbers to complex numbers."""

    def compute(input, n=None, dim=-1, norm=None, *, out=None):
        if out is not None:
            require_kind(name, out, "c", "complex")
        d, x = one_dim(to_floating(input), n, dim)
        if x.array.dtype.kind == "c":
            result = spectral.fft_c2c.fn(x, (d,), SCALINGS[norm, forward], forward)
            return write_result(result, out, spectral.fft_c2c)
        result = spectral.fft_r2c.fn(x, (d,), SCALINGS[norm, forward], False)
        return write_result(result if forward else result.conj(), out, spectral.fft_r2c)

    return compute


def from_real(name, forward):
    """Transform real numbers to the first half of complex numbers."""

    def compute(input, n=None, dim=-1, norm=None, *, out=None):
        require_real(name, input)
        if out is not None:
            require_kind(name, out, "c", "complex")
        d, x = one_dim(to_floating(input), n, dim)
        result = spectral.fft_r2c.fn(x, (d,), SCALINGS[norm, forward], True)
        return write_result(result if forward else result.conj(), out, spectral.fft_r2c)

    return compute


def to_real(name, forward):
    """Transform the first half of complex numbers to real numbers."""

    def compute(input, n=None, dim=-1, norm=None, *, out=None):
        if out is not None:
            require_kind(name, out, "fV", "floating point")
        x = to_floating(input, complex_too=True)
        d = wrap_dim(dim, x.array.ndim, scalar=False)
        if n is not None and type(n) is not int:
            raise Unusual
        last = positive(2 * (x.array.shape[d] - 1) if n is None else n)
        if n is not None:
            x = resize(x, (d,), (last // 2 + 1,))
        scale = SCALINGS[norm, forward]
        result = spectral.fft_c2r.fn(x.conj() if forward else x, (d,), scale, last)
        return write_result(result, out, spectral.fft_c2r)

    return compute


# ── several dimensions ───────────────────────────────────────────────────────
def declare_full_many(forward):
    """Transform complex numbers along several dimensions."""

    def compute(input, s=None, dim=None, norm=None, *, out=None):
        if out is not None:
            require_kind("fftn", out, "c", "complex")
        dims, sizes = many_dims(input, make_tuple(s), make_tuple(dim))
        x = resize(to_floating(input, complex_too=True), dims, sizes)
        return write_result(spectral.fft_c2c.fn(x, dims, SCALINGS[norm, forward], forward), out, spectral.fft_c2c)

    return compute


def rfft_many(input, s=None, dim=None, norm=None, *, out=None):
    require_real("rfftn", input, "a real-valued input tensor")
    if out is not None:
        require_kind("rfftn", out, "c", "complex")
    dims, sizes = some_dims("rfftn", input, make_tuple(s), make_tuple(dim))
    x = resize(to_floating(input), dims, sizes)
    return write_result(spectral.fft_r2c.fn(x, dims, SCALINGS[norm, True], True), out, spectral.fft_r2c)


def irfft_many(input, s=None, dim=None, norm=None, *, out=None):
    if out is not None:
        require_kind("irfftn", out, "fV", "floating point")
    dims, sizes, last = half_sizes("irfftn", input, make_tuple(s), make_tuple(dim))
    x = resize(to_floating(input, complex_too=True), dims, sizes)
    return write_result(spectral.fft_c2r.fn(x, dims, SCALINGS[norm, False], last), out, spectral.fft_c2r)


def hfft_many(input, s=None, dim=None, norm=None, *, out=None):
    if out is not None:
        require_kind("hfftn", out, "fV", "floating point")
    dims, sizes, last = half_sizes("hfftn", input, make_tuple(s), make_tuple(dim))
    x = resize(to_floating(input, complex_too=True), dims, sizes)
    scale = SCALINGS[norm, True]
    if len(dims) > 1:
        x = spectral.fft_c2c.fn(x, dims[:-1], scale, True)
    return write_result(spectral.fft_c2r.fn(x.conj(), dims[-1:], scale, last), out, spectral.fft_c2r)


def ihfft_many(input, s=None, dim=None, norm=None, *, out=None):
    if out is not None:
        require_kind("ihfftn", out, "c", "complex")
    dims, sizes = some_dims("ihfftn", input, make_tuple(s), make_tuple(dim))
    x, scale = to_floating(input), SCALINGS[norm, False]
    if x.array.dtype.kind == "c":
        raise RuntimeError(f"Only supports floating-point dtypes, but found: {x.dtype.title}")
    half = spectral.fft_r2c.fn(resize(x, dims, sizes), dims[-1:], scale, True)
    if len(dims) == 1:
        return write_result(half.conj(), out, spectral.fft_r2c)
    return write_result(spectral.fft_c2c.fn(half.conj_physical(), dims[:-1], scale, False), out, spectral.fft_c2c)


# ── the table ────────────────────────────────────────────────────────────────
def family(name, one, many, what, shape, refused, given, result):
    """Declare ``NAME`` along one dimension, ``NAMEn`` along several, ``NAME2`` along two; ``NAME`` with an example."""
    example = f"\n\n>>> import tensh as torch\n>>> torch.fft.{name}(torch.tensor({given}))\n{result}\n"
    last = "" if shape is FULL else ", in the last of them"

    def describe(where, size, there=last):
        return f"{what}, along {where}.\n\nShape: {shape}{there}. {size}\n{NORM}{refused}."

    public(name, ONE, one, describe("``dim``", SIZE, "") + example)
    public(f"{name}n", MANY, many, describe("several dimensions, by default all", SIZES))

    def two(input, s=None, dim=DEFAULTS[TWO], norm=None, *, out=None):
        if dim is None:
            raise Unusual
        return many(input, s, dim, norm, out=out)

    public(f"{name}2", TWO, two, describe("two dimensions, by default the last", SIZES))


# shapes
FULL = "[..., n]"
TO_HALF = "[..., n] to [..., n // 2 + 1]"
FROM_HALF = "[..., m] to [..., n], where n is 2 (m - 1) by default"
SIZE = "``n`` elements are transformed: the dimension is cut, or filled up with zeros."
SIZES = "``s`` has an n for each dimension that is transformed: it is cut, or filled up with zeros."
NORM = (
    "``norm`` says where to divide by the number of elements: in the inverse ('backward', the default), 'forward',\n"
    "or by its root in both ('ortho').  Differentiable. Raise RuntimeError for 16 bit floating point numbers"
)
OR_COMPLEX = " and complex ones"

family(
    "fft", declare_full("fft", True), declare_full_many(True), "The discrete Fourier transform", FULL, "",
    "[1.0, 0.0, -1.0, 0.0]", "tensor([0.+0.j, 2.+0.j, 0.+0.j, 2.-0.j])",
)  # fmt: skip
family(
    "ifft", declare_full("ifft", False), declare_full_many(False), "The inverse discrete Fourier transform", FULL, "",
    "[0.0, 2.0, 0.0, 2.0]", "tensor([ 1.-0.j,  0.-0.j, -1.-0.j,  0.+0.j])",
)  # fmt: skip
family(
    "rfft", from_real("rfft", True), rfft_many,
    "The first half of the Fourier transform of real numbers, whose second half mirrors it", TO_HALF, OR_COMPLEX,
    "[1.0, 0.0, -1.0, 0.0]", "tensor([0.+0.j, 2.+0.j, 0.+0.j])",
)  # fmt: skip
family(
    "irfft", to_real("irfft", False), irfft_many,
    "The inverse of ``rfft``: real numbers from the first half of their transform", FROM_HALF, "",
    "[0.0, 2.0, 0.0]", "tensor([ 1.,  0., -1.,  0.])",
)  # fmt: skip
family(
    "hfft", to_real("hfft", True), hfft_many,
    "The real Fourier transform of a signal given by its first half, whose second half mirrors it", FROM_HALF, "",
    "[1.0, 0.0, -1.0]", "tensor([0., 2., 0., 2.])",
)  # fmt: skip
family(
    "ihfft", from_real("ihfft", False), ihfft_many,
    "The inverse of ``hfft``: the first half of the inverse transform of real numbers", TO_HALF, OR_COMPLEX,
    "[0.0, 2.0, 0.0, 2.0]", "tensor([ 1.-0.j,  0.-0.j, -1.-0.j])",
)  # fmt: skip
