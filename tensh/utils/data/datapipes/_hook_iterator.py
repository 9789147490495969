"""One iterator at a time: a pipe refuses the iterator that it gave before, since the two would share its buffers."""

import functools
import inspect
from enum import Enum

FEEDBACK = (
    "\nFor feedback regarding this single iterator per IterDataPipe constraint, feel free "
    "to comment on this issue: https://github.com/pytorch/data/issues/45."
)
SOURCE, CONSTRAINT = "thrown by __iter__ of", "single iterator per IterDataPipe constraint"


class _SnapshotState(Enum):
    """The progress of a pipe: ``Restored`` if its next iterator goes on where another pipe stopped."""

    NotStarted = 0
    Restored = 1
    Iterating = 2


def describe(pipe):
    """Return the class of a pipe with those attributes that are named as its arguments."""
    names = sorted(name for name in inspect.signature(type(pipe)).parameters if hasattr(pipe, name))
    values = [(name, getattr(pipe, name)) for name in names]
    shown = ", ".join(f"{name}={v.__name__ if inspect.isfunction(v) else repr(v)}" for name, v in values)
    return f"{type(pipe).__name__}({shown})"


def begin(pipe):
    """Return the number of a new iterator, the only one that is valid from now on; the pipe is reset."""
    if getattr(pipe, "_is_child_datapipe", False) is True:
        pipe._set_main_datapipe_valid_iterator_id()
    else:
        last = pipe._valid_iterator_id
        pipe._valid_iterator_id = 0 if last is None else last + 1
        pipe.reset()
    return pipe._valid_iterator_id


def require_valid(pipe, number):
    """Raise PyTorch's RuntimeError if another iterator has been made since the one with this number."""
    if getattr(pipe, "_is_child_datapipe", False) is True:
        if not pipe._check_valid_iterator_id(number):
            raise RuntimeError(
                "This iterator has been invalidated, because a new iterator has been created "
                f"from one of the ChildDataPipes of {describe(pipe.main_datapipe)}.{FEEDBACK}"
            )
    elif pipe._valid_iterator_id != number:
        raise RuntimeError(
            "This iterator has been invalidated because another iterator has been created "
            f"from the same IterDataPipe: {describe(pipe)}\n"
            "This may be caused by multiple references to the same IterDataPipe. We recommend "
            f"using `.fork()` if that is necessary.{FEEDBACK}"
        )


def name_source(error, pipe):
    """Add to the text of an exception which pipe it comes from, unless it says so."""
    source = f"\nThis exception is {SOURCE} {describe(pipe)}"
    if not error.args or not isinstance(error.args[0], str):
        error.args = (source,)
    elif SOURCE not in error.args[0] and CONSTRAINT not in error.args[0]:
        error.args = (error.args[0] + source, *error.args[1:])


def hook_iterator(namespace):
    """Make the ``__iter__`` of a class, given by its namespace, count samples and refuse a second iterator."""
    function = namespace["__iter__"]
    if inspect.isgeneratorfunction(function):
        namespace["__iter__"] = hook_generator(function)
        return
    if "__next__" in namespace:
        namespace["__next__"] = hook_next(namespace["__next__"])
    namespace["__iter__"] = hook_plain(function, "__next__" in namespace)


def hook_generator(function):
    """Return an ``__iter__`` for one that is a generator function."""

    @functools.wraps(function)
    def __iter__(self, *args, **options):
        if self._fast_forward_iterator:
            restored, self._fast_forward_iterator = self._fast_forward_iterator, None
            self._snapshot_state = _SnapshotState.Iterating
            yield from restored
            return
        samples, number, request = function(self, *args, **options), begin(self), None
        try:
            while True:
                sample = samples.send(request)
                self._number_of_samples_yielded += 1
                request = yield sample
                require_valid(self, number)
        except StopIteration:
            return
        except Exception as error:
            name_source(error, self)
            raise

    return __iter__


def hook_next(function):
    """Return a ``__next__`` that counts samples."""

    @functools.wraps(function)
    def __next__(self, *args, **options):
        sample = function(self, *args, **options)
        self._number_of_samples_yielded += 1
        return sample

    return __next__


def hook_plain(function, has_next):
    """Return an ``__iter__`` for one that returns an iterator."""

    @functools.wraps(function)
    def __iter__(self, *args, **options):
        samples = function(self, *args, **options)
        self._snapshot_state = _SnapshotState.Iterating
        if self._fast_forward_iterator:
            restored, self._fast_forward_iterator = self._fast_forward_iterator, None
            return restored
        return IteratorDecorator(samples, self, begin(self), has_next)

    return __iter__


class IteratorDecorator:
    """An iterator of a pipe that raises once the pipe has given another."""

    def __init__(self, iterator, datapipe, iterator_id, has_next_method):
        self.iterator, self.datapipe, self.iterator_id = iterator, datapipe, iterator_id
        self.self_and_has_next_method = iterator is datapipe and has_next_method  # its ``__next__`` counts

    def __iter__(self):
        return self

    def __next__(self):
        require_valid(self.datapipe, self.iterator_id)
        sample = next(self.iterator)
        if not self.self_and_has_next_method:
            self.datapipe._number_of_samples_yielded += 1
        return sample

    def __getattr__(self, name):
        return getattr(self.iterator, name)
