"""Runs on the workers of Dask: a local cluster or a scheduler, batches that fit the time that runs take, lost workers."""

import atexit
import contextlib
import importlib.util
import logging
import os
import signal
from collections import deque
from math import ceil

from tensh.cli.programs.options import UsageError
from tensh.cli.sweeping.medians import Medians
from tensh.cli.sweeping.running import run_batch
from tensh.support.language import _
from tensh.support.processors import count_processors

BATCH = 0.5  # seconds that a batch should take: results come that often, beside which Dask's 5 ms, and 25 for two transactions, are little
LARGEST = 256  # runs of a batch
STARTS = 3  # attempts to start a local cluster
PATIENCE = 30  # seconds for a scheduler, and then for its first worker


def require_library():
    """Raise UsageError unless Dask is installed."""
    if importlib.util.find_spec("distributed") is None:
        raise UsageError(_("tensh sweep: the library distributed is not installed: pip install 'tensh[sweep]'"))


@contextlib.contextmanager
def open_client(address, workers):
    """A context with a client of a scheduler, or of a cluster of this machine's cores."""
    import dask
    import distributed

    with (
        without_logs(),
        dask.config.set({"distributed.scheduler.allowed-failures": 0, "distributed.admin.tick.limit": "1 hour"}),
    ):
        if address is None:
            with open_local(distributed, workers) as client:
                yield client
            return
        try:
            client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
            client.wait_for_workers(1, timeout=PATIENCE)
        except (OSError, ValueError, TimeoutError) as error:
            raise UsageError(
                _("--scheduler {address}: no scheduler with workers answers ({error})").format(
                    address=address, error=type(error).__name__
                )
            ) from None
        with client:
            yield client


@contextlib.contextmanager
def without_logs():
    """A context in which no library logs anything: a run reports what it loses, and a ^C needs no traceback."""
    before = logging.root.manager.disable
    logging.disable()
    try:
        yield
    except KeyboardInterrupt:  # the threads of Dask go on until the process has ended
        raise
    except BaseException:
        logging.disable(before)
        raise
    logging.disable(before)


@contextlib.contextmanager
def open_local(distributed, workers):
    """A context with a client of new processes, which are gone afterwards."""
    cluster = start_local(distributed, workers or count_processors())
    try:
        with distributed.Client(cluster, set_as_default=False) as client:
            try:
                yield client
            finally:
                end_workers(cluster)
    finally:
        with contextlib.suppress(TimeoutError):  # the processes are gone; only a busy machine has not heard of it yet
            cluster.close(timeout=5)


def start_local(distributed, workers):
    """Start processes on this machine, again if one is lost meanwhile.  Raise UsageError if that does not help."""
    for attempt in range(1, STARTS + 1):
        try:
            return distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0",
                memory_limit=0, silence_logs=50,
            )  # fmt: skip
        except KeyboardInterrupt:
            # at exit Dask would close what is not open yet, and show a traceback
            with contextlib.suppress(AttributeError):
                atexit.unregister(distributed.deploy.spec.close_clusters)
            raise
        except (RuntimeError, TimeoutError) as error:
            if attempt == STARTS:
                raise UsageError(_("tensh sweep: the workers do not start ({error})").format(error=error)) from None


def end_workers(cluster):
    """End the processes of a cluster, whatever their scripts are doing."""
    for nanny in cluster.workers.values():
        nanny.auto_restart = False
        with contextlib.suppress(ProcessLookupError, TypeError):
            os.kill(nanny.pid, getattr(signal, "SIGKILL", signal.SIGTERM))


class Workers:
    """Hands runs to the workers of a client, one batch to each at a time."""

    def __init__(self, client, job, begin):
        from distributed import as_completed

        self.client, self.job, self.begin = client, job, begin
        self.pool = as_completed(loop=client.loop, raise_errors=False)
        self.handed = {}  # future -> its runs
        self.waiting = deque()
        self.alone = deque()  # runs whose worker was lost: repeated, each in a separate batch
        self.lost = set()  # the ids of such runs
        self.medians = Medians()
        self.mean = BATCH  # seconds of a run: at first one run is a batch

    def run_all(self, runs):
        """Yield lists of runs as they are finished."""
        self.waiting.extend(runs)
        self.hand_out()
        for future in self.pool:
            done = self.take(future)
            self.hand_out()
            yield done

    def hand_out(self):
        """Give a batch to each worker that has none."""
        workers = max(len(self.client.nthreads()), 1)
        while len(self.handed) < workers and (batch := self.next_batch(workers)):
            self.begin(batch)
            future = self.client.submit(run_batch, self.job, batch, self.medians.bounds, pure=False, retries=0)
            self.handed[future] = batch
            self.pool.add(future)

    def next_batch(self, workers):
        """Take runs that last as long as a batch should; at the end, fewer, so that all workers end together."""
        if self.alone:
            return [self.alone.popleft()]
        size = min(int(BATCH / max(self.mean, 1e-3)), LARGEST, ceil(len(self.waiting) / (2 * workers)))
        return [self.waiting.popleft() for _each in range(min(max(size, 1), len(self.waiting)))]

    def take(self, future):
        """Return the finished runs of a batch."""
        batch = self.handed.pop(future)
        if future.status == "finished":
            done = future.result()
            self.medians.add(done)
            self.mean = sum(run.seconds for run in done) / len(done)
            return done
        error = future.exception() if future.status == "error" else None
        if type(error).__name__ != "KilledWorker":
            raise UsageError(
                _("tensh sweep: the workers cannot run it ({error})").format(
                    error=error or _("the scheduler disappeared")
                )
            )
        again = [run for run in batch if run.id not in self.lost]
        self.alone.extend(again)
        self.lost.update(run.id for run in again)
        return [
            run._replace(state="failed", error=_("its process was lost twice")) for run in batch if run not in again
        ]
