"""Errors of distributed computing."""


class DistError(RuntimeError):
    """An error of ``torch.distributed``.

    >>> import tensh as torch
    >>> issubclass(torch.distributed.QueueEmptyError, torch.distributed.DistError)
    True
    """


class DistBackendError(DistError):
    """An error of a backend."""


class DistNetworkError(DistError):
    """A connection failed."""


class DistStoreError(DistError):
    """A store did not get a key in time, or was used incorrectly."""


class QueueEmptyError(DistStoreError):
    """A queue of a store is empty."""


for _each in (DistError, DistBackendError, DistNetworkError, DistStoreError, QueueEmptyError):
    _each.__module__ = "torch.distributed"
