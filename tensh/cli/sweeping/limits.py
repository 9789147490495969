"""Limits of one run in a worker, where it runs in a thread among others."""

import contextlib
import ctypes
import os
import threading

from tensh.cli.programs.limits import TimeLimit

GRACE = 5.0  # seconds after the time limit for code that catches it, or does not come back from a long operation


@contextlib.contextmanager
def limit_time(seconds):
    """Return a context that raises TimeLimit in its code after some seconds; code that continues ends its process."""
    if seconds is None:
        yield
        return
    thread, turn, is_over, is_raised = threading.get_ident(), threading.Lock(), False, False

    def stop():
        nonlocal is_raised
        with turn:
            if not is_over:
                is_raised = True
                raise_in_thread(thread)

    timers = threading.Timer(seconds, stop), threading.Timer(seconds + GRACE, os._exit, (1,))
    for timer in timers:
        timer.daemon = True
        timer.start()
    try:
        yield
    finally:
        with contextlib.suppress(TimeLimit):  # it may arrive here
            with turn:
                is_over = True
            if is_raised:
                # Again, and wait for it: Python looks for one that is withdrawn for ever, and profiles hang meanwhile.
                raise_in_thread(thread)
                while True:
                    pass
        for timer in timers:
            timer.cancel()


def raise_in_thread(thread):
    """Raise TimeLimit in the Python code of a thread."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(TimeLimit))


@contextlib.contextmanager
def limit_memory(mebibytes):
    """Limit the memory that the process can get beyond what it has; only on Linux."""
    if mebibytes is None:
        yield
        return
    import resource

    before, most = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm", encoding="ascii") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    wanted = used + int(mebibytes * 2**20)
    resource.setrlimit(resource.RLIMIT_AS, (wanted if most == resource.RLIM_INFINITY else min(wanted, most), most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (before, most))
