"""The step that gives samples in random order."""

import random
from typing import TypeVar

from tensh.utils.data.datapipes.datapipe import IterDataPipe, MapDataPipe
from tensh.utils.data.datapipes.utils.shuffling import Shuffling
from tensh.utils.data.sampler import draw_seed

__all__ = ["ShufflerIterDataPipe"]

Sample = TypeVar("Sample", covariant=True)


class ShufflerIterDataPipe(Shuffling, IterDataPipe[Sample]):
    """The samples at ``indices``, by default all, in random order (``pipe.shuffle()``): an IterDataPipe.

    Seeds come from ``set_seed``, from the loader, or else from ``torch.manual_seed``.

    >>> from tensh.utils.data.datapipes.map import SequenceWrapper
    >>> list(SequenceWrapper(range(5)).shuffle().set_seed(0))
    [2, 1, 0, 4, 3]
    """

    def __init__(self, datapipe, *, indices=None):
        super().__init__()
        self.datapipe = datapipe
        self.indices = list(range(len(datapipe))) if indices is None else indices
        self._enabled, self._seed, self._rng = True, None, random.Random()
        self._shuffled_indices = self.indices

    def __iter__(self):
        if self._enabled:
            while self._shuffled_indices:
                yield self.datapipe[self._shuffled_indices.pop()]
        else:
            for index in self.indices:
                yield self.datapipe[index]

    def reset(self):
        """Begin with the order of this pass."""
        self._rng.seed(draw_seed() if self._enabled and self._seed is None else self._seed)
        self._seed = None
        self._shuffled_indices = self._rng.sample(self.indices, len(self.indices))

    def __len__(self):
        return len(self.datapipe)

    def __getstate__(self):
        state = (self.datapipe, self.indices, self._enabled, self._seed, self._rng.getstate(), self._shuffled_indices)
        state += (self._valid_iterator_id, self._number_of_samples_yielded)
        return state if IterDataPipe.getstate_hook is None else IterDataPipe.getstate_hook(state)

    def __setstate__(self, state):
        self.datapipe, self.indices, self._enabled, self._seed, numbers, self._shuffled_indices = state[:6]
        self._valid_iterator_id, self._number_of_samples_yielded = state[6:]
        self._rng = random.Random()
        self._rng.setstate(numbers)


MapDataPipe.register_datapipe_as_function("shuffle", ShufflerIterDataPipe)
