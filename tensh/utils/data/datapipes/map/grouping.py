"""The step that puts samples together."""

from tensh.utils.data.datapipes._decorator import functional_datapipe
from tensh.utils.data.datapipes.datapipe import DataChunk, MapDataPipe
from tensh.utils.data.datapipes.utils.common import length_of

__all__ = ["BatcherMapDataPipe"]


@functional_datapipe("batch")
class BatcherMapDataPipe(MapDataPipe[DataChunk]):
    """Lists of ``batch_size`` samples (``pipe.batch(2)``); ``drop_last`` leaves out a last one that is shorter.

    >>> from tensh.utils.data.datapipes.map import SequenceWrapper
    >>> list(SequenceWrapper(range(3)).batch(2))
    [[0, 1], [2]]
    """

    def __init__(self, datapipe, batch_size, drop_last=False, wrapper_class=DataChunk):
        if batch_size <= 0:
            raise AssertionError("Batch size is required to be larger than 0!")
        super().__init__()
        self.datapipe, self.batch_size, self.drop_last = datapipe, batch_size, drop_last
        self.wrapper_class = wrapper_class

    def __getitem__(self, index):
        batch = []
        try:
            batch.extend(self.datapipe[i] for i in range(index * self.batch_size, (index + 1) * self.batch_size))
        except IndexError as error:
            if self.drop_last or not batch:
                raise IndexError(f"Index {index} is out of bound.") from error
        return self.wrapper_class(batch)

    def __len__(self):
        length = length_of(self, self.datapipe)
        return length // self.batch_size if self.drop_last else -(-length // self.batch_size)
