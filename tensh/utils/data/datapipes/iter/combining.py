"""Steps that make one pipe of several, or several of one."""

from typing import TypeVar

from tensh.utils.data.datapipes._decorator import functional_datapipe
from tensh.utils.data.datapipes.datapipe import IterDataPipe
from tensh.utils.data.datapipes.iter._splitting import (
    _ChildDataPipe,
    _DemultiplexerIterDataPipe,
    _ForkerIterDataPipe,
)
from tensh.utils.data.datapipes.utils.common import _check_unpickable_fn, length_of

__all__ = [
    "ConcaterIterDataPipe",
    "DemultiplexerIterDataPipe",
    "ForkerIterDataPipe",
    "MultiplexerIterDataPipe",
    "ZipperIterDataPipe",
]

Sample = TypeVar("Sample", covariant=True)


# ── one pipe of several ──────────────────────────────────────────────────────
@functional_datapipe("concat")
class ConcaterIterDataPipe(IterDataPipe):
    """The samples of several pipes, one pipe after the other (``pipe.concat(other)``).

    >>> from tensh.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper("ab").concat(IterableWrapper("c")))
    ['a', 'b', 'c']
    """

    def __init__(self, *datapipes):
        if len(datapipes) == 0:
            raise ValueError("Expected at least one DataPipe, but got nothing")
        if not all(isinstance(each, IterDataPipe) for each in datapipes):
            raise TypeError("Expected all inputs to be `IterDataPipe`")
        self.datapipes = datapipes

    def __iter__(self):
        for each in self.datapipes:
            yield from each

    def __len__(self):
        return sum(length_of(self, each) for each in self.datapipes)


@functional_datapipe("mux")
class MultiplexerIterDataPipe(IterDataPipe):
    """One sample of each pipe in turn, until one of them ends (``pipe.mux(other)``).

    >>> from tensh.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper("abc").mux(IterableWrapper(range(2))))
    ['a', 0, 'b', 1]
    """

    def __init__(self, *datapipes):
        self.datapipes = datapipes
        self.buffer = []  # a round, which is given once every pipe has a sample for it

    def __iter__(self):
        iterators = [iter(each) for each in self.datapipes]
        while iterators:
            for each in iterators:
                try:
                    self.buffer.append(next(each))
                except StopIteration:
                    self.buffer.clear()
                    return
            yield from self.buffer
            self.buffer.clear()

    def __len__(self):
        return min(length_of(self, each) for each in self.datapipes) * len(self.datapipes)

    def reset(self):
        """Begin with an empty round."""
        self.buffer = []

    def __getstate__(self):
        state = (self.datapipes, self._valid_iterator_id, self._number_of_samples_yielded)
        return state if IterDataPipe.getstate_hook is None else IterDataPipe.getstate_hook(state)

    def __setstate__(self, state):
        self.datapipes, self._valid_iterator_id, self._number_of_samples_yielded = state
        self.buffer = []


@functional_datapipe("zip")
class ZipperIterDataPipe(IterDataPipe[tuple[Sample]]):
    """Tuples of one sample of each pipe, until one of them ends (``pipe.zip(other)``).

    >>> from tensh.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper("abc").zip(IterableWrapper(range(2))))
    [('a', 0), ('b', 1)]
    """

    def __init__(self, *datapipes):
        if not all(isinstance(each, IterDataPipe) for each in datapipes):
            raise TypeError("All inputs are required to be `IterDataPipe` for `ZipIterDataPipe`.")
        super().__init__()
        self.datapipes = datapipes

    def __iter__(self):
        yield from zip(*[iter(each) for each in self.datapipes])

    def __len__(self):
        return min(length_of(self, each) for each in self.datapipes)


# ── several pipes of one ─────────────────────────────────────────────────────
@functional_datapipe("fork")
class ForkerIterDataPipe(IterDataPipe):
    """Several pipes that give the same samples (``first, second = pipe.fork(2)``).

    The one that is ahead may be ``buffer_size`` samples ahead of the last (-1: any number), or BufferError is raised.
    ``copy`` is None for the same objects, ``"shallow"`` or ``"deep"`` for copies.

    >>> from tensh.utils.data.datapipes.iter import IterableWrapper
    >>> first, second = IterableWrapper(range(3)).fork(2)
    >>> list(first), list(second)
    ([0, 1, 2], [0, 1, 2])
    """

    def __new__(cls, datapipe, num_instances, buffer_size=1000, copy=None):
        require_some(num_instances)
        if num_instances == 1:
            return datapipe
        container = _ForkerIterDataPipe(datapipe, num_instances, buffer_size, copy)
        return [_ChildDataPipe(container, i) for i in range(num_instances)]


@functional_datapipe("demux")
class DemultiplexerIterDataPipe(IterDataPipe):
    """Several pipes, each with the samples of one class (``no, yes = pipe.demux(2, str.isupper)``).

    ``classifier_fn`` returns the number of the pipe; None leaves a sample out if ``drop_none``, or else raises
    ValueError as other results do. BufferError if more than ``buffer_size`` samples wait (-1: any number).

    >>> from tensh.utils.data.datapipes.iter import IterableWrapper
    >>> other, capital = IterableWrapper("aBcD").demux(2, str.isupper)
    >>> list(other), list(capital)
    (['a', 'c'], ['B', 'D'])
    """

    def __new__(cls, datapipe, num_instances, classifier_fn, drop_none=False, buffer_size=1000):
        require_some(num_instances)
        _check_unpickable_fn(classifier_fn)
        container = _DemultiplexerIterDataPipe(datapipe, num_instances, classifier_fn, drop_none, buffer_size)
        return [_ChildDataPipe(container, i) for i in range(num_instances)]


def require_some(num_instances):
    if num_instances < 1:
        raise ValueError(f"Expected `num_instances` larger than 0, but {num_instances} is found")
