"""The metaclasses of pipes, which change ``__iter__`` and ``reset`` of subclasses."""

import functools
from abc import ABCMeta

from tensh.utils.data.datapipes._hook_iterator import _SnapshotState, hook_iterator


class _DataPipeMeta(ABCMeta):
    """The class of classes of pipes."""


class _IterDataPipeMeta(_DataPipeMeta):
    """The metaclass of ``IterDataPipe`` and its subclasses: only one of its iterators is valid at a time."""

    def __new__(cls, name, bases, namespace, **options):
        if "reset" in namespace:
            namespace["reset"] = reset_unless_restored(namespace["reset"])
        if "__iter__" in namespace:
            hook_iterator(namespace)
        return super().__new__(cls, name, bases, namespace, **options)


def reset_unless_restored(function):
    """Return a ``reset`` that leaves a pipe as it is if it has just been restored."""

    @functools.wraps(function)
    def reset(self, *args, **options):
        if self._snapshot_state is not _SnapshotState.Restored:
            self._number_of_samples_yielded = 0
            self._fast_forward_iterator = None
            function(self, *args, **options)
        self._snapshot_state = _SnapshotState.Iterating

    return reset
