"""Fillings for the holes of the grammar: dimensions, sizes, numbers and words."""

import itertools

from tests.fuzz.differential.grammar import DTYPES, NUMBERS
from tests.fuzz.differential.programs import hole, name_of


# ── dimensions ───────────────────────────────────────────────────────────────
@hole
def dim(f):
    n = max(f.a.ndim, 1)
    chosen = n + 1 if f.chance(30) else f.number(-n, n - 1)
    f.dims.append(chosen)
    return chosen


@hole
def newdim(f):
    return f.number(-f.a.ndim - 1, f.a.ndim)


@hole
def dims(f):
    n = f.a.ndim
    options = [(), *((d,) for d in range(n)), *itertools.combinations(range(n), 2)]
    chosen = f.pick(options)
    return -1 if f.chance(6) else chosen


@hole
def axes(f):
    """One dimension or two: without a dimension the derivative of PyTorch's variance is wrong."""
    n = f.a.ndim
    return f.pick([*((d,) for d in range(n)), *itertools.combinations(range(n), 2)] or [None])


@hole
def order(f):
    chosen = f.pick(list(itertools.permutations(range(f.a.ndim)))[::-1])
    return tuple(d - f.a.ndim for d in chosen) if f.chance(6) else chosen


@hole
def at(f):
    return f.number(-max(f.size, 1), max(f.size - 1, 0)) if not f.chance(30) else f.size


@hole
def at0(f):
    return f.number(-1, 1)


@hole
def count(f):
    return f.number(0, f.size)


@hole
def count1(f):
    return f.number(1, max(f.size, 1))


@hole
def step(f):
    return f.number(1, 3)


@hole
def pad(f):
    return f.number(0, 2)


@hole
def parts(f):
    first = f.number(0, f.size)
    return [first, f.size - first] if not f.chance(20) else [first, f.size]


@hole
def unflat(f):
    return f.pick([(1, f.size), (f.size, 1), (-1, 1), (f.size // 2, 2), (2, -1)])


# ── shapes ───────────────────────────────────────────────────────────────────
@hole
def size(f):
    shape = tuple(f.a.shape)
    options = [(-1,), (1, *shape), (*shape, 1), shape[::-1]]
    options += [(*shape[:d], shape[d] * shape[d + 1], *shape[d + 2 :]) for d in range(len(shape) - 1)]
    options += [(*shape[:d], shape[d] // 2, 2, *shape[d + 1 :]) for d in range(len(shape)) if shape[d] % 2 == 0]
    options += [(*shape[:d], -1, *shape[d + 1 :]) for d in range(len(shape))]
    options += [(5,)] if f.chance(10) else []
    return f.pick(options)


@hole
def newshape(f):
    return f.pick([(2,), (), (2, 3), (0,), (1, 2)])


@hole
def wider(f):
    shape = tuple(f.a.shape)
    grown = tuple(2 if n == 1 and f.chance(2) else -1 if f.chance(4) else n for n in shape)
    return (2, *(n if n != -1 else m for n, m in zip(grown, shape))) if f.chance(2) else grown


@hole
def strided(f):
    total = f.a.numel()
    options = [
        ((total,), (1,)),
        ((2, 2), (1, 1)),
        ((2,), (0,)),
        ((), ()),
        ((2, 1), (1, 2)),
        ((2, 2), (2, 1)),
        ((1, 2), (1, 2)),
    ]
    chosen, steps = f.pick(options)
    if f.a.untyped_storage().nbytes() > total * f.a.element_size() and not f.a._is_view():
        return f"{chosen}, {steps}" if outermost(chosen, steps) < total else "(), ()"
    return f"{chosen}, {steps}" + (", 1" if f.chance(4) else "")


def outermost(shape, steps):
    """The offset of the last element of a tensor."""
    return sum((n - 1) * step for n, step in zip(shape, steps))


@hole
def last(f):
    return (f.a.shape[-1],) if f.a.ndim else ()


@hole
def width(f):
    return f.a.shape[-1] if f.a.ndim else 1


# ── numbers, dtypes, words ───────────────────────────────────────────────────
@hole
def number(f):
    short = name_of(f.a.dtype) == "float16"  # with a complex number the result is complex32, which has few functions
    left_out = "j" if short or not f.a.detach().isfinite().all() else "nan" if f.a.is_complex() else "?"
    return f.pick([n for n in NUMBERS if left_out not in n])


@hole
def exponent(f):
    """A number; with False PyTorch's gradient would be 0 * x ** -1."""
    chosen = number(f)
    return "0" if chosen == "False" else chosen


@hole
def real(f):
    return f.pick(["0.5", "-1.0", "0.25", "1", "-2"])


@hole
def int(f):
    return f.number(-2, 2)


@hole
def dtype(f):
    return f.weighted(DTYPES)


@hole
def bits(f):
    """A dtype to view the memory as, in which no number is nan, since the bits of a nan depend on the processor.

    If the stride of the last dimension is arbitrary, it has the same size; bools are viewed as bools, because bytes
    other than 0 and 1 might be written there.
    """
    names = ["float32", "int32", "uint8", "int64", "complex64", "int16", "float64"]
    if name_of(f.a.dtype) == "bool":
        names = ["bool"]
    elif f.a.shape[-1:] == (1,):
        names = [name for name in names if getattr(f.world.module, name).itemsize == f.a.element_size()]
    return f.pick([name for name in names if not is_nan_as(f, name)] or [name_of(f.a.dtype)])


def is_nan_as(f, name):
    try:
        return bool(f.a.detach().view(getattr(f.world.module, name)).isnan().any())
    except RuntimeError:
        return False


@hole
def dense(f):
    """Return code that copies a gradient, because the memory layout of the gradient itself is arbitrary."""
    return "memory_format=torch.contiguous_format"


@hole
def rounding(f):
    return f.pick(["floor", "trunc"])


@hole
def reduce(f):
    return f.pick(["sum", "amax", "amin", "prod", "mean"])


@hole
def padding(f):
    return f.pick(["constant", "reflect", "replicate"])


@hole
def order_of_norm(f):
    return f.pick(["2", "1", "float('inf')", "-float('inf')", "0", "3", "0.5"])
