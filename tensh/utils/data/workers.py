"""The loader's side of its workers: who reads what, in which order batches come back, and how workers end."""

import atexit
import contextlib
import multiprocessing
import multiprocessing.util  # noqa: F401 (imported first, so that its exit handler runs after ours)
import os
import signal
import threading
import time
import weakref
from collections import deque
from itertools import cycle
from multiprocessing.connection import wait
from pickle import PicklingError

from tensh.engine.arrays.uninterrupted import Uninterrupted
from tensh.engine.errors.warnings import warn
from tensh.utils.data import pipes, serving
from tensh.utils.data.iterating import _BaseDataLoaderIter
from tensh.utils.data.serving import GRACE
from tensh.utils.data.spawning import Program, default_context, shield
from tensh.utils.data.transport import receive, unpack

MOMENT = 0.1  # seconds between two looks at whether there was a ^C

# Our ends of the pipes.  A forked child closes its copies: a worker ends when the last copy is closed.
ends = weakref.WeakSet()
# no process is forked while an end is being closed, when its number may be that of another file
closing = threading.RLock()


def close_copies():
    """Let go, in a forked child, of the pipes to its parent's workers."""
    closing.release()
    for end in list(ends):
        with contextlib.suppress(OSError):
            end.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=closing.acquire, after_in_parent=closing.release, after_in_child=close_copies)


class Worker:
    """A process that reads, and the pipe to it."""

    def __init__(self, context, duty):
        self.connection, theirs = context.Pipe()
        ends.add(self.connection)
        self.reads = True  # False once its stream has ended
        self.process = context.Process(target=serving.serve, args=(theirs, duty), daemon=True)
        try:
            with duty.program.hold_back():
                self.process.start()
        except BaseException:
            self.dismiss()
            raise
        finally:
            theirs.close()  # so that ours says when the process has ended

    def tell(self, *task):
        """Send a task; one that has died is noticed when its answer is due."""
        with contextlib.suppress(OSError):
            self.connection.send(task)

    def dismiss(self):
        """Close the pipe, at which the process ends."""
        with closing:
            self.connection.close()

    def answer(self):
        """Return (kind, ``PackedBatch``) of the next answer."""
        try:
            return receive(self.connection)
        except (EOFError, OSError):
            pid = self.process.pid
            raise RuntimeError(f"DataLoader worker (pid(s) {pid}) exited unexpectedly") from self.death()

    def death(self):
        """Return the end of the process as an exception."""
        self.process.join(GRACE)
        pid, status = self.process.pid, self.process.exitcode
        if status is not None and status < 0:
            return RuntimeError(f"DataLoader worker (pid {pid}) is killed by signal: {signal.strsignal(-status)}. ")
        return RuntimeError(
            f"DataLoader worker (pid {pid}) exited unexpectedly with exit code {status}. Details are lost due to "
            "multiprocessing. Rerunning with num_workers=0 may give better error trace."
        )


class Crew:
    """The workers of one iterator.  They end by themselves when their pipes are closed, as happens when the crew is freed."""

    def __init__(self):
        self.workers = []
        self.owner = os.getpid()
        self.is_closed = False
        crews.add(self)

    def close(self):
        """End the workers and wait for them; after a while, or at ^C, those still at work are ended by force."""
        if os.getpid() != self.owner or self.is_closed:
            return
        with Uninterrupted() as interrupts:
            self.is_closed = True
            for worker in self.workers:
                worker.dismiss()
            latest = time.monotonic() + GRACE
            running = {worker.process.sentinel for worker in self.workers}
            while running and time.monotonic() < latest and not interrupts.seen:
                running.difference_update(wait(running, MOMENT))
            for worker in self.workers:
                if worker.process.sentinel in running:
                    worker.process.kill()
                worker.process.join()


crews = weakref.WeakSet()
is_over = False  # has the program ended?


@atexit.register
def close_all():
    """End the workers that are still there at the end of the program; ^C finds nothing more to interrupt."""
    global is_over
    if crews and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    is_over = True
    for crew in list(crews):
        crew.close()


@contextlib.contextmanager
def silent_at_the_end():
    """End a thread that still reads when the program is over and its workers have been ended, without a word."""
    try:
        yield
    except Exception:
        if is_over and threading.current_thread() is not threading.main_thread():
            raise SystemExit from None
        raise


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """A pass whose batches are made by worker processes, some batches ahead.

    Batches are read from the workers' pipes in the order in which they were asked for, so that nothing depends on which
    worker is faster.
    """

    _turns = None  # the workers in the order in which they are asked, once a pass has begun

    def __init__(self, loader):
        super().__init__(loader)
        self._prefetch_factor = loader.prefetch_factor
        if self._prefetch_factor <= 0:
            raise AssertionError("prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter")
        self._timeout = loader.timeout
        self._in_order = loader.in_order
        self._persistent_workers = loader.persistent_workers
        self._crew = Crew()
        with self._closed_on_error():
            self._start_workers(loader)
        self._reset(loader)

    def _start_workers(self, loader):
        context = loader.multiprocessing_context or default_context()
        for id in range(self._num_workers):
            duty = serving.Duty(
                Program(),
                self._source,
                id,
                self._num_workers,
                self._base_seed,
                loader.worker_init_fn,
                self._shared_seed,
                pipes.find_place(loader.dataset),
            )
            try:
                with shield(context.get_start_method()):
                    self._crew.workers.append(Worker(context, duty))
            except (TypeError, AttributeError, PicklingError):
                warn(
                    "Got pickle error when attempting to start a worker Process. This might be because the worker Process "
                    "arguments are not picklable. Python 3.14+ changed the multiprocessing start method in non-Mac POSIX "
                    "platforms to 'forkserver', which requires the worker Process arguments to be picklable. You can also "
                    "try multiprocessing.set_start_method('fork')."
                )
                raise

    @property
    def is_closed(self):
        """True if the workers have ended."""
        return self._crew.is_closed

    def _reset(self, loader):
        with self._closed_on_error():
            self._begin(loader)
            self._shared_seed = pipes.draw_shared_seed(loader.dataset, loader.generator)
            if self._turns is not None:
                self._call_back()
            self._owed = deque()  # the worker of each batch that is due, in order
            self._arrived = None  # the batch that is given next
            self._turns = cycle(self._crew.workers)
            for _ in range(self._prefetch_factor * self._num_workers):
                self._ask()

    def _call_back(self):
        """Have all workers begin another pass, and drop pending requests of the last."""
        for worker in self._crew.workers:
            worker.tell(serving.AGAIN, self._shared_seed)
        for worker in self._crew.workers:
            kind = None
            while kind != serving.READY:
                kind, packed = worker.answer()
                packed.discard()
            worker.reads = True

    def _ask(self):
        """Give the next index to the worker whose turn it is."""
        worker = self._next_worker()
        if worker is None:
            return
        try:
            index = next(self._sampler_iter)
        except StopIteration:
            return
        worker.tell(serving.READ, index)
        self._owed.append(worker)

    def _next_worker(self):
        reading = sum(worker.reads for worker in self._crew.workers)
        most = self._prefetch_factor * self._num_workers // max(reading, 1)
        for worker, _ in zip(self._turns, range(self._num_workers)):
            if worker.reads and (self._in_order or self._owed.count(worker) < most):
                return worker
        return None

    def _next_data(self):
        while self._arrived is None and self._owed:
            worker = self._wait()
            with Uninterrupted():  # pending requests and results must change together
                self._arrived = self._take(worker)
                self._ask()
        if self._arrived is None:
            if not self._persistent_workers:
                self._crew.close()
            raise StopIteration
        (kind, answer), self._arrived = self._arrived, None
        if kind == serving.FAILURE:
            serving.reraise(*answer)
        return answer

    def _take(self, worker):
        """Return (kind, answer) that a worker has sent, or None if that is the end of its stream."""
        with self._closed_on_error():
            kind, packed = worker.answer()
            answer = unpack(packed)
        self._owed.remove(worker)
        if kind == serving.END:
            self._let_go(worker)
            return None
        return kind, answer

    def _wait(self):
        """Return the worker whose answer is taken next, once there is one; ^C here breaks nothing."""
        awaited = [self._owed[0]] if self._in_order else set(self._owed)
        with silent_at_the_end():
            ready = wait([worker.connection for worker in awaited], self._timeout or None)
        if not ready:
            raise RuntimeError(f"DataLoader timed out after {self._timeout} seconds")
        return next(worker for worker in awaited if worker.connection in ready)

    def _let_go(self, worker):
        """The stream of a worker has ended: it answers nothing more in this pass."""
        worker.reads = False
        self._owed = deque(other for other in self._owed if other is not worker)
        if not self._persistent_workers:
            worker.dismiss()

    @contextlib.contextmanager
    def _closed_on_error(self):
        """Close the crew on an error: a partly read message cannot be continued, nor can a dead worker work."""
        try:
            with silent_at_the_end():
                yield
        except BaseException:
            self._owed = deque()
            self._crew.close()
            raise
