"""Collectives that are in progress: what a thread of the group still does, or MPI itself."""

import queue
import threading

from tensh.distributed.process_group import Work
from tensh.futures import Future


class PendingWork(Work):
    """A collective of a group: the thread of its ``line`` carries it out, or ``wait`` does where nothing is before it."""

    def __init__(self, line, tensors, function):
        super().__init__(tensors)
        self._line, self._function, self._future, self._error = line, function, Future(), None

    def start(self):
        """Have the thread of the group carry it out, while the program goes on."""
        self._line.start(self)
        return self

    def run(self):
        """Carry it out, and keep its error."""
        try:
            self._function()
        except Exception as error:
            self._error = error
            self._future.set_exception(error)
        else:
            self._future.set_result(self._tensors)
        finally:
            self._function = None

    def wait(self, timeout=None):
        """Wait for the end: True.  Raise the error that the collective ended with."""
        self._line.carry_out(self)
        self._future.wait()
        return True

    synchronize = wait

    def is_completed(self):
        """True if the work has ended."""
        return self.start()._future.done()

    def is_success(self):
        """True if the work has ended without an error."""
        return self.is_completed() and self._error is None

    def exception(self):
        """The error that it ended with, or None."""
        return self._error

    def get_future(self):
        """A future of the tensors."""
        return self.start()._future


class MessageWork(Work):
    """A message that MPI sends or receives."""

    def __init__(self, tensor, finish, test):
        super().__init__([tensor])
        self._finish, self._test, self._source = finish, test, None
        self._done = False

    def wait(self, timeout=None):
        """Wait for the end: True.  Raise RuntimeError for a message of another size, DistBackendError at the time limit."""
        if not self._done:
            self._source = self._finish(None if timeout is None else timeout.total_seconds())
            self._done = True
        return True

    synchronize = wait

    def is_completed(self):
        """True if the message has arrived, or has been taken."""
        if not self._done and self._test():
            self.wait()
        return self._done

    is_success = is_completed

    def source_rank(self):
        """The process in the group that a received message came from."""
        if self._source is None:
            return super().source_rank()
        return self._source

    _source_rank = source_rank


class Line:
    """The collectives of a group in their order.

    The last one that was added waits for what the program wants: to wait for it, when the program's own thread carries it out,
    which saves 50 microseconds, or to go on, when a thread of the group does.
    """

    def __init__(self):
        self._works, self._thread, self._new, self._last = queue.SimpleQueue(), None, None, None

    def add(self, work):
        """Take a work after those before it; return it."""
        self.start(self._new)
        self._new = work
        return work

    def start(self, work):
        """Give a work to the thread, unless it has it already."""
        if work is None or work is not self._new:
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="tensh-collectives", daemon=True)
            self._thread.start()
        self._new, self._last = None, work
        self._works.put(work)

    def carry_out(self, work):
        """Carry out a work in this thread, after those before it, unless it has been given to the thread of the group."""
        if work is self._new:
            self.settle_started()
            self._new = None
            work.run()

    def settle(self):
        """Wait until nothing is in progress."""
        self.start(self._new)
        self.settle_started()

    def settle_started(self):
        """Wait until the thread has nothing to do; errors belong to those who wait for the works."""
        if self._last is not None:
            self._last._future._state.exception()
            self._last = None

    def _run(self):
        while (work := self._works.get()) is not None:
            work.run()

    def end(self):
        """Carry out what is left and end the thread."""
        self.start(self._new)
        if self._thread is not None:
            self._works.put(None)
            self._thread.join()
            self._thread = None
