"""Steps that change the order of samples."""

import random
from typing import TypeVar

from tensh.utils.data.datapipes._decorator import functional_datapipe
from tensh.utils.data.datapipes.datapipe import IterDataPipe
from tensh.utils.data.datapipes.utils.common import length_of
from tensh.utils.data.datapipes.utils.shuffling import Shuffling
from tensh.utils.data.sampler import SequentialSampler, draw_seed

__all__ = ["SamplerIterDataPipe", "ShufflerIterDataPipe"]

Sample = TypeVar("Sample", covariant=True)


class SamplerIterDataPipe(IterDataPipe[Sample]):
    """The indices of a sampler, by default ``SequentialSampler``, for a pipe that has a length.

    >>> from tensh.utils.data.datapipes.iter import IterableWrapper, Sampler
    >>> list(Sampler(IterableWrapper("abc")))
    [0, 1, 2]
    """

    def __init__(self, datapipe, sampler=SequentialSampler, sampler_args=None, sampler_kwargs=None):
        if not hasattr(type(datapipe), "__len__"):
            raise AssertionError("Sampler class requires input datapipe implemented `__len__`")
        super().__init__()
        self.datapipe = datapipe
        self.sampler_args = () if sampler_args is None else sampler_args
        self.sampler_kwargs = {} if sampler_kwargs is None else sampler_kwargs
        self.sampler_kwargs["data_source"] = datapipe
        self.sampler = sampler(*self.sampler_args, **self.sampler_kwargs)

    def __iter__(self):
        return iter(self.sampler)

    def __len__(self):
        return length_of(self, self.sampler)


@functional_datapipe("shuffle")
class ShufflerIterDataPipe(Shuffling, IterDataPipe[Sample]):
    """Samples in random order (``pipe.shuffle()``): each is drawn from a buffer of ``buffer_size``, and replaced by the next.

    The order is that of PyTorch: seeds come from ``set_seed``, from the loader, or else from ``torch.manual_seed``.
    ``unbatch_level`` takes batches apart first. Raise AssertionError for an empty buffer.

    >>> from tensh.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper(range(5)).shuffle().set_seed(0))
    [3, 4, 0, 2, 1]
    """

    def __init__(self, datapipe, *, buffer_size=10000, unbatch_level=0):
        super().__init__()
        self._buffer = []
        if buffer_size <= 0:
            raise AssertionError("buffer_size should be larger than 0")
        self.datapipe = datapipe.unbatch(unbatch_level=unbatch_level) if unbatch_level else datapipe
        self.buffer_size = buffer_size
        self._enabled, self._seed, self._rng = True, None, random.Random()

    def __iter__(self):
        if not self._enabled:
            yield from self.datapipe
            return
        for sample in self.datapipe:
            if len(self._buffer) < self.buffer_size:
                self._buffer.append(sample)
                continue
            place = self._rng.randint(0, len(self._buffer) - 1)
            chosen, self._buffer[place] = self._buffer[place], sample
            yield chosen
        while self._buffer:
            yield self._buffer.pop(self._rng.randint(0, len(self._buffer) - 1))

    def __len__(self):
        return length_of(self, self.datapipe)

    def reset(self):
        """Begin with an empty buffer and the seed of this pass."""
        self._buffer = []
        if self._enabled:
            self._rng.seed(draw_seed() if self._seed is None else self._seed)
            self._seed = None

    def __getstate__(self):
        state = (self.datapipe, self.buffer_size, self._enabled, self._seed, self._buffer, self._rng.getstate())
        state += (self._valid_iterator_id, self._number_of_samples_yielded)
        return state if IterDataPipe.getstate_hook is None else IterDataPipe.getstate_hook(state)

    def __setstate__(self, state):
        self.datapipe, self.buffer_size, self._enabled, self._seed, self._buffer, numbers = state[:6]
        self._valid_iterator_id, self._number_of_samples_yielded = state[6:]
        self._rng = random.Random()
        self._rng.setstate(numbers)
