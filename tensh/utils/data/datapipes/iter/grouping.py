"""Steps that put samples together, or take them apart."""

from collections import defaultdict

from tensh.utils.data.datapipes._decorator import functional_datapipe
from tensh.utils.data.datapipes.datapipe import DataChunk, IterDataPipe
from tensh.utils.data.datapipes.utils.common import _check_unpickable_fn, length_of

__all__ = ["BatcherIterDataPipe", "GrouperIterDataPipe", "UnBatcherIterDataPipe"]


@functional_datapipe("batch")
class BatcherIterDataPipe(IterDataPipe[DataChunk]):
    """Lists of ``batch_size`` samples (``pipe.batch(2)``); ``drop_last`` leaves out a last one that is shorter.

    >>> from tensh.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper(range(5)).batch(2)), list(IterableWrapper(range(5)).batch(2, drop_last=True))
    ([[0, 1], [2, 3], [4]], [[0, 1], [2, 3]])
    """

    def __init__(self, datapipe, batch_size, drop_last=False, wrapper_class=DataChunk):
        if batch_size <= 0:
            raise AssertionError("Batch size is required to be larger than 0!")
        super().__init__()
        self.datapipe = datapipe
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.wrapper_class = wrapper_class

    def __iter__(self):
        batch = []
        for sample in self.datapipe:
            batch.append(sample)
            if len(batch) == self.batch_size:
                yield self.wrapper_class(batch)
                batch = []
        if batch and not self.drop_last:
            yield self.wrapper_class(batch)

    def __len__(self):
        length = length_of(self, self.datapipe)
        return length // self.batch_size if self.drop_last else -(-length // self.batch_size)


@functional_datapipe("unbatch")
class UnBatcherIterDataPipe(IterDataPipe):
    """The samples of lists, ``unbatch_level`` deep, -1 for all (``pipe.unbatch()``).

    >>> from tensh.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper([[[0, 1], [2]], [[3]]]).unbatch(unbatch_level=2))
    [0, 1, 2, 3]
    """

    def __init__(self, datapipe, unbatch_level=1):
        self.datapipe, self.unbatch_level = datapipe, unbatch_level

    def __iter__(self):
        for element in self.datapipe:
            yield from self._dive(element, self.unbatch_level)

    def _dive(self, element, unbatch_level):
        if unbatch_level < -1:
            raise ValueError("unbatch_level must be -1 or >= 0")
        if unbatch_level and isinstance(element, list):
            for each in element:
                yield from self._dive(each, max(unbatch_level - 1, -1))
        elif unbatch_level > 0:
            raise IndexError(f"unbatch_level {self.unbatch_level} exceeds the depth of the DataPipe")
        else:
            yield element


@functional_datapipe("groupby")
class GrouperIterDataPipe(IterDataPipe[DataChunk]):
    """Lists of samples for which ``group_key_fn`` returns the same (``pipe.groupby(fn)``), with the key if ``keep_key``.

    A group is given once it has ``group_size`` samples. If ``buffer_size`` samples wait, the largest group is: if it
    has fewer than ``guaranteed_group_size``, it is left out with ``drop_remaining`` and raises RuntimeError without.
    What is left at the end is given, however small. Raise AssertionError for sizes that contradict each other.

    >>> from tensh.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper("aBcD").groupby(str.isupper))
    [['a', 'c'], ['B', 'D']]
    """

    def __init__(
        self, datapipe, group_key_fn, *, keep_key=False, buffer_size=10000, group_size=None, guaranteed_group_size=None,
        drop_remaining=False,
    ):  # fmt: skip
        _check_unpickable_fn(group_key_fn)
        if group_size is not None and buffer_size is not None and not 0 < group_size <= buffer_size:
            raise AssertionError("group_size must be > 0 and <= buffer_size")
        if guaranteed_group_size is not None and not (group_size and 0 < guaranteed_group_size <= group_size):
            raise AssertionError("guaranteed_group_size must be > 0 and <= group_size and group_size must be set")
        self.datapipe, self.group_key_fn, self.keep_key = datapipe, group_key_fn, keep_key
        self.max_buffer_size, self.group_size, self.drop_remaining = buffer_size, group_size, drop_remaining
        self.guaranteed_group_size = group_size if guaranteed_group_size is None else guaranteed_group_size
        self.wrapper_class = DataChunk
        self._clear()

    def _clear(self):
        self.curr_buffer_size = 0
        self.buffer_elements = defaultdict(list)

    def _give(self, key, samples):
        chunk = self.wrapper_class(samples)
        return (key, chunk) if self.keep_key else chunk

    def _remove_biggest_key(self):
        """Remove the largest group from the buffer and return it; None if it is left out."""
        key = max(self.buffer_elements, key=lambda each: len(self.buffer_elements[each]))
        samples = self.buffer_elements[key]
        is_small = self.guaranteed_group_size is not None and len(samples) < self.guaranteed_group_size
        if is_small and not self.drop_remaining:
            raise RuntimeError("Failed to group items", str(samples))
        self.curr_buffer_size -= len(self.buffer_elements.pop(key))
        return None if is_small else samples

    def __iter__(self):
        for sample in self.datapipe:
            key = self.group_key_fn(sample)
            self.buffer_elements[key].append(sample)
            self.curr_buffer_size += 1
            if self.group_size == len(self.buffer_elements[key]):
                yield self._give(key, self.buffer_elements[key])
                self.curr_buffer_size -= len(self.buffer_elements.pop(key))
            if self.curr_buffer_size == self.max_buffer_size:
                samples = self._remove_biggest_key()
                if samples is not None:
                    yield self._give(key, samples)
        for key in tuple(self.buffer_elements):
            samples = self.buffer_elements.pop(key)
            self.curr_buffer_size -= len(samples)
            yield self._give(key, samples)

    def reset(self):
        """Begin without groups."""
        self._clear()

    def __getstate__(self):
        state = (self.datapipe, self.group_key_fn, self.keep_key, self.max_buffer_size, self.group_size)
        state += (self.guaranteed_group_size, self.drop_remaining, self.wrapper_class)
        state += (self._valid_iterator_id, self._number_of_samples_yielded)
        return state if IterDataPipe.getstate_hook is None else IterDataPipe.getstate_hook(state)

    def __setstate__(self, state):
        self.datapipe, self.group_key_fn, self.keep_key, self.max_buffer_size, self.group_size = state[:5]
        self.guaranteed_group_size, self.drop_remaining, self.wrapper_class = state[5:8]
        self._valid_iterator_id, self._number_of_samples_yielded = state[8:]
        self._clear()
