"""One pass over the batches of a loader."""

from tensh.engine.errors.warnings import warn
from tensh.utils.data import pipes
from tensh.utils.data.fetch import Source
from tensh.utils.data.sampler import draw_seed


class _DatasetKind:
    """The two ways to find samples: by index (``Map``), or one after the other (``Iterable``).

    >>> from tensh.utils.data import _DatasetKind
    >>> _DatasetKind.Map, _DatasetKind.Iterable
    (0, 1)
    """

    Map = 0
    Iterable = 1


class _BaseDataLoaderIter:
    """A pass over the batches of a loader."""

    def __init__(self, loader):
        self._shared_seed = pipes.draw_shared_seed(loader.dataset, loader.generator)
        self._source = Source(
            loader.dataset,
            loader._dataset_kind == _DatasetKind.Iterable,
            loader._auto_collation,
            loader.drop_last,
            loader.collate_fn,
        )
        self._index_sampler = loader._index_sampler
        self._num_workers = loader.num_workers
        if loader.pin_memory:
            _warn_of_pinning(loader.pin_memory_device)
        self._begin(loader)
        self._base_seed = draw_seed(loader.generator)

    def _begin(self, loader):
        """Begin a pass."""
        self._reported_length = loader._IterableDataset_len_called
        self._sampler_iter = iter(self._index_sampler)
        self._num_yielded = 0

    def __iter__(self):
        return self

    def __next__(self):
        batch = self._next_data()
        self._num_yielded += 1
        if self._reported_length is not None and self._num_yielded > self._reported_length:
            self._warn_of_length()
        return batch

    def __len__(self):
        return len(self._index_sampler)

    def __getstate__(self):
        raise NotImplementedError("{} cannot be pickled", type(self).__name__)

    def _warn_of_length(self):
        message = (
            f"Length of IterableDataset {self._source.dataset} was reported to be {self._reported_length}"
            f"(when accessing len(dataloader)), but {self._num_yielded} samples have been fetched. "
        )
        if self._num_workers > 0:
            message += (
                "For multiprocessing data-loading, this could be caused by not properly configuring the IterableDataset "
                "replica at each worker. Please see "
                "https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for examples."
            )
        warn(message)


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """A pass whose batches are made when they are asked for."""

    def __init__(self, loader):
        super().__init__(loader)
        if loader.timeout != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        pipes.share(loader.dataset, pipes.find_place(loader.dataset))
        self._read = self._source.reader()

    def _next_data(self):
        return self._read(next(self._sampler_iter))


def _warn_of_pinning(device):
    if device:
        warn(
            "pin_memory_device is deprecated, the current accelerator will be used as the device,"
            f"ignore pin_memory_device='{device}'."
        )
    warn("'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be used.")
