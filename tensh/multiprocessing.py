"""torch.multiprocessing: Python's, under this name; tensors that are sent to another process are copied."""

import multiprocessing
import multiprocessing.connection
from multiprocessing import *  # noqa: F403

__all__ = [  # noqa: PLE0604
    *multiprocessing.__all__,
    "get_all_sharing_strategies",
    "get_sharing_strategy",
    "set_sharing_strategy",
    "spawn",
    "start_processes",
]


class ProcessException(Exception):
    """A process of ``start_processes`` failed."""

    def __init__(self, msg, error_index, error_pid):
        super().__init__(msg)
        self.msg, self.error_index, self.pid = msg, error_index, error_pid


class ProcessRaisedException(ProcessException):
    """A process of ``start_processes`` raised an exception."""


class ProcessExitedException(ProcessException):
    """A process of ``start_processes`` was killed, or left with an exit code."""

    def __init__(self, msg, error_index, error_pid, exit_code, signal_name=None):
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name


def get_all_sharing_strategies():
    """The ways in which tensors could be shared."""
    return {"file_descriptor", "file_system"}


def get_sharing_strategy():
    """The way in which tensors would be shared."""
    return "file_descriptor"


def set_sharing_strategy(new_strategy):
    """Do nothing: tensors are copied."""
    if new_strategy not in get_all_sharing_strategies():
        raise AssertionError(new_strategy)


def _run(fn, place, args, answers):
    import traceback

    try:
        fn(place, *args)
    except KeyboardInterrupt:
        pass
    except BaseException:
        answers.put(traceback.format_exc())
        raise SystemExit(1) from None


class ProcessContext:
    """The processes of ``start_processes``; ``join`` waits for them."""

    def __init__(self, processes, answers):
        self.processes, self._answers = processes, answers

    def pids(self):
        """The number of each process."""
        return [int(process.pid) for process in self.processes]

    def join(self, timeout=None, grace_period=None):
        """Wait until all have ended, True; ProcessException, when the others have been ended, for one that failed."""
        multiprocessing.connection.wait([p.sentinel for p in self.processes if p.is_alive()], timeout)
        failed = next((n for n, p in enumerate(self.processes) if not p.is_alive() and p.exitcode), None)
        if failed is None:
            return not any(p.is_alive() for p in self.processes)
        for process in self.processes:
            process.terminate()
            process.join()
        process = self.processes[failed]
        if not self._answers[failed].empty():
            text = f"\n\n-- Process {failed} terminated with the following error:\n{self._answers[failed].get()}"
            raise ProcessRaisedException(text, failed, process.pid)
        code = process.exitcode
        text = f"process {failed} terminated with exit code {code}"
        raise ProcessExitedException(text, failed, process.pid, code)


def start_processes(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn", numa_options=None):
    """Call ``fn(i, *args)`` in ``nprocs`` processes; with ``join=False`` their ProcessContext."""
    context = multiprocessing.get_context(start_method)
    processes, answers = [], []
    for place in range(nprocs):
        answers.append(context.SimpleQueue())
        processes.append(context.Process(target=_run, args=(fn, place, args, answers[-1]), daemon=daemon))
        processes[-1].start()
    found = ProcessContext(processes, answers)
    if not join:
        return found
    while not found.join():
        pass
    return None


def spawn(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    """``start_processes`` by the method spawn.

    >>> import tensh as torch
    >>> torch.multiprocessing.spawn(print, args=("hello",), nprocs=2)  # doctest: +SKIP
    0 hello
    1 hello
    """
    return start_processes(fn, args, nprocs, join, daemon, start_method)


SpawnContext = ProcessContext


def __getattr__(name):
    return getattr(multiprocessing, name)
