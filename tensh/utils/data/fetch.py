"""Fetching a batch by an index or a list of indices, in the loader's process or a worker."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Any


@dataclass
class Source:
    """A dataset, and the way its samples are batched."""

    dataset: Any
    is_stream: bool  # samples come in an order that is not that of an index, which only counts them
    is_batched: bool  # an index is a list of indices
    drop_last: bool
    collate: Callable

    def reader(self):
        """Return a function from an index to a batch; it raises StopIteration at the end of a stream."""
        if not self.is_stream:
            return self._read_batch if self.is_batched else self._read_sample
        if self.is_batched:
            return self._stream_of_batches(iter(self.dataset))
        samples = iter(self.dataset)
        return lambda index: self.collate(next(samples))

    def _read_sample(self, index):
        return self.collate(self.dataset[index])

    def _read_batch(self, indices):
        many = getattr(self.dataset, "__getitems__", None)
        return self.collate(many(indices) if many else [self.dataset[index] for index in indices])

    def _stream_of_batches(self, samples):
        ended = False  # an iterator that has ended is not asked again

        def read(indices):
            nonlocal ended
            batch = [] if ended else list(islice(samples, len(indices)))
            ended = len(batch) < len(indices)
            if not batch or (ended and self.drop_last):
                raise StopIteration
            return self.collate(batch)

        return read
