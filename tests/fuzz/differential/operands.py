"""Fillings for the holes of the grammar: tensors that match the tensor of the step."""

import itertools

from tests.fuzz.differential.grammar import DTYPES
from tests.fuzz.differential.programs import hole, is_leaf, name_of, small


# ── tensors ──────────────────────────────────────────────────────────────────
@hole
def tensor(f):
    return f.suitable([])


def alone(f, t):
    """Return True if no other tensor shares the tensor's memory, so that PyTorch may enlarge it."""
    return (
        t.numel()
        and not t._is_view()
        and not (is_leaf(t) and t.requires_grad)
        and sum(shares(t, other) for other in f.world.tensors.values()) == 1
    )


@hole
def target(f):
    """A tensor to write into: of the size of the result, or one that shares no memory."""
    tensors, shape = f.world.tensors, getattr(f, "result", tuple(f.a.shape))
    names = [n for n, t in tensors.items() if (alone(f, t) or tuple(t.shape) == shape) and not written_first(f, t)]
    return f.pick(names) if names else f.make([])


@hole
def apart(f):
    """A tensor that shares no memory with others, or a new one."""
    names = [n for n, t in f.world.tensors.items() if t is not f.a and alone(f, t)]
    return f.pick(names) if names else f.make([])


def shares(one, other):
    return one.untyped_storage().data_ptr() == other.untyped_storage().data_ptr()


def written_first(f, t):
    """Would a write into the tensor that reads ``t`` read elements that it has written?

    For dimensions of one element PyTorch decides by their strides, which are arbitrary.
    """
    dense = t.is_contiguous() and f.a.is_contiguous() and one_family(t, f.a) and 1 not in (*t.shape, *f.a.shape)
    return shares(t, f.a) and t is not f.a and not dense


def one_family(one, other):
    """Return True if one is a view of the other, or both are views of a third. The result of ``data`` is not a view."""
    return (one if one._base is None else one._base) is (other if other._base is None else other._base)


@hole
def leaf(f):
    leaves = [n for n, t in f.world.tensors.items() if is_leaf(t) and t.requires_grad]
    return f.pick(leaves) if leaves else f.make(["requires"])


@hole
def viewless(f):
    """A tensor without views: in PyTorch a view whose base requires grad only later has a graph that leads nowhere."""
    tensors = f.world.tensors
    names = [n for n, t in tensors.items() if not any(other._base is t for other in tensors.values())]
    return f.pick(names) if names else f.make([])


def dtype_beside(f):
    """The dtype of the tensor in most cases, otherwise any."""
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
        name = f.pick(fits)
        f.result = broadcast(tuple(f.world.tensors[name].shape), shape)
        return name
    cut = f.number(0, len(shape)) if f.chance(2) else 0
    chosen = tuple(1 if f.chance(5) else n for n in shape[cut:])
    chosen = (2, *chosen) if f.chance(12) else chosen
    f.result = broadcast(chosen, shape)
    return f.literal(chosen, dtype_beside(f))


def broadcasts(one, two):
    return all(m == n or m == 1 or n == 1 for m, n in zip(one[::-1], two[::-1]))


def broadcast(one, two):
    """The shape to which two shapes broadcast."""
    return tuple(n if m == 1 else m for m, n in itertools.zip_longest(one[::-1], two[::-1], fillvalue=1))[::-1]


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
    """A 0-d tensor, which matches every other; in one of three cases it has a history."""
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
    """An invertible matrix, of the dtype of the tensor or with its values."""
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
