"""Sources of pipes: a sequence, or a dictionary."""

import copy
from typing import TypeVar

from tensh.engine.errors.warnings import warn
from tensh.utils.data.datapipes.datapipe import MapDataPipe

__all__ = ["SequenceWrapperMapDataPipe"]

Sample = TypeVar("Sample")


class SequenceWrapperMapDataPipe(MapDataPipe[Sample]):
    """The elements of a sequence or dictionary, of a copy of it with ``deepcopy``.

    >>> from tensh.utils.data.datapipes.map import SequenceWrapper
    >>> SequenceWrapper({"a": 1})["a"], list(SequenceWrapper(range(2)))
    (1, [0, 1])
    """

    def __init__(self, sequence, deepcopy=True):
        self.sequence = sequence
        if deepcopy:
            try:
                self.sequence = copy.deepcopy(sequence)
            except TypeError:
                warn(
                    "The input sequence can not be deepcopied, please be aware of in-place modification would affect "
                    "source data"
                )

    def __getitem__(self, index):
        return self.sequence[index]

    def __len__(self):
        return len(self.sequence)
