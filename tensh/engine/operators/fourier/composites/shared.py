"""Helpers of torch.fft: signatures, norms, sizes, checks."""

from tensh.engine.arguments.binding import bind
from tensh.engine.arguments.kinds import NO_FIT, take_int
from tensh.engine.arguments.lazy_signatures import shows
from tensh.engine.dtypes.dtype import HALF_COMPLEX, get_default_dtype
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.inplace.out import write_out
from tensh.engine.operators.layers.padding import constant_pad_nd
from tensh.engine.operators.namespaces import fft
from tensh.engine.operators.shapes.views import slice_dim

ONE = "(Tensor input, int n = None, int dim = -1, str norm = None, *, Tensor out = None)"
MANY = "(Tensor input, tuple of ints s = None, tuple of ints dim = None, str norm = None, *, Tensor out = None)"
TWO = MANY.replace("dim = None", "dim = (-2,-1)")


class Unusual(TypeError):
    """Raised for an argument of the wrong kind, or one that must be converted first."""


# ── declaring ────────────────────────────────────────────────────────────────
def public(name, form, compute, doc):
    """Declare ``torch.fft.NAME``, which computes ``compute(input, n or s, dim, norm, out)``.

    The plain call is tried first: binding the arguments by their signature costs 5 µs.
    """
    several = form is not ONE

    @shows(f"input, {'s' if several else 'n'}=None, dim={DEFAULTS[form]}, norm=None, *", "out=None")
    def function(*args, **given):
        try:
            return compute(*args, **given)
        except Exception:  # a fault of the computation itself is raised again below
            pass
        if "axis" in given:
            given["dim"] = given.pop("axis")
        if several:
            args, given = make_tuples(args, given, 1, 2)
        return compute(**bind(f"fft_{name}", (form,), args, given))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    fft(function)


DEFAULTS = {ONE: -1, MANY: None, TWO: (-2, -1)}


def make_tuple(value):
    """Return a tuple; a single number becomes a tuple of one."""
    return value if take_int(value) is NO_FIT else (value,)


def make_tuples(args, given, *places):
    """Wrap single numbers in tuples at these positions, and for the keywords ``s`` and ``dim``."""
    args = [make_tuple(value) if place in places else value for place, value in enumerate(args)]
    return args, {name: make_tuple(value) if name in ("s", "dim") else value for name, value in given.items()}


# ── arguments ────────────────────────────────────────────────────────────────
class Scalings(dict):
    """(``norm``, forward?) -> the operators' ``scaling`` for this direction."""

    def __missing__(self, key):
        raise RuntimeError(f'Invalid normalization mode: "{key[0]}"')


SCALINGS = Scalings(
    ((norm, forward), 1 if norm == "ortho" else 2 if (norm == "forward") == forward else 0)
    for norm in (None, "backward", "forward", "ortho")
    for forward in (True, False)
)


def to_floating(x, complex_too=False):
    """Convert integers to floating point numbers, or to complex numbers with ``complex_too``."""
    own = x.array.dtype
    dtype = get_default_dtype() if own.kind in "biu" else x.dtype
    if dtype.numpy.itemsize == 2 or own.char in HALF_COMPLEX:
        raise RuntimeError(f"Unsupported dtype {dtype.title}")
    if own.kind == "c" or own.kind == "f" and not complex_too:
        return x
    return x.to(dtype.to_complex() if complex_too else dtype)


def require_real(name, x, words="a real input tensor"):
    if x.array.dtype.kind == "c":
        raise RuntimeError(f"{name} expects {words}, but got {x.dtype.title}")


def require_kind(name, out, kinds, words):
    """Raise unless the dtype of ``out`` is of one of these kinds."""
    if out.array.dtype.kind not in kinds:
        raise RuntimeError(f"{name} expects a {words} output tensor, but got {out.dtype.title}")


def positive(size):
    if size < 1:
        raise RuntimeError(f"Invalid number of data points ({size}) specified")
    return size


def resize(x, dims, sizes):
    """Cut the elements along ``dims`` to the sizes, or pad them with zeros."""
    pads = [0] * (2 * x.array.ndim)
    for dim, size in zip(dims, sizes, strict=True):
        own = x.array.shape[dim]
        if size < own:
            x = slice_dim.fn(x, dim, 0, size, 1)
        elif size > own:
            pads[2 * (x.array.ndim - 1 - dim) + 1] = size - own
    return constant_pad_nd.fn(x, pads, 0) if any(pads) else x


def one_dim(x, n, dim):
    """Return the dimension from 0, and ``x`` with ``n`` elements along it."""
    d = wrap_dim(dim, x.array.ndim, scalar=False)
    if n is None and x.array.shape[d]:
        return d, x
    n = x.array.shape[d] if n is None else n
    if type(n) is not int:
        raise Unusual
    return d, resize(x, (d,), (positive(n),))


def many_dims(x, s, dim):
    """Return (dimensions from 0, sizes) of a transform along several dimensions."""
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
    """Return (dimensions from 0, sizes) of a transform along at least one dimension."""
    dims, sizes = many_dims(x, s, dim)
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")
    return dims, sizes


def half_sizes(name, x, s, dim):
    """Return (dimensions, sizes of the half that is given, number of real elements in the last dimension)."""
    dims, sizes = some_dims(name, x, s, dim)
    last = 2 * (sizes[-1] - 1) if s is None or s[-1] == -1 else sizes[-1]
    return dims, [*sizes[:-1], positive(last) // 2 + 1], last


def write_result(result, out, operator):
    """Return the result, written to ``out`` if given; errors name the operator."""
    return result if out is None else write_out(out, result, f"_{operator.name}")
