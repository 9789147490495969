"""The loader: batches of a dataset, made here or by worker processes."""

import math
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from tensh.engine.errors.warnings import warn
from tensh.support.processors import count_processors
from tensh.utils.data import pipes
from tensh.utils.data._utils.collate import default_collate, default_convert
from tensh.utils.data.dataset import Dataset, IterableDataset  # noqa: F401
from tensh.utils.data.iterating import _BaseDataLoaderIter, _DatasetKind, _SingleProcessDataLoaderIter  # noqa: F401
from tensh.utils.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler
from tensh.utils.data.worker_info import get_worker_info

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]

Sample = TypeVar("Sample", covariant=True)
_T = TypeVar("_T")
_collate_fn_t = Callable[[list[_T]], Any]
_worker_init_fn_t = Callable[[int], None]
FIXED = frozenset("batch_size batch_sampler sampler drop_last dataset persistent_workers".split())


class _InfiniteConstantSampler(Sampler):
    """An endless sampler without indices, which loaders use for an IterableDataset."""

    def __iter__(self):
        while True:
            yield None


def __getattr__(name):
    if name != "_MultiProcessingDataLoaderIter":
        raise AttributeError(f"module 'torch.utils.data.dataloader' has no attribute {name!r}")
    from tensh.utils.data import workers  # imported late: a loader without workers does not need it

    return workers._MultiProcessingDataLoaderIter


class DataLoader(Generic[Sample]):
    """Batches of the samples of a dataset, in the order of a sampler.

    ``shuffle`` draws a new order for every pass; a ``sampler`` yields the indices of samples, a ``batch_sampler`` lists
    of them.  With ``batch_size=None`` samples are not batched.  ``collate_fn`` makes a batch from a list of samples
    (``default_collate``).  With ``num_workers``, processes read ahead, ``prefetch_factor`` batches each; batches keep
    their order unless ``in_order=False``.  Workers end with the pass, or with the loader if they are
    ``persistent_workers``.  The ``generator`` determines the order and the seeds of the workers.  ``drop_last`` drops a
    last batch that is shorter; ``timeout`` limits the seconds to wait for a batch; ``worker_init_fn(number)`` is called
    when a worker starts; ``multiprocessing_context`` determines how workers are started.  ``pin_memory`` and
    ``pin_memory_device`` change nothing.

    Raise ValueError for options that exclude each other; AttributeError or TypeError come from the dataset.

    >>> import tensh as torch
    >>> from tensh.utils.data import DataLoader, TensorDataset
    >>> data = TensorDataset(torch.arange(5), torch.arange(5) * 2)
    >>> for x, y in DataLoader(data, batch_size=2, shuffle=True, generator=torch.Generator().manual_seed(0)):
    ...     print(x, y)
    tensor([3, 1]) tensor([6, 2])
    tensor([0, 4]) tensor([0, 8])
    tensor([2]) tensor([4])
    """

    __initialized = False

    def __init__(
        self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0, collate_fn=None,
        pin_memory=False, drop_last=False, timeout=0, worker_init_fn=None, multiprocessing_context=None, generator=None,
        *, prefetch_factor=None, persistent_workers=False, pin_memory_device="", in_order=True,
    ):  # fmt: skip
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        self.dataset = pipes.wrap_pipe(dataset, shuffle)
        self.num_workers = num_workers
        self.prefetch_factor = 2 if num_workers > 0 and prefetch_factor is None else prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        is_stream = isinstance(dataset, IterableDataset)
        self._dataset_kind = _DatasetKind.Iterable if is_stream else _DatasetKind.Map
        if is_stream:
            shuffle = None if pipes.is_stream(dataset) else shuffle
            _check_stream(shuffle, sampler, batch_sampler)
        _check_batches(batch_size, bool(shuffle), sampler, batch_sampler, drop_last)
        if sampler is None:
            sampler = self._default_sampler(bool(shuffle), generator)
        if batch_sampler is not None:
            batch_size = None
        elif batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        self.collate_fn = collate_fn or (default_collate if self._auto_collation else default_convert)
        self.persistent_workers = persistent_workers
        self.__initialized = True
        self._IterableDataset_len_called = None
        self._iterator = None
        self.check_worker_number_rationality()

    def _default_sampler(self, shuffle, generator):
        if self._dataset_kind == _DatasetKind.Iterable:
            return _InfiniteConstantSampler()
        return RandomSampler(self.dataset, generator=generator) if shuffle else SequentialSampler(self.dataset)

    @property
    def multiprocessing_context(self):
        """The context of the module multiprocessing that starts workers, or None for its default."""
        return self.__multiprocessing_context

    @multiprocessing_context.setter
    def multiprocessing_context(self, context):
        self.__multiprocessing_context = None if context is None else _context(context, self.num_workers)

    def __setattr__(self, name, value):
        if self.__initialized and name in FIXED:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    @property
    def _auto_collation(self):
        return self.batch_sampler is not None

    @property
    def _index_sampler(self):
        return self.batch_sampler if self._auto_collation else self.sampler

    def _get_iterator(self):
        if self.num_workers == 0:
            return _SingleProcessDataLoaderIter(self)
        from tensh.utils.data.workers import _MultiProcessingDataLoaderIter

        self.check_worker_number_rationality()
        return _MultiProcessingDataLoaderIter(self)

    def __iter__(self):
        if not self.persistent_workers:
            return self._get_iterator()
        if self._iterator is None or self._iterator.is_closed:
            self._iterator = self._get_iterator()
        else:
            self._iterator._reset(self)
        return self._iterator

    def __len__(self):
        if self._dataset_kind == _DatasetKind.Map:
            return len(self._index_sampler)
        length = self._IterableDataset_len_called = len(self.dataset)
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else math.ceil(length / self.batch_size)

    def check_worker_number_rationality(self):
        """Warn if there will be more workers than processors."""
        if self.num_workers and self.num_workers > count_processors():
            warn(
                f"This DataLoader will create {self.num_workers} worker processes in total. Our suggested max number of "
                f"worker in current system is {count_processors()}, which is smaller than what this DataLoader is going to "
                "create. Please be aware that excessive worker creation might get DataLoader running slow or even freeze, "
                "lower the worker number to avoid potential slowness/freeze if necessary."
            )


# ── options that exclude each other ──────────────────────────────────────────
def _check_workers(num_workers, timeout, prefetch_factor, persistent_workers):
    if num_workers < 0:
        raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing."
            "let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent_workers and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def _check_stream(shuffle, sampler, batch_sampler):
    begin = "DataLoader with IterableDataset: expected unspecified"
    if shuffle not in {False, None}:
        raise ValueError(f"{begin} shuffle option, but got shuffle={shuffle}")
    if sampler is not None:
        raise ValueError(f"{begin} sampler option, but got sampler={sampler}")
    if batch_sampler is not None:
        raise ValueError(f"{begin} batch_sampler option, but got batch_sampler={batch_sampler}")


def _check_batches(batch_size, shuffle, sampler, batch_sampler, drop_last):
    if sampler is not None and shuffle:
        raise ValueError("sampler option is mutually exclusive with shuffle")
    if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last):
        raise ValueError("batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last")
    if batch_sampler is None and batch_size is None and drop_last:
        raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")


def _context(context, num_workers):
    """Return the context of multiprocessing that ``context`` is or names."""
    import multiprocessing
    from multiprocessing.context import BaseContext

    if num_workers <= 0:
        raise ValueError(
            "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
            f"num_workers={num_workers}"
        )
    if isinstance(context, str):
        methods = multiprocessing.get_all_start_methods()
        if context not in methods:
            raise ValueError(
                f"multiprocessing_context option should specify a valid start method in {methods!r}, but got "
                f"multiprocessing_context={context!r}"
            )
        return multiprocessing.get_context(context)
    if not isinstance(context, BaseContext):
        raise TypeError(
            "multiprocessing_context option should be a valid context object or a string specifying the start method, but "
            f"got multiprocessing_context={context}"
        )
    return context
