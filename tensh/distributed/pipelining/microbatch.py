"""Batches in parts: arguments are split along a dimension, and results put together again."""

import tensh as torch
from tensh.engine.core.tensor import Tensor
from tensh.utils._pytree import tree_flatten, tree_unflatten

__all__ = ["TensorChunkSpec", "merge_chunks", "split_args_kwargs_into_chunks"]


class TensorChunkSpec:
    """The dimension along which a tensor is split.

    >>> from tensh.distributed.pipelining.microbatch import TensorChunkSpec
    >>> TensorChunkSpec(1).split_dim
    1
    """

    __module__ = "torch.distributed.pipelining.microbatch"

    def __init__(self, split_dim):
        self.split_dim = split_dim

    def __repr__(self):
        return f"{type(self).__module__}.TensorChunkSpec({self.split_dim})"

    def __str__(self):
        return f"TensorChunkSpec({self.split_dim})"

    @staticmethod
    def from_tuple(chunk_dims):
        """Return the specifications for a tuple of dimensions."""
        return tuple(map(TensorChunkSpec, chunk_dims))

    @staticmethod
    def from_dict(chunk_dims):
        """Return the specifications for a dictionary of dimensions."""
        return {name: TensorChunkSpec(dim) for name, dim in chunk_dims.items()}


def dimension_of(spec):
    """Return the dimension of a specification: by default the first, None for a value that every part gets whole."""
    return 0 if spec is None else getattr(spec, "split_dim", None)


def split_tree(tree, specs, count):
    """Return a structure in ``count`` parts; ``specs`` has the same structure with dimensions, or is None."""
    leaves, form = tree_flatten(tree)
    parts = [[] for _ in range(count)]
    for leaf, dim in zip(leaves, list_dimensions(leaves, specs), strict=True):
        split = [leaf] * count if dim is None else torch.tensor_split(leaf, count, dim)
        for part, each in zip(parts, split, strict=True):
            part.append(each)
    return [tree_unflatten(part, form) for part in parts]


def list_dimensions(leaves, specs):
    """Return the dimension along which each leaf is split, or None."""
    known = [None] * len(leaves) if specs is None else tree_flatten(specs)[0]
    return [dimension_of(spec) if isinstance(leaf, Tensor) else None for leaf, spec in zip(leaves, known, strict=True)]


def split_args_kwargs_into_chunks(args, kwargs, chunks, args_chunk_spec=None, kwargs_chunk_spec=None):
    """Return (arguments of each part, keywords of each part) of a batch that is split into ``chunks`` parts.

    Tensors are split along their first dimension, or as ``TensorChunkSpec`` says; all else is the same in every part.
    There are fewer parts where a tensor has fewer rows.

    >>> import tensh as torch
    >>> from tensh.distributed.pipelining.microbatch import split_args_kwargs_into_chunks
    >>> split_args_kwargs_into_chunks((torch.arange(4), 2), {}, 2)
    ([(tensor([0, 1]), 2), (tensor([2, 3]), 2)], [{}, {}])
    """
    given = (tuple(args), args_chunk_spec), (dict(kwargs or {}), kwargs_chunk_spec)
    for tree, specs in given:
        leaves = tree_flatten(tree)[0]
        for leaf, dim in zip(leaves, list_dimensions(leaves, specs), strict=True):
            chunks = chunks if dim is None else min(chunks, leaf.size(dim))
    return tuple(split_tree(tree, specs, chunks) for tree, specs in given)


def merge_chunks(chunks, chunk_spec):
    """Return the result of a batch from those of its parts: tensors are put one after the other.

    >>> import tensh as torch
    >>> from tensh.distributed.pipelining.microbatch import merge_chunks
    >>> merge_chunks([torch.zeros(1), torch.ones(2)], None)
    tensor([0., 1., 1.])
    """
    flat = [tree_flatten(each) for each in chunks]
    known = [None] * len(flat[0][0]) if chunk_spec is None else tree_flatten(chunk_spec)[0]
    merged = [
        torch.cat(parts, dimension_of(spec)) if isinstance(parts[0], Tensor) and parts[0].dim() else parts[0]
        for spec, *parts in zip(known, *(leaves for leaves, _ in flat), strict=True)
    ]
    return tree_unflatten(merged, flat[0][1])
