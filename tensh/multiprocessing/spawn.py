"""torch.multiprocessing.spawn: a function in several processes, and the first failure among them."""

import logging
import multiprocessing
import multiprocessing.connection
import os
import shutil
import signal
import sys
import tempfile
import time
import warnings
import weakref

__all__ = [
    "ProcessContext",
    "ProcessException",
    "ProcessExitedException",
    "ProcessRaisedException",
    "SpawnContext",
    "spawn",
    "start_processes",
]

log = logging.getLogger(__name__)


class ProcessException(Exception):
    """A process of ``start_processes`` failed: its index is ``error_index``, its process id ``error_pid``."""

    def __init__(self, msg, error_index, error_pid):
        super().__init__(msg)
        self.msg, self.error_index, self.error_pid = msg, error_index, error_pid

    def __reduce__(self):
        return type(self), (self.msg, self.error_index, self.error_pid)


class ProcessRaisedException(ProcessException):
    """A process of ``start_processes`` raised an exception, whose traceback is in the message."""


class ProcessExitedException(ProcessException):
    """A process of ``start_processes`` was killed by the signal ``signal_name``, or exited with ``exit_code``."""

    def __init__(self, msg, error_index, error_pid, exit_code, signal_name=None):
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name

    def __reduce__(self):
        return type(self), (self.msg, self.error_index, self.error_pid, self.exit_code, self.signal_name)


def _end_with_parent():
    """Interrupt this process when its parent ends, on systems that support it (Linux)."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGINT)  # PR_SET_PDEATHSIG


def _run(fn, place, args, error_file):
    from tensh.distributed.mpi.world import leave_world

    _end_with_parent()
    leave_world()
    try:
        fn(place, *args)
    except KeyboardInterrupt:
        pass  # the parent process has it, too
    except Exception:
        import traceback

        with open(error_file, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(traceback.format_exc())
        sys.exit(1)


class ProcessContext:
    """The processes of ``start_processes``; ``join`` waits for them."""

    def __init__(self, processes, error_files):
        self.processes, self.error_files = processes, error_files
        self.sentinels = {process.sentinel: place for place, process in enumerate(processes)}

    def pids(self):
        """Return the process ids."""
        return [int(process.pid) for process in self.processes]

    def join(self, timeout=None, grace_period=None):
        """Wait up to ``timeout`` seconds for some processes to end; return True if all have.

        When one has failed, the others are terminated, after ``grace_period`` seconds to end by themselves.  Raise
        ProcessRaisedException for an exception, ProcessExitedException for an exit code or a signal.
        """
        if not self.sentinels:
            return True
        ended = [self.sentinels.pop(each) for each in multiprocessing.connection.wait(self.sentinels.keys(), timeout)]
        for place in ended:
            self.processes[place].join()
        # processes killed by a signal first, because exceptions of the others may result from them
        for place in sorted(ended, key=lambda each: self.processes[each].exitcode >= 0):
            process = self.processes[place]
            if process.exitcode:
                self._end_all(grace_period)
                raise self._failure(place, process)
        return not self.sentinels

    def _end_all(self, grace_period):
        if grace_period is not None:
            self._wait_for_all(grace_period)
        for process in self.processes:
            if process.is_alive():
                log.warning("Terminating process %s via signal SIGTERM", process.pid)
                process.terminate()
        self._wait_for_all(30 if grace_period is None else grace_period)
        for process in self.processes:
            if process.is_alive():
                log.warning("Unable to shutdown process %s via SIGTERM , forcefully exiting via SIGKILL", process.pid)
                process.kill()
            process.join()

    def _wait_for_all(self, timeout):
        end = time.monotonic() + timeout
        for process in self.processes:
            process.join(max(0, end - time.monotonic()))

    def _failure(self, place, process):
        """Return the exception for a process that failed."""
        if os.path.exists(self.error_files[place]):
            with open(self.error_files[place], encoding="utf-8") as file:
                text = f"\n\n-- Process {place} terminated with the following error:\n{file.read()}"
            return ProcessRaisedException(text, place, process.pid)
        code = process.exitcode
        if code > 0:
            return ProcessExitedException(f"process {place} terminated with exit code {code}", place, process.pid, code)
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"<Unknown signal {-code}>"
        return ProcessExitedException(f"process {place} terminated with signal {name}", place, process.pid, code, name)


class SpawnContext(ProcessContext):
    """An older name of ``ProcessContext``, which raises a warning."""

    def __init__(self, processes, error_files):
        warnings.warn("SpawnContext is renamed to ProcessContext since 1.4 release.", stacklevel=2)
        super().__init__(processes, error_files)


def start_processes(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn", numa_options=None):
    """Call ``fn(i, *args)`` in ``nprocs`` processes and wait; with ``join=False`` return their ProcessContext.

    Tensors in ``args`` are shared with the processes.  Raise the error of ``ProcessContext.join`` for the first that
    fails.
    """
    context = multiprocessing.get_context(start_method)
    folder = tempfile.mkdtemp(prefix="tensh-errors-")
    files = [os.path.join(folder, str(place)) for place in range(nprocs)]
    processes = []
    for place, file in enumerate(files):
        process = context.Process(target=_run, args=(fn, place, args, file), daemon=daemon)
        process.start()
        processes.append(process)
    found = ProcessContext(processes, files)
    weakref.finalize(found, shutil.rmtree, folder, ignore_errors=True)
    if not join:
        return found
    while not found.join():
        pass
    return None


def spawn(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    """Call ``fn(i, *args)`` in ``nprocs`` new processes: ``start_processes`` by the method spawn, with a warning for others.

    >>> import tensh as torch
    >>> torch.multiprocessing.spawn(print, args=("hello",), nprocs=2)  # doctest: +SKIP
    0 hello
    1 hello
    """
    if start_method != "spawn":
        warnings.warn(
            f"This method only supports start_method=spawn (got: {start_method}).\n"
            f"To use a different start_method use:\n\t\t torch.multiprocessing.start_processes(...)",
            FutureWarning,
            stacklevel=2,
        )
    return start_processes(fn, args, nprocs, join, daemon, start_method="spawn")
