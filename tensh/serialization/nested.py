"""Nested tensors in PyTorch's file format."""

from tensh.engine.core.tensor import Tensor
from tensh.serialization.containers import DamagedError, LackingError
from tensh.serialization.rebuilding import check


class NestedTensor:
    """The class named in a file; the objects made are of tensh's own class."""


class DimRange:
    """A stand-in for annotations of PyTorch's compiler on a dimension, which are ignored."""


def dim_range():
    return DimRange()


def require(fits, what="it contains an inconsistent nested tensor"):
    if not fits:
        raise DamagedError(what)


def whole_numbers(t, ndim):
    """Convert an integer tensor to lists."""
    require(isinstance(t, Tensor) and t.dim() == ndim and str(t.dtype) == "torch.int64")
    if t.is_meta:
        raise LackingError("a nested tensor on the device 'meta'")
    return t.tolist()


def count_numbers(*arguments):
    """Count the integers that ``strided`` or ``jagged`` reads from a file's tensors."""
    facts = arguments[0] if len(arguments) == 1 else None
    read = [facts.get("offsets"), facts.get("lengths")] if type(facts) is dict else arguments[1:]
    return sum(each.numel() for each in read if isinstance(each, Tensor))


def rebuild_strided(buffer, sizes, strides, offsets):
    """Rebuild a nested tensor in the layout torch.strided."""
    from tensh.nested.strided.pickling import rebuild

    starts = whole_numbers(offsets, 1)
    rows, steps = (whole_numbers(each, 2) if starts else [] for each in (sizes, strides))
    require(isinstance(buffer, Tensor) and buffer.dim() == 1 and len(rows) == len(steps) == len(starts))
    for size, stride, start in zip(rows, steps, starts):
        check(len(buffer), start, size, stride)
    return rebuild(buffer.detach(), rows, steps, starts, buffer.requires_grad)


def rebuild_jagged(facts):
    """Rebuild a nested tensor in the layout torch.jagged."""
    from tensh.nested.jagged.pickling import rebuild

    names = ("values", "offsets", "lengths", "_ragged_idx", "_metadata_cache", "requires_grad")
    require(type(facts) is dict and set(facts) == set(names))
    values, offsets, lengths, ragged, cache, requires_grad = (facts[name] for name in names)
    starts = whole_numbers(offsets, 1)
    require(isinstance(values, Tensor) and not values.is_nested and type(ragged) is int and 1 <= ragged <= values.dim())
    total = values.shape[ragged - 1]
    require(starts == sorted(starts) and len(starts) > 0 and starts[0] >= 0 and starts[-1] <= total)
    if lengths is not None:
        counts = whole_numbers(lengths, 1)
        require(len(counts) == len(starts) - 1 and all(0 <= n <= total - at for at, n in zip(starts, counts)))
    require(type(requires_grad) is bool and (values.is_floating_point() or values.is_complex() or not requires_grad))
    return rebuild(values.detach(), offsets, lengths, ragged, extremes(cache), requires_grad)


rebuild_jagged.makes_all = True


def extremes(cache):
    """Return the shortest and longest length, which PyTorch stores as the sizes of empty tensors."""
    require(type(cache) is dict and cache.keys() <= {"min_seqlen", "max_seqlen"})
    require(all(isinstance(each, Tensor) and each.dim() == 2 for each in cache.values()))
    return {name: each.shape[0] for name, each in cache.items()}
