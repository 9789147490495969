"""Collectives in progress, executed by a thread of the group, or by MPI itself."""

import queue
import threading

from tensh.distributed.process_group import Work
from tensh.futures import Future
from tensh.support import timeline


class PendingWork(Work):
    """A collective of a group, executed by the thread of its ``line``, or by ``wait`` if no other is pending."""

    def __init__(self, line, tensors, function, name):
        super().__init__(tensors)
        self._name = name
        self._line, self._function, self._future, self._error = line, function, Future(), None

    def start(self):
        """Let the thread of the group execute the work, while the program continues."""
        self._line.start(self)
        return self

    def run(self):
        """Execute the work, and keep its error."""
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
        """Wait for completion; return True.  Raise the error of the collective."""
        begin = timeline.now()
        self._line.carry_out(self)
        self._future.wait()
        timeline.note("blocked", self._name, begin, timeline.now())
        return True

    synchronize = wait

    def is_completed(self):
        """Return True if the work is complete."""
        return self.start()._future.done()

    def is_success(self):
        """Return True if the work is complete without an error."""
        return self.is_completed() and self._error is None

    def exception(self):
        """Return the error, or None."""
        return self._error

    def get_future(self):
        """Return a future of the tensors."""
        return self.start()._future


class MessageWork(Work):
    """A message that MPI sends or receives."""

    def __init__(self, tensor, finish, test, name):
        super().__init__([tensor])
        self._name, self._begin = name, timeline.now()
        self._finish, self._test, self._source = finish, test, None
        self._done = False

    def wait(self, timeout=None):
        """Wait for completion; return True.  Raise RuntimeError for another size, DistBackendError for a time-out."""
        if not self._done:
            begin = timeline.now()
            self._source = self._finish(None if timeout is None else timeout.total_seconds())
            timeline.note("blocked", self._name, begin, end := timeline.now())
            timeline.note("transfer", self._name, self._begin, end)
            self._done = True
        return True

    synchronize = wait

    def is_completed(self):
        """Return True if the message has arrived, or has been received by the other process."""
        if not self._done and self._test():
            self.wait()
        return self._done

    is_success = is_completed

    def source_rank(self):
        """Return the group rank of the sender of a received message."""
        if self._source is None:
            return super().source_rank()
        return self._source

    _source_rank = source_rank


class Line:
    """The queue of a group's collectives, in order.

    The last one is deferred: if the program waits for it, the program's thread executes it, which saves 50
    microseconds; if the program continues, a thread of the group does.
    """

    def __init__(self):
        self._works, self._thread, self._new, self._last = queue.SimpleQueue(), None, None, None

    def add(self, work):
        """Add a work after all others; return it."""
        self.start(self._new)
        self._new = work
        return work

    def start(self, work):
        """Pass a work to the thread, unless that was done."""
        if work is None or work is not self._new:
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="tensh-collectives", daemon=True)
            self._thread.start()
        self._new, self._last = None, work
        self._works.put(work)

    def carry_out(self, work):
        """Execute a work in this thread, after those before it, unless it was passed to the thread of the group."""
        if work is self._new:
            self.settle_started()
            self._new = None
            work.run()

    def settle(self):
        """Wait until no work is pending."""
        self.start(self._new)
        self.settle_started()

    def settle_started(self):
        """Wait until the thread is idle; errors are raised by those who wait for the works."""
        if self._last is not None:
            self._last._future._state.exception()
            self._last = None

    def _run(self):
        while (work := self._works.get()) is not None:
            work.run()

    def end(self):
        """Finish pending work and end the thread."""
        self.start(self._new)
        if self._thread is not None:
            self._works.put(None)
            self._thread.join()
            self._thread = None
