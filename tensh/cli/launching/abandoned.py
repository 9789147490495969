"""Shared memory of MPI that killed processes leave behind.

Processes unlink it as soon as all of them have opened it (``distributed/mpi/world``). One that is killed before leaves a file.
"""

import contextlib
import os
from pathlib import Path

MEMORY = Path("/dev/shm")
OF_MPI = "mpich_shm_*"


def remove_abandoned(since):
    """Remove the memory that this user's processes have created since a time of day, and that no process uses."""
    for path in MEMORY.glob(OF_MPI):
        with contextlib.suppress(OSError):
            facts = path.stat()
            if facts.st_uid == os.getuid() and facts.st_ctime >= since and not is_used(path):
                path.unlink()


def is_used(path):
    """Return True if a process has a file open, or in its memory."""
    name = str(path)
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if name in (process / "maps").read_text(errors="replace"):
                return True
            if any(os.readlink(each) == name for each in (process / "fd").iterdir()):
                return True
    return False
