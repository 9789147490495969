"""The boxes of a tensor that this rank has, and the intersections of boxes."""

import math

import tensh as torch
from tensh.distributed.checkpoint.metadata import ChunkStorageMetadata, MetadataIndex


class Chunks:
    """Some boxes of a tensor of a size and dtype, as a list of (offsets, sizes, local tensor)."""

    def __init__(self, size, dtype, chunks):
        self.shape, self.dtype, self.chunks = torch.Size(size), dtype, chunks

    def size(self):
        """Return the size of the whole tensor."""
        return self.shape


def is_split(value):
    """Return True for a tensor of which each rank may have a part: it has its own chunks, or placements on a mesh."""
    return isinstance(value, Chunks) or hasattr(value, "__create_chunk_list__") or is_placed(value)


def is_placed(value):
    """Return True for a tensor with placements on a mesh of ranks."""
    return hasattr(value, "to_local") and hasattr(value, "placements") and hasattr(value, "device_mesh")


def list_chunks(value):
    """Return the (offsets, sizes, local tensor) of this rank's boxes of a tensor; changes of a local tensor change ``value``.

    A tensor is one box. A split tensor has those that its ``__create_chunk_list__`` names, whose tensors
    ``__get_tensor_shard__`` returns, or the one that its placements mean. Raise ValueError for other values, and for
    placements from which no rank knows the value of an element.
    """
    if isinstance(value, Chunks):
        return value.chunks
    if hasattr(value, "__create_chunk_list__"):
        return [
            (chunk.offsets, chunk.sizes, value.__get_tensor_shard__(MetadataIndex("", chunk.offsets, number)))
            for number, chunk in enumerate(value.__create_chunk_list__())
        ]
    if is_placed(value):
        return _list_placed(value)
    if isinstance(value, torch.Tensor):
        return [(torch.Size([0] * value.dim()), value.shape, value)]
    raise ValueError(f"Unsupported Type, expecting one of [Tensor, DTensor, ShardedTensor] ,but got {type(value)}")


def _list_placed(value):
    """Return the box of a tensor with placements, none on a rank outside of its mesh."""
    mesh = value.device_mesh
    coordinate = mesh.get_coordinate()
    if coordinate is None:
        return []
    offsets, sizes = [0] * len(value.shape), list(value.shape)
    for dim, placement in enumerate(value.placements):
        if placement.is_replicate():
            continue
        if not placement.is_shard() or getattr(placement, "split_factor", 1) != 1:
            raise ValueError(f"a tensor placed as {placement} cannot be saved or loaded: redistribute it first")
        along = placement.dim % len(sizes)
        length = -(-sizes[along] // mesh.size(dim))  # the length of all parts but the last
        begin = min(coordinate[dim] * length, sizes[along])
        offsets[along] += begin
        sizes[along] = min(length, sizes[along] - begin)
    local = value.to_local()
    if tuple(local.shape) != tuple(sizes):
        raise ValueError(f"a part of shape {tuple(local.shape)} is not what {value.placements} means: {tuple(sizes)}")
    return [(torch.Size(offsets), torch.Size(sizes), local)]


def narrow_to(tensor, offsets, lengths):
    """Return a view of a box of a tensor."""
    for dim, (begin, length) in enumerate(zip(offsets, lengths, strict=True)):
        if (begin, length) != (0, tensor.shape[dim]):
            tensor = tensor.narrow(dim, begin, length)
    return tensor


def intersect(stored, local):
    """Return the intersection of two boxes as (begin in ``stored``, begin in ``local``, lengths); None if it is empty.

    The boxes are pairs of offsets and sizes.

    >>> from tensh.distributed.checkpoint.chunks import intersect
    >>> intersect(((0,), (4,)), ((3,), (5,)))
    ((3,), (0,), (1,))
    """
    begins = tuple(map(max, stored[0], local[0]))
    ends = tuple(min(a + n, b + m) for a, n, b, m in zip(*stored, *local, strict=True))
    if any(begin >= end for begin, end in zip(begins, ends, strict=True)):
        return None

    def within(box):
        return tuple(begin - offset for begin, offset in zip(begins, box[0], strict=True))

    return within(stored), within(local), tuple(end - begin for begin, end in zip(begins, ends, strict=True))


def find_faults(size, chunks, overlaps=True):
    """Yield what is wrong with the boxes that should make up a tensor of a size: outside of it, overlapping, incomplete.

    Boxes without elements do not count. The search for overlaps, which may take quadratic time, can be left out.
    """
    if any(len(chunk.offsets) != len(size) or len(chunk.sizes) != len(size) for chunk in chunks):
        yield f"has a chunk that is not of {len(size)} dimensions"
        return
    boxes = [(tuple(chunk.offsets), tuple(chunk.sizes)) for chunk in chunks if math.prod(chunk.sizes)]
    for offsets, sizes in boxes:
        if any(begin + length > end for begin, length, end in zip(offsets, sizes, size, strict=True)):
            yield f"has out of bounds chunk: tensor-size:{size} chunk: {ChunkStorageMetadata(offsets, sizes)}"
            return
    if overlaps and (pair := _find_overlap(size, boxes)):
        yield "has overlapping chunks: {} {}".format(*(ChunkStorageMetadata(*box) for box in pair))
    volume = sum(math.prod(sizes) for _, sizes in boxes)
    if volume != math.prod(size):
        yield f"invalid fill tensor-volume: {math.prod(size)} chunks-volume: {volume}"


def _find_overlap(size, boxes):
    """Return two boxes that share elements, or None: along the longest dimension, each meets only those not yet ended."""
    if not size:
        return boxes[:2] if len(boxes) > 1 else None
    along, active = max(range(len(size)), key=size.__getitem__), []
    for box in sorted(boxes, key=lambda box: box[0][along]):
        active = [other for other in active if other[0][along] + other[1][along] > box[0][along]]
        for other in active:
            if intersect(other, box):
                return other, box
        active.append(box)
    return None
