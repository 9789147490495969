"""Errors of processes that work together."""


class DistError(RuntimeError):
    """An error of ``torch.distributed``.

    >>> import tensh as torch
    >>> issubclass(torch.distributed.QueueEmptyError, torch.distributed.DistError)
    True
    """


class DistBackendError(DistError):
    """An error of a backend."""


class DistNetworkError(DistError):
    """A connection that could not be made, or broke."""


class DistStoreError(DistError):
    """A store that did not get a key in time, or was used wrongly."""


class QueueEmptyError(DistStoreError):
    """Nothing was in a queue of a store."""


for _each in (DistError, DistBackendError, DistNetworkError, DistStoreError, QueueEmptyError):
    _each.__module__ = "torch.distributed"
