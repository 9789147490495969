"""The work of a worker process: read the requests, and send batches back in that order."""

import os
import pickle
import queue
import random
import signal
import threading
import time
import traceback
from dataclasses import dataclass
from typing import Any

from numpy import random as numpy_random

from tensh.engine import find_public
from tensh.support.sent_exceptions import make_exception
from tensh.utils.data import pipes
from tensh.utils.data.fetch import Source
from tensh.utils.data.spawning import Program, ignore_interrupts
from tensh.utils.data.transport import pack
from tensh.utils.data.worker_info import WorkerInfo, set_worker_info

BATCH, FAILURE, END, READY = "batch", "failure", "end", "ready"  # what a worker answers
READ, AGAIN = "read", "again"  # commands to a worker: read the samples of an index, begin another pass
GRACE = 5.0  # seconds that a worker has to end by itself


@dataclass
class Duty:
    """The data that a worker receives at its start."""

    program: Program  # unpickled before the rest, which may need it
    source: Source
    id: int
    num_workers: int
    base_seed: int
    init: Any
    shared_seed: int | None = None  # the seed of the steps of a pipe
    place: tuple = (1, 0)  # the number of processes that load, and which of them this one belongs to


def failure(error, id):
    """Return an exception in a form that can be sent: its type, or RuntimeError if other processes lack it, and its text."""
    kind = type(error)
    text = "".join(traceback.format_exception(error))
    message = f"Caught {kind.__name__} in DataLoader worker process {id}.\nOriginal {text}"
    try:
        pickle.dumps(kind)
    except Exception:  # a class that pickle does not find, or whose metaclass refuses
        kind = RuntimeError
    return kind, message


def reraise(kind, message):
    """Raise the exception of a worker here, with the worker's traceback in its text."""
    raise make_exception(kind, message) from None


def serve(connection, duty):
    """Run a worker until the loader's end of the connection is closed."""
    ignore_interrupts()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    find_public("set_num_threads")(1)
    tasks = Tasks(connection)
    settle(duty)
    try:
        for kind, answer in answers(tasks, duty):
            try:
                packed = pack(answer)
            except Exception as error:
                kind, packed = FAILURE, pack(failure(error, duty.id))
            packed.send(connection, kind)
    except ConnectionError:
        pass  # the loader has stopped reading
    except KeyboardInterrupt:
        raise SystemExit(1) from None  # raised by the user's code: the loader will say that this worker has ended


class Tasks:
    """The requests to a worker.  A thread reads them, so that the loader can always send more without waiting for a batch."""

    def __init__(self, connection):
        self.queue = queue.SimpleQueue()
        self.are_over = False
        threading.Thread(target=self.read, args=(connection,), daemon=True).start()

    def read(self, connection):
        """Read until the loader closes its end; the user's code then has some time to finish."""
        try:
            while True:
                self.queue.put(connection.recv())
        except (EOFError, OSError):
            self.are_over = True
            self.queue.put(None)
        time.sleep(GRACE)
        os._exit(1)

    def __iter__(self):
        while (task := self.queue.get()) is not None and not self.are_over:
            yield task


def settle(duty):
    """Seed the random numbers of Python, NumPy and tensh as PyTorch does, and set this process's worker info."""
    seed = duty.base_seed + duty.id
    random.seed(seed)
    find_public("manual_seed")(seed)
    words = [duty.id, duty.base_seed & 0xFFFFFFFF, duty.base_seed >> 32, 0]
    numpy_random.seed(numpy_random.SeedSequence(words).generate_state(4))
    pipes.apply_seed(duty.source.dataset, duty.shared_seed)
    set_worker_info(WorkerInfo(duty.id, duty.num_workers, seed, duty.source.dataset))


def answers(tasks, duty):
    """Yield (kind, answer) to each task in turn.  A stream that has ended says so once, and no more before the next pass."""
    state, reader = attempt(duty.id, prepare_worker, duty)
    for told, index in tasks:  # or the seed of a pass
        if told == AGAIN:
            pipes.apply_seed(duty.source.dataset, index)
            state, reader = attempt(duty.id, duty.source.reader)
            yield READY, None
        elif state == FAILURE:
            yield FAILURE, reader
        elif state == BATCH:
            kind, answer = attempt(duty.id, reader, index, may_end=duty.source.is_stream)
            if kind == END:
                state = END
            yield kind, answer


def prepare_worker(duty):
    """Return the function that reads, after the user's function has prepared the worker."""
    pipes.share(duty.source.dataset, duty.place, duty.id, duty.num_workers)
    if duty.init is not None:
        duty.init(duty.id)
    return duty.source.reader()


def attempt(id, function, *args, may_end=False):
    """Return the result of a user's function, or its failure."""
    try:
        return BATCH, function(*args)
    except Exception as error:
        if may_end and isinstance(error, StopIteration):
            return END, None
        return FAILURE, failure(error, id)
