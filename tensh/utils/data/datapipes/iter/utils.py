"""Sources of pipes: an iterable."""

import copy
from typing import TypeVar

from tensh.engine.errors.warnings import warn
from tensh.utils.data.datapipes.datapipe import IterDataPipe
from tensh.utils.data.datapipes.utils.common import length_of

__all__ = ["IterableWrapperIterDataPipe"]

Sample = TypeVar("Sample")


class IterableWrapperIterDataPipe(IterDataPipe[Sample]):
    """The elements of an iterable; with ``deepcopy`` of a copy, made for each pass, which steps may change.

    >>> from tensh.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper(range(3)))
    [0, 1, 2]
    """

    def __init__(self, iterable, deepcopy=True):
        self.iterable, self.deepcopy = iterable, deepcopy

    def __iter__(self):
        source = self.iterable
        if self.deepcopy:
            try:
                source = copy.deepcopy(source)
            except TypeError:  # a generator, or an open file
                warn(
                    "The input iterable can not be deepcopied, please be aware of in-place modification would affect "
                    "source data."
                )
        yield from source

    def __len__(self):
        return length_of(self, self.iterable)
