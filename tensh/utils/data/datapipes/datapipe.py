"""Pipes: datasets to which further steps are appended by methods, which the steps register."""

import functools
import pickle
from typing import TypeVar

from tensh.utils.data.datapipes._hook_iterator import _SnapshotState
from tensh.utils.data.datapipes._typing import _DataPipeMeta, _IterDataPipeMeta
from tensh.utils.data.datapipes.utils.common import find_dill
from tensh.utils.data.dataset import Dataset, IterableDataset

__all__ = ["DFIterDataPipe", "DataChunk", "IterDataPipe", "MapDataPipe"]

Item = TypeVar("Item")
Sample = TypeVar("Sample", covariant=True)


class DataChunk(list[Item]):
    """A batch of samples of a pipe: a list of ``items``.

    >>> from tensh.utils.data import DataChunk
    >>> chunk = DataChunk([1, 2])
    >>> chunk, chunk.as_str("- "), list(chunk.raw_iterator())
    ([1, 2], '- [1, 2]', [1, 2])
    """

    def __init__(self, items):
        items = list(items)
        super().__init__(items)
        self.items = items

    def as_str(self, indent=""):
        """Return the samples as text, after ``indent``."""
        return f"{indent}[{', '.join(map(str, self))}]"

    def __iter__(self):
        yield from super().__iter__()

    def raw_iterator(self):
        """Yield the items that the chunk was made of."""
        yield from self.items


class Steps:
    """The base of both kinds of pipes: steps as methods, and hooks for their pickling.

    ``_kind`` is IterDataPipe or MapDataPipe, which holds the steps and the hooks.
    """

    reduce_ex_hook = getstate_hook = str_hook = repr_hook = None

    def __getattr__(self, attribute_name):
        if attribute_name not in self._kind.functions:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{attribute_name}")
        function = self._kind.functions[attribute_name]
        return functools.update_wrapper(functools.partial(function, self), function, assigned=("__doc__",))

    @classmethod
    def register_function(cls, function_name, function):
        """Make ``function(pipe, ...)`` a method of pipes."""
        cls.functions[function_name] = function

    @classmethod
    def register_datapipe_as_function(cls, function_name, cls_to_register, enable_df_api_tracing=False):
        """Make a class of pipes, whose first argument is the pipe that it reads, a method of pipes; Exception if taken."""
        if function_name in cls.functions:
            raise Exception(f"Unable to add DataPipe function name {function_name} as it is already taken")

        def append(source_dp, *args, **kwargs):
            return cls_to_register(source_dp, *args, **kwargs)

        cls.functions[function_name] = functools.update_wrapper(append, cls_to_register, assigned=("__doc__",))

    def __getstate__(self):
        hook = self._kind.getstate_hook
        return self.__dict__ if hook is None else hook(self.__dict__)

    def __reduce_ex__(self, *args, **kwargs):
        if self._kind.reduce_ex_hook is not None:
            try:
                return self._kind.reduce_ex_hook(self)
            except NotImplementedError:
                pass
        return super().__reduce_ex__(*args, **kwargs)

    @classmethod
    def set_getstate_hook(cls, hook_fn):
        """Let a function see the state of each pipe that is pickled; RuntimeError if there is one; None removes it."""
        if cls._kind.getstate_hook is not None and hook_fn is not None:
            raise RuntimeError("Attempt to override existing getstate_hook")
        cls._kind.getstate_hook = hook_fn

    @classmethod
    def set_reduce_ex_hook(cls, hook_fn):
        """Let a function pickle pipes, unless it raises NotImplementedError; RuntimeError if there is one."""
        if cls._kind.reduce_ex_hook is not None and hook_fn is not None:
            raise RuntimeError("Attempt to override existing reduce_ex_hook")
        cls._kind.reduce_ex_hook = hook_fn

    def __repr__(self):
        return type(self).__qualname__ if self.repr_hook is None else self.repr_hook(self)

    def __str__(self):
        return type(self).__qualname__ if self.str_hook is None else self.str_hook(self)

    def __dir__(self):
        return [*super().__dir__(), *self.functions]


class IterDataPipe(Steps, IterableDataset[Sample], metaclass=_IterDataPipeMeta):
    """Samples that come one after the other: a subclass defines ``__iter__``, and ``reset`` if it has state.

    Steps are appended as methods (``map``, ``filter``, ``shuffle``, ``batch``, ``sharding_filter``, ...). Only the newest
    iterator of a pipe is valid; one that was made before raises RuntimeError.

    >>> from tensh.utils.data.datapipes.iter import IterableWrapper
    >>> pipe = IterableWrapper("ab cd").filter(str.isalpha).map(str.upper).batch(3)
    >>> list(pipe), len(pipe.datapipe.datapipe.datapipe)
    ([['A', 'B', 'C'], ['D']], 5)
    """

    functions: dict = {}
    _valid_iterator_id = None
    _number_of_samples_yielded = 0
    _snapshot_state = _SnapshotState.NotStarted
    _fast_forward_iterator = None

    def __iter__(self):
        return self

    def reset(self):
        """Prepare for another iterator, before its first sample; a subclass clears its buffers."""


class DFIterDataPipe(IterDataPipe):
    """A base class for pipes of data frames, without steps.

    >>> from tensh.utils.data import DFIterDataPipe
    >>> DFIterDataPipe()._is_dfpipe()
    True
    """

    def _is_dfpipe(self):
        return True


class MapDataPipe(Steps, Dataset[Sample], metaclass=_DataPipeMeta):
    """Samples that are found by an index or another key: a subclass defines ``__getitem__``, and ``__len__`` if it has one.

    >>> from tensh.utils.data.datapipes.map import SequenceWrapper
    >>> pipe = SequenceWrapper("abc").map(str.upper).batch(2)
    >>> pipe[1], len(pipe)
    (['C'], 2)
    """

    functions: dict = {}


IterDataPipe._kind, MapDataPipe._kind = IterDataPipe, MapDataPipe


# ── the pipe of a loader ─────────────────────────────────────────────────────
class _DataPipeSerializationWrapper:
    """A pipe that is pickled by dill where pickle fails."""

    def __init__(self, datapipe):
        self._datapipe = datapipe

    def __getstate__(self):
        try:
            return pickle.dumps(self._datapipe), False
        except Exception:
            if find_dill() is None:
                raise
            return find_dill().dumps(self._datapipe), True

    def __setstate__(self, state):
        value, use_dill = state
        self._datapipe = (find_dill() if use_dill else pickle).loads(value)

    def __len__(self):
        try:
            return len(self._datapipe)
        except Exception as error:
            raise TypeError(f"{type(self).__name__} instance doesn't have valid length") from error


class _IterDataPipeSerializationWrapper(_DataPipeSerializationWrapper, IterDataPipe):
    def __init__(self, datapipe):
        super().__init__(datapipe)
        self._datapipe_iter = None

    def __iter__(self):
        self._datapipe_iter = iter(self._datapipe)
        return self

    def __next__(self):
        if self._datapipe_iter is None:
            raise AssertionError("Iterator has not been initialized; call __iter__() before __next__()")
        return next(self._datapipe_iter)


class _MapDataPipeSerializationWrapper(_DataPipeSerializationWrapper, MapDataPipe):
    def __getitem__(self, idx):
        return self._datapipe[idx]
