"""The step that selects samples."""

from typing import TypeVar

from tensh.utils.data.datapipes._decorator import functional_datapipe
from tensh.utils.data.datapipes.datapipe import IterDataPipe
from tensh.utils.data.datapipes.utils.common import StreamWrapper, _check_unpickable_fn, validate_input_col

__all__ = ["FilterIterDataPipe"]

Sample = TypeVar("Sample", covariant=True)


@functional_datapipe("filter")
class FilterIterDataPipe(IterDataPipe[Sample]):
    """The samples for which ``filter_fn`` returns True (``pipe.filter(fn)``), given the columns ``input_col`` as in ``map``.

    Raise ValueError if the function returns something else than a bool, or takes another number of arguments.

    >>> from tensh.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper("aBcD").filter(str.isupper))
    ['B', 'D']
    """

    def __init__(self, datapipe, filter_fn, input_col=None):
        super().__init__()
        self.datapipe = datapipe
        _check_unpickable_fn(filter_fn)
        self.filter_fn, self.input_col = filter_fn, input_col
        validate_input_col(filter_fn, input_col)

    def _apply_filter_fn(self, data):
        if self.input_col is None:
            return self.filter_fn(data)
        if isinstance(self.input_col, (list, tuple)):
            return self.filter_fn(*(data[column] for column in self.input_col))
        return self.filter_fn(data[self.input_col])

    def __iter__(self):
        for data in self.datapipe:
            found = self._apply_filter_fn(data)
            if not isinstance(found, bool):
                raise ValueError("Boolean output is required for `filter_fn` of FilterIterDataPipe, got", type(found))
            if found:
                yield data
            else:
                StreamWrapper.close_streams(data)
