"""The processors that this process may use, which its affinity may limit."""

import os


def count_processors():
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
