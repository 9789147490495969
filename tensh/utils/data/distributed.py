"""The share that one of several processes has of a dataset."""

import math

from tensh.engine import find_public
from tensh.utils.data.sampler import Sampler

__all__ = ["DistributedSampler"]

randperm, Generator = find_public("randperm"), find_public("Generator")


class DistributedSampler(Sampler):
    """Every ``num_replicas``-th index from ``rank`` on, of all indices in an order that all processes agree on.

    Shares have the same length: indices from the beginning are repeated at the end, or dropped with ``drop_last``.  The
    order of an epoch follows from ``seed`` and ``set_epoch``.  By default ``num_replicas`` and ``rank`` are
    the number of processes of the process group and the rank in it. Raise ValueError if there is none, or the rank is
    out of range.

    >>> from tensh.utils.data import DistributedSampler
    >>> [list(DistributedSampler("abcde", 2, rank, shuffle=False)) for rank in range(2)]
    [[0, 2, 4], [1, 3, 0]]
    """

    def __init__(self, dataset, num_replicas=None, rank=None, shuffle=True, seed=0, drop_last=False):
        if num_replicas is None or rank is None:
            from tensh.distributed.groups import get_rank, get_world_size

            num_replicas = get_world_size() if num_replicas is None else num_replicas
            rank = get_rank() if rank is None else rank
        if not 0 <= rank < num_replicas:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.drop_last = drop_last
        size = len(dataset)
        self.num_samples = size // num_replicas if drop_last else math.ceil(size / num_replicas)
        self.total_size = self.num_samples * num_replicas
        self.shuffle = shuffle
        self.seed = seed

    def __iter__(self):
        size = len(self.dataset)
        if self.shuffle:
            order = randperm(size, generator=Generator().manual_seed(self.seed + self.epoch)).tolist()
        else:
            order = list(range(size))
        return iter([order[i % size] for i in range(self.rank, self.total_size, self.num_replicas)])

    def __len__(self):
        return self.num_samples

    def set_epoch(self, epoch):
        """Set the epoch, on which the order of the next pass depends."""
        self.epoch = epoch
