"""What the holes of the grammar are filled with."""

import itertools

from differential_grammar import DTYPES, NUMBERS
from differential_programs import hole, is_leaf, small


def name_of(dtype):
    return str(dtype).removeprefix("torch.")


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
    """One dimension or two: of none, the derivative of PyTorch's variance is wrong."""
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
    return f"{chosen}, {steps}" + (", 1" if f.chance(4) else "")


@hole
def last(f):
    return (f.a.shape[-1],) if f.a.ndim else ()


@hole
def width(f):
    return f.a.shape[-1] if f.a.ndim else 1


# ── numbers, dtypes, words ───────────────────────────────────────────────────
@hole
def number(f):
    short = name_of(f.a.dtype) == "float16"  # with a complex number it gives complex32, which has few functions
    left_out = "j" if short else "nan" if f.a.is_complex() else "?"
    return f.pick([n for n in NUMBERS if left_out not in n])


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
    return f.pick(["float32", "int32", "uint8", "int64", "complex64", "int16", "float64"])


@hole
def dense(f):
    """How a gradient is copied: it may lie in memory in any way, its copy does not."""
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


@hole
def matrix_norm(f):
    return f.pick(["fro", "nuc"])


# ── tensors ──────────────────────────────────────────────────────────────────
@hole
def tensor(f):
    return f.suitable([])


def alone(f, t):
    """Does the tensor lie alone in its memory, so that PyTorch may make it larger?"""
    return (
        t.numel()
        and not t._is_view()
        and not (is_leaf(t) and t.requires_grad)
        and sum(shares(t, other) for other in f.world.tensors.values()) == 1
    )


@hole
def target(f):
    """A tensor to write into: of the size of the tensor, or alone in its memory."""
    tensors = f.world.tensors
    names = [n for n, t in tensors.items() if (alone(f, t) or t.shape == f.a.shape) and not written_first(f, t)]
    return f.pick(names) if names else f.make([])


@hole
def apart(f):
    """A tensor alone in other memory, or a new one."""
    names = [n for n, t in f.world.tensors.items() if t is not f.a and alone(f, t)]
    return f.pick(names) if names else f.make([])


def shares(one, other):
    return one.untyped_storage().data_ptr() == other.untyped_storage().data_ptr()


def written_first(f, t):
    """Would a write into the tensor that reads ``t`` read what it has written?"""
    dense = t.is_contiguous() and f.a.is_contiguous() and one_family(t, f.a)
    return shares(t, f.a) and t is not f.a and not dense


def one_family(one, other):
    """Is one a view of the other, or both of a third?  What ``data`` gives is not."""
    return (one if one._base is None else one._base) is (other if other._base is None else other._base)


@hole
def leaf(f):
    leaves = [n for n, t in f.world.tensors.items() if is_leaf(t) and t.requires_grad]
    return f.pick(leaves) if leaves else f.make(["requires"])


def dtype_beside(f):
    """Often the dtype of the tensor, otherwise any."""
    return name_of(f.a.dtype) if not f.chance(4) else f.weighted(DTYPES)


def castable(f, t):
    return (
        not written_first(f, t)
        and not (t.requires_grad and not f.a.is_floating_point() and not f.a.is_complex())
        and not (f.a.is_complex() and not t.detach().isfinite().all())
        and t.is_complex() <= f.a.is_complex()
        and (f.a.is_floating_point() or f.a.is_complex() or not t.is_floating_point() or small(t))
    )


@hole
def other(f):
    """A tensor that broadcasts with the tensor, or a new one."""
    shape = tuple(f.a.shape)
    fits = [n for n, t in f.world.tensors.items() if castable(f, t) and broadcasts(tuple(t.shape), shape)]
    if fits and f.chance(2):
        return f.pick(fits)
    cut = f.number(0, len(shape)) if f.chance(2) else 0
    chosen = tuple(1 if f.chance(5) else n for n in shape[cut:])
    chosen = (2, *chosen) if f.chance(12) else chosen
    return f.literal(chosen, dtype_beside(f))


def broadcasts(one, two):
    return all(m == n or m == 1 or n == 1 for m, n in zip(one[::-1], two[::-1]))


@hole
def same(f):
    shape = tuple(f.a.shape)
    fits = [n for n, t in f.world.tensors.items() if tuple(t.shape) == shape and not written_first(f, t)]
    return f.pick(fits) if fits and f.chance(2) else f.literal(shape, dtype_beside(f))


@hole
def like(f):
    return f.literal(tuple(f.a.shape), name_of(f.a.dtype)) if not f.chance(20) else f.literal((3,), "float32")


@hole
def number0d(f):
    """A tensor that fits everywhere: 0-d, recorded in one of three."""
    chosen = dtype_beside(f)
    return f.literal((), chosen, f.wants())


@hole
def vector(f):
    return f.literal((f.a.shape[-1] if f.a.ndim else 1,), dtype_beside(f))


@hole
def matrix(f):
    return f.literal((f.a.shape[-1] if f.a.ndim else 1, f.number(1, 3)), dtype_beside(f))


@hole
def weight(f):
    return f.literal((f.number(1, 3), f.a.shape[-1] if f.a.ndim else 1), dtype_beside(f), f.chance(3))


@hole
def kernel(f):
    return f.literal((2, f.a.shape[-2] or 1 if f.a.ndim > 1 else 1, f.number(1, 2)), name_of(f.a.dtype), f.chance(3))


@hole
def square(f):
    """A matrix that can be inverted: of the dtype of the tensor, or with its values."""
    n = f.number(1, 3)
    chosen = name_of(f.a.dtype) if f.a.is_floating_point() or f.a.is_complex() else "float64"
    if f.a.ndim == 2 and f.a.shape[0] == f.a.shape[1] and f.chance(2) and small(f.a):
        return f"({f.name} + 9 * torch.eye({f.a.shape[0]}, dtype={f.name}.dtype))"
    if f.a.ndim == 2:
        n = f.a.shape[0] or 1
    return f"({f.literal((n, n), chosen, positive=True)} + 9 * torch.eye({n}, dtype=torch.{chosen}))"


@hole
def positive(f):
    text = square(f)
    return f"{text} @ {text}.mT"


# ── indices ──────────────────────────────────────────────────────────────────
@hole
def mask(f):
    shape = tuple(f.a.shape)
    fits = [n for n, t in f.world.tensors.items() if str(t.dtype) == "torch.bool" and tuple(t.shape) == shape]
    if fits and f.chance(2):
        return f.pick(fits)
    if f.a.is_floating_point() and f.chance(4):
        return f"{f.name} > 0"
    cut = f.number(0, len(shape)) if f.chance(4) else 0
    return f.literal(shape[cut:], "uint8" if f.chance(12) else "bool")


def positions_in(f, length, size):
    f.length = length = length if size else 0
    return f.indices((length,), size)


@hole
def positions(f):
    return positions_in(f, f.number(0, 3), f.size)


@hole
def positions0(f):
    return positions_in(f, f.number(0, 3), f.a.shape[0] if f.a.ndim else 1)


@hole
def single(f):
    """Positions of which none comes twice."""
    f.length = min(f.number(0, 2), f.size)
    order = list(range(f.size))[:: -1 if f.chance(2) else 1][: f.length]
    return f"torch.tensor({order}, dtype=torch.int64)"


@hole
def source(f):
    """What goes to ``positions``."""
    shape = list(f.a.shape)
    if shape:
        d = f.dims[-1] if -len(shape) <= f.dims[-1] < len(shape) else 0
        shape[d] = f.length
    return (
        f.literal(tuple(shape), name_of(f.a.dtype), f.wants())
        if not f.chance(12)
        else f.literal(tuple(shape), "float32")
    )


def places_in(f, low):
    shape = [f.number(low, n) if not f.chance(2) else n for n in f.a.shape]
    if shape and f.dims and f.chance(3):
        d = f.dims[-1] if -len(shape) <= f.dims[-1] < len(shape) else 0
        shape[d] = f.number(low, 3)
    f.shape = tuple(shape)
    return f.indices(f.shape, f.size)


@hole
def places(f):
    """Indices for gather and scatter."""
    return places_in(f, 0)


@hole
def places0(f):
    f.dims = [0]
    return places_in(f, 1)


@hole
def places1(f):
    """Indices that name no place twice."""
    d = f.dims[-1] if f.a.ndim and -f.a.ndim <= f.dims[-1] < f.a.ndim else 0
    f.shape = tuple(1 if k == d % max(f.a.ndim, 1) else n for k, n in enumerate(f.a.shape))
    return f.indices(f.shape, f.size)


@hole
def beside(f):
    """What ``places`` scatters."""
    return f.literal(f.shape, name_of(f.a.dtype), f.wants()) if not f.chance(12) else f.literal(f.shape, "float64")


@hole
def everywhere(f):
    return f.indices(f.pick([(), (1,), (1, 1)]), f.a.numel())


def sliced(f, n):
    ends = ["", "0", "1", "2", "-1", "-2", str(n)]
    start, stop, by = f.pick(ends), f.pick(ends), f.pick(["", "", ":2", ":3"])
    return f"{start}:{stop}{by}"


@hole
def slice(f):
    f.text = sliced(f, f.a.shape[0] if f.a.ndim else 1)
    return f.text


def indexed(f, advanced):
    """The text of an index of the tensor, part by part; ``f.text`` remembers it."""
    parts, d, shape = [], 0, tuple(f.a.shape)
    while d < len(shape) and not f.chance(4):
        n = shape[d]
        kinds = ["slice", "slice", "int", ":", "None"] + (
            ["list", "tensor", "mask", "0d", "True", "2d"] if advanced else []
        )
        kind = f.pick(kinds)
        if kind == "slice":
            parts.append(sliced(f, n))
        elif kind == "int":
            parts.append(str(f.number(-max(n, 1), max(n - 1, 0)) if not f.chance(25) else n))
        elif kind == "list":
            parts.append(str([f.number(0, max(n - 1, 0)) for _ in range(f.number(1, 2))]))
        elif kind == "tensor":
            parts.append(f.indices((f.number(0, 2),), n))
        elif kind == "2d":
            parts.append(f.indices((1, 2), n))
        elif kind == "0d":
            parts.append(f.indices((), n))
        elif kind == "mask":
            parts.append(f.literal(shape[d : d + f.number(1, 2)], "bool"))
            d += 1
        else:
            parts.append(kind)
        d += kind not in ("None", "True")
    if f.chance(4) or not parts:
        parts.insert(f.number(0, len(parts)), "...")
    f.text = ", ".join(parts)
    return f.text


@hole
def index(f):
    return indexed(f, True)


@hole
def basic(f):
    return indexed(f, False)


@hole
def value(f):
    """What is written to the index: often of its shape."""
    text = getattr(f, "text", "...")
    try:
        with f.world.module.no_grad():
            shape = tuple(eval(f"{f.name}[{text}]", f.world.names).shape)
    except (IndexError, RuntimeError, TypeError, ValueError):
        shape = ()
    fits = [
        n
        for n, t in f.world.tensors.items()
        if castable(f, t) and broadcasts(tuple(t.shape), shape) and t.ndim <= len(shape)
    ]
    if fits and f.chance(2):
        return f.pick(fits)
    cut = f.number(0, len(shape)) if f.chance(3) else 0
    return f.literal(shape[cut:], dtype_beside(f), f.a.is_floating_point() and f.wants())
