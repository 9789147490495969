"""What a worker process does: read what it is told to, and send batches back in that order."""

import multiprocessing
import os
import pickle
import queue
import random
import shutil
import signal
import threading
import traceback
from dataclasses import dataclass
from typing import Any

from numpy import random as numpy_random

from tensh.engine import named
from tensh.utils.data.fetch import Source
from tensh.utils.data.spawning import Program
from tensh.utils.data.transport import pack
from tensh.utils.data.worker_info import WorkerInfo, set_worker_info

BATCH, FAILURE, END, READY = "batch", "failure", "end", "ready"  # what a worker answers
READ, AGAIN = "read", "again"  # what it is told: to read what an index says, to begin another pass


@dataclass
class Duty:
    """All that a worker is told when it begins."""

    program: Program  # unpickled before the rest, which may need it
    source: Source
    id: int
    num_workers: int
    base_seed: int
    init: Any
    folder: str


class KeyErrorMessage(str):
    """A text that a KeyError shows as it is."""

    def __repr__(self):
        return str(self)


def failure(error, id):
    """An exception as what can be sent: its type, or RuntimeError where no other process has it, and its text."""
    kind = type(error)
    text = "".join(traceback.format_exception(error))
    message = f"Caught {kind.__name__} in DataLoader worker process {id}.\nOriginal {text}"
    try:
        pickle.dumps(kind)
    except Exception:
        kind = RuntimeError
    return kind, message


def reraise(kind, message):
    """Raise the exception of a worker here, with the worker's traceback in its text."""
    if kind is KeyError:
        message = KeyErrorMessage(message)
    try:
        error = kind(message=message) if getattr(kind, "message", None) else kind(message)
    except Exception:  # a type that is made of something else than a text
        error = RuntimeError(message)
    raise error from None


def serve(connection, duty):
    """The life of a worker: it ends when the loader's end of the connection is closed."""
    signal.signal(signal.SIGINT, lambda *_: None)  # ^C is for the loader, which goes on with its workers or ends them
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    named("set_num_threads")(1)
    tasks = received(connection)
    settle(duty)
    try:
        for number, (kind, answer) in enumerate(answers(tasks, duty)):
            path = os.path.join(duty.folder, f"{duty.id}-{number}")
            try:
                packed = pack(answer, path)
            except Exception as error:
                kind, packed = FAILURE, pack(failure(error, duty.id), path)
            connection.send((kind, *packed))
    except ConnectionError:
        pass  # the loader reads no more
    if not multiprocessing.parent_process().is_alive():
        shutil.rmtree(duty.folder, ignore_errors=True)


def received(connection):
    """A queue of what is told.  A thread reads it, so that the loader can always say more without waiting for a batch."""
    tasks = queue.SimpleQueue()

    def read():
        try:
            while True:
                tasks.put(connection.recv())
        except (EOFError, OSError):
            tasks.put(None)

    threading.Thread(target=read, daemon=True).start()
    return tasks


def settle(duty):
    """Seed the random numbers of Python, NumPy and tensh as PyTorch does, and say which worker this process is."""
    seed = duty.base_seed + duty.id
    random.seed(seed)
    named("manual_seed")(seed)
    words = [duty.id, duty.base_seed & 0xFFFFFFFF, duty.base_seed >> 32, 0]
    numpy_random.seed(numpy_random.SeedSequence(words).generate_state(4))
    set_worker_info(WorkerInfo(duty.id, duty.num_workers, seed, duty.source.dataset))


def answers(tasks, duty):
    """(kind, answer) to each task in turn.  A stream that has ended says so once, and no more before the next pass."""
    state, reader = attempt(duty.id, prepared, duty)
    while (task := tasks.get()) is not None:
        told, index = task
        if told == AGAIN:
            state, reader = attempt(duty.id, duty.source.reader)
            yield READY, None
        elif state == FAILURE:
            yield FAILURE, reader
        elif state == BATCH:
            kind, answer = attempt(duty.id, reader, index, may_end=duty.source.is_stream)
            if kind == END:
                state = END
            yield kind, answer


def prepared(duty):
    """The function that reads, once the user's function has prepared the worker."""
    if duty.init is not None:
        duty.init(duty.id)
    return duty.source.reader()


def attempt(id, function, *args, may_end=False):
    """What a function of the user's gives, or how it failed."""
    try:
        return BATCH, function(*args)
    except Exception as error:
        if may_end and isinstance(error, StopIteration):
            return END, None
        return FAILURE, failure(error, id)
