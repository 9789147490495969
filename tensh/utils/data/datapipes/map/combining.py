"""Steps that make one pipe of several."""

from typing import TypeVar

from tensh.utils.data.datapipes._decorator import functional_datapipe
from tensh.utils.data.datapipes.datapipe import MapDataPipe

__all__ = ["ConcaterMapDataPipe", "ZipperMapDataPipe"]

Sample = TypeVar("Sample", covariant=True)


def require_pipes(datapipes):
    """Raise ValueError if there are no pipes, TypeError for others or for those without a length."""
    if len(datapipes) == 0:
        raise ValueError("Expected at least one DataPipe, but got nothing")
    if not all(isinstance(each, MapDataPipe) for each in datapipes):
        raise TypeError("Expected all inputs to be `MapDataPipe`")
    if not all(hasattr(type(each), "__len__") for each in datapipes):
        raise TypeError("Expected all inputs to be `Sized`")


@functional_datapipe("concat")
class ConcaterMapDataPipe(MapDataPipe):
    """The samples of several pipes, numbered one pipe after the other (``pipe.concat(other)``).

    >>> from tensh.utils.data.datapipes.map import SequenceWrapper
    >>> list(SequenceWrapper("ab").concat(SequenceWrapper("c")))
    ['a', 'b', 'c']
    """

    def __init__(self, *datapipes):
        require_pipes(datapipes)
        self.datapipes = datapipes

    def __getitem__(self, index):
        before = 0
        for each in self.datapipes:
            if index - before < len(each):
                return each[index - before]
            before += len(each)
        raise IndexError(f"Index {index} is out of range.")

    def __len__(self):
        return sum(map(len, self.datapipes))


@functional_datapipe("zip")
class ZipperMapDataPipe(MapDataPipe[tuple[Sample, ...]]):
    """Tuples of one sample of each pipe (``pipe.zip(other)``).

    >>> from tensh.utils.data.datapipes.map import SequenceWrapper
    >>> list(SequenceWrapper("ab").zip(SequenceWrapper(range(2))))
    [('a', 0), ('b', 1)]
    """

    def __init__(self, *datapipes):
        require_pipes(datapipes)
        self.datapipes = datapipes

    def __getitem__(self, index):
        found = []
        for each in self.datapipes:
            try:
                found.append(each[index])
            except IndexError as error:
                raise IndexError(f"Index {index} is out of range for one of the input MapDataPipes {each}.") from error
        return tuple(found)

    def __len__(self):
        return min(map(len, self.datapipes))
