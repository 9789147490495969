"""Fillings for the holes of the grammar: masks, positions, indices and values to write there."""

from tests.fuzz.differential.operands import broadcasts, castable, dtype_beside
from tests.fuzz.differential.programs import hole, name_of


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
    """Positions without repetition."""
    f.length = min(f.number(0, 2), f.size)
    order = list(range(f.size))[:: -1 if f.chance(2) else 1][: f.length]
    return f"torch.tensor({order}, dtype=torch.int64)"


@hole
def source(f):
    """Return the values that are written to ``positions``."""
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
    """Indices without repetition."""
    d = f.dims[-1] if f.a.ndim and -f.a.ndim <= f.dims[-1] < f.a.ndim else 0
    f.shape = tuple(1 if k == d % max(f.a.ndim, 1) else n for k, n in enumerate(f.a.shape))
    return f.indices(f.shape, f.size)


@hole
def beside(f):
    """Return the values that ``places`` scatters."""
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
    """Return the values that are written to an index, often of its shape."""
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
