"""The step that applies a function to each sample."""

from typing import TypeVar

from tensh.utils.data.datapipes._decorator import functional_datapipe
from tensh.utils.data.datapipes.datapipe import MapDataPipe
from tensh.utils.data.datapipes.utils.common import _check_unpickable_fn

__all__ = ["MapperMapDataPipe", "default_fn"]

Sample = TypeVar("Sample", covariant=True)


def default_fn(data):
    """Return a sample unchanged."""
    return data


@functional_datapipe("map")
class MapperMapDataPipe(MapDataPipe[Sample]):
    """Apply ``fn`` to each sample (``pipe.map(fn)``).

    >>> from tensh.utils.data.datapipes.map import SequenceWrapper
    >>> list(SequenceWrapper("ab").map(str.upper))
    ['A', 'B']
    """

    def __init__(self, datapipe, fn=default_fn):
        super().__init__()
        self.datapipe = datapipe
        _check_unpickable_fn(fn)
        self.fn = fn

    def __len__(self):
        return len(self.datapipe)

    def __getitem__(self, index):
        return self.fn(self.datapipe[index])
