"""Placements of a tensor on several processes: replicated, cut along a dimension, or as terms of a sum."""

from dataclasses import dataclass


class Placement:
    """The placement on the processes of one dimension of a mesh."""

    def is_shard(self, dim=None):
        """Return True if each process has a part, along ``dim`` if given."""
        return isinstance(self, Shard) and dim in (None, self.dim)

    def is_replicate(self):
        """Return True if each process has the whole tensor."""
        return isinstance(self, Replicate)

    def is_partial(self, reduce_op=None):
        """Return True if each process has a term, of ``reduce_op`` if given."""
        return isinstance(self, Partial) and reduce_op in (None, self.reduce_op)


@dataclass(frozen=True)
class Shard(Placement):
    """Each process has a part along a dimension.

    >>> import tensh as torch
    >>> torch.distributed.tensor.Shard(1)
    Shard(dim=1)
    """

    dim: int

    def __str__(self):
        return f"S({self.dim})"


@dataclass(frozen=True)
class _StridedShard(Shard):
    split_factor: int = 1


@dataclass(frozen=True)
class Replicate(Placement):
    """Each process has the whole."""

    def __str__(self):
        return "R"


@dataclass(frozen=True, repr=False)
class Partial(Placement):
    """Each process has a term of the sum, or of another reduction, that gives the tensor."""

    reduce_op: str = "sum"

    def __repr__(self):
        return f"Partial({self.reduce_op})"

    def __str__(self):
        return f"P({self.reduce_op})"


def count_from_zero(placement, ndim):
    """Return a placement whose dimension, if it has one, is counted from 0."""
    return Shard(placement.dim % ndim) if type(placement) is Shard else placement


for _each in (Placement, Shard, _StridedShard, Replicate, Partial):
    _each.__module__ = "torch.distributed.tensor.placement_types"
