"""Sparse tensors in PyTorch's file format: the dense tensors they consist of, and their size."""

from tensh.engine import find_public
from tensh.engine.core.tensor import SPARSE, Tensor, wrap
from tensh.engine.dtypes.device import layout
from tensh.engine.dtypes.size import Size
from tensh.serialization.containers import DamagedError, LackingError

COMPRESSED = ("torch.sparse_csr", "torch.sparse_csc", "torch.sparse_bsr", "torch.sparse_bsc")


def sparse_facts(t):
    """Return the indices, values and size of a sparse tensor, for sparse_coo also whether it is coalesced.

    As in PyTorch, requires_grad is not stored.
    """
    array = SPARSE[type(t.array)](t.array)
    known = (array.coalesced,) if str(t.layout) == "torch.sparse_coo" else ()
    return (*map(wrap, array.indices), wrap(array.values), t.shape, *known)


def split_parts(kind, parts):
    """Return (whether the layout is compressed, dense tensors, size, whether indices are sorted and unique, or None)."""
    if not isinstance(kind, layout) or type(parts) is not tuple:
        raise DamagedError("it contains a sparse tensor without a layout")
    compressed = str(kind) in COMPRESSED
    if not compressed and str(kind) != "torch.sparse_coo":
        raise DamagedError(f"it contains a sparse tensor with the layout {kind}")
    tensors, rest = parts[: 2 + compressed], parts[2 + compressed :]
    if not rest or len(tensors) + len(rest) > 4 or not all(type(each) is Tensor for each in tensors):
        raise DamagedError("it contains a sparse tensor without its indices or values")
    size, coalesced = rest if len(rest) == 2 else (*rest, None)
    if type(size) not in (tuple, list, Size) or type(coalesced) not in (bool, type(None)):
        raise DamagedError("it contains a sparse tensor without a size")
    return compressed, tensors, size, coalesced


def outline_sparse(kind, parts):
    """Return the values of a sparse tensor in its place, while the indices are not known yet."""
    return split_parts(kind, parts)[1][-1]


def rebuild_sparse(kind, parts):
    """Rebuild a sparse tensor, checking its indices."""
    compressed, tensors, size, coalesced = split_parts(kind, parts)
    if any(each.is_meta for each in tensors):
        raise LackingError("a sparse tensor on the device 'meta'")
    try:
        if compressed:
            return find_public("sparse_compressed_tensor")(*tensors, size, layout=kind, check_invariants=True)
        return find_public("sparse_coo_tensor")(*tensors, size, is_coalesced=coalesced, check_invariants=True)
    except (RuntimeError, TypeError, ValueError, OverflowError) as error:
        raise DamagedError(f"it contains an inconsistent sparse tensor: {error}") from None
