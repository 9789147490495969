"""Steps that apply a function to each sample."""

from typing import TypeVar

from tensh.utils.data._utils.collate import default_collate
from tensh.utils.data.datapipes._decorator import functional_datapipe
from tensh.utils.data.datapipes.datapipe import IterDataPipe
from tensh.utils.data.datapipes.utils.common import _check_unpickable_fn, length_of, validate_input_col

__all__ = ["CollatorIterDataPipe", "MapperIterDataPipe"]

Sample = TypeVar("Sample", covariant=True)


@functional_datapipe("map")
class MapperIterDataPipe(IterDataPipe[Sample]):
    """Apply ``fn`` to each sample (``pipe.map(fn)``).

    ``input_col`` gives ``fn`` one column of a sample instead, an index or a key, or several, an argument each. The
    result takes the place of the first of them, and the others are left out; or it becomes ``output_col``, where -1
    appends it.

    Raise ValueError if ``fn`` takes another number of arguments, or for ``output_col`` without ``input_col``.

    >>> import operator
    >>> from tensh.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper([(1, 2, 3)]).map(operator.add, input_col=[0, 2]))
    [(4, 2)]
    """

    def __init__(self, datapipe, fn, input_col=None, output_col=None):
        super().__init__()
        self.datapipe = datapipe
        _check_unpickable_fn(fn)
        self.fn, self.input_col = fn, input_col
        if input_col is None and output_col is not None:
            raise ValueError("`output_col` must be None when `input_col` is None.")
        if isinstance(output_col, (list, tuple)):
            if len(output_col) > 1:
                raise ValueError("`output_col` must be a single-element list or tuple")
            output_col = output_col[0]
        self.output_col = output_col
        validate_input_col(fn, input_col)

    def _apply_fn(self, data):
        if self.input_col is None:
            return self.fn(data)
        columns = self.input_col if isinstance(self.input_col, (list, tuple)) else [self.input_col]
        result = self.fn(*(data[column] for column in columns))
        changed = list(data) if isinstance(data, tuple) else data
        if self.output_col is None:
            changed[columns[0]] = result
            for column in sorted(columns[1:], reverse=True):
                del changed[column]
        elif self.output_col == -1:
            changed.append(result)
        else:
            changed[self.output_col] = result
        return tuple(changed) if isinstance(data, tuple) else changed

    def __iter__(self):
        for data in self.datapipe:
            yield self._apply_fn(data)

    def __len__(self):
        return length_of(self, self.datapipe)


@functional_datapipe("collate")
class CollatorIterDataPipe(MapperIterDataPipe):
    """Make tensors of each sample, by ``default_collate`` or ``collate_fn`` (``pipe.batch(2).collate()``).

    >>> from tensh.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper(range(3)).batch(2).collate())
    [tensor([0, 1]), tensor([2])]
    """

    def __init__(self, datapipe, conversion=default_collate, collate_fn=None):
        if collate_fn is None and not callable(conversion):
            raise NotImplementedError("tensh collates no data frames: give collate a function")
        super().__init__(datapipe, fn=conversion if collate_fn is None else collate_fn)
