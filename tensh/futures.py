"""torch.futures: results that arrive later, on Python's own futures."""

import concurrent.futures
import types

from tensh.engine.errors.warnings import warn

__all__ = ["Future", "collect_all", "wait_all"]


class Future:
    """A result that another thread or a collective of processes provides later.

    >>> import tensh as torch
    >>> future = torch.futures.Future()
    >>> later = future.then(lambda done: done.value() + 1)
    >>> future.set_result(1); later.wait()
    2
    """

    __module__ = "torch.jit"
    __class_getitem__ = classmethod(types.GenericAlias)

    def __init__(self, *, devices=None):
        self._state = concurrent.futures.Future()

    def done(self):
        """Return True if the result, or an error, has been set."""
        return self._state.done()

    def wait(self):
        """Wait for the result and return it; raise the error that was set in its place."""
        return self._state.result()

    def value(self):
        """Return the result, or raise the error, of a completed future. Raise RuntimeError before."""
        if not self.done():
            raise RuntimeError("the future has no value yet: call wait()")
        return self.wait()

    def set_result(self, result):
        """Set the result; raise RuntimeError if the future is completed."""
        self._complete(self._state.set_result, result)

    def set_exception(self, result):
        """Set an error, which ``wait`` and ``value`` raise; raise RuntimeError if the future is completed."""
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._complete(self._state.set_exception, result)

    @staticmethod
    def _complete(complete, result):
        try:
            complete(result)
        except concurrent.futures.InvalidStateError:
            raise RuntimeError(
                "Attempting to mark a completed Future as complete again. Note that a Future can only be marked completed once."
            ) from None

    def add_done_callback(self, callback):
        """Call a function with the future on completion, or at once if completed; its errors become warnings."""
        self._state.add_done_callback(lambda state: _report(callback, self))

    def then(self, callback):
        """Return a future for a function's result, called with this future on completion; its error becomes RuntimeError."""
        found = Future()

        def follow(state):
            try:
                result = callback(self)
            except Exception as error:
                found.set_exception(
                    RuntimeError(f"Got the following error when running the callback: {type(error).__name__}: {error}")
                )
            else:
                found.set_result(result)

        self._state.add_done_callback(follow)
        return found


def _report(callback, future):
    try:
        callback(future)
    except Exception as error:
        warn(f"Got the following error when running the callback: {type(error).__name__}: {error}", RuntimeWarning)


def collect_all(futures):
    """Return a future for a list of futures, completed when all of them are, with the first error among them.

    >>> import tensh as torch
    >>> one = torch.futures.Future(); one.set_result(1)
    >>> [each.value() for each in torch.futures.collect_all([one]).wait()]
    [1]
    """
    futures, found = list(futures), Future()
    for each in futures:
        if not isinstance(each, Future):
            kind = type(each).__name__
            raise TypeError(
                f"_collect_all(): incompatible function arguments: a list of futures holds a value of type {kind}"
            )

    def finish(state):
        if all(each.done() for each in futures) and not found.done():
            error = next((error for each in futures if (error := each._state.exception())), None)
            found.set_result(futures) if error is None else found.set_exception(error)

    if not futures:
        found.set_result(futures)
    for each in futures:
        each._state.add_done_callback(finish)
    return found


def wait_all(futures):
    """Wait for all futures, and return their results; raise the first error.

    >>> import tensh as torch
    >>> one = torch.futures.Future(); one.set_result(1)
    >>> torch.futures.wait_all([one, one])
    [1, 1]
    """
    return [each.wait() for each in collect_all(futures).wait()]
