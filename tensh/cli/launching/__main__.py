"""A process of `tensh launch`: find out its rank, run the program, report how it ended.

`python -m tensh.cli.launching FILE ARGS`, started by `mpiexec`.
"""

import atexit
import os
import signal
import sys

from tensh.cli.launching.ending import end_with_parent
from tensh.cli.launching.prefixed import PrefixedStream

RANKS = "PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"
LOCAL_RANKS = "MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"
LOCAL_SIZES = "MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE"


def find(names, otherwise):
    """Return the value of the first of these environment variables that is set."""
    return next((os.environ[name] for name in names if name in os.environ), otherwise)


def set_environment():
    """Set the environment variables of PyTorch's launcher from those of MPI."""
    rank = find(RANKS, "0")
    local, size = find(LOCAL_RANKS, rank), find(LOCAL_SIZES, os.environ.get("WORLD_SIZE", "1"))
    os.environ |= {"RANK": rank, "LOCAL_RANK": local, "LOCAL_WORLD_SIZE": size}
    os.environ |= {"ROLE_RANK": rank, "ROLE_WORLD_SIZE": os.environ.get("WORLD_SIZE", "1")}
    os.environ.setdefault("GROUP_RANK", str(int(rank) // max(int(size), 1)))
    return rank


def note(folder, name, text):
    """Write a note for the launcher, if it runs on this machine; a process that is killed leaves it whole, or none."""
    if folder and os.path.isdir(folder):
        path = os.path.join(folder, name)
        with open(f"{path}.{os.getpid()}", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(file.name, path)


def is_noted(folder, name):
    """Return True if there is such a note."""
    return bool(folder) and os.path.exists(os.path.join(folder, name))


def watch_over(rank, folder):
    """Continue in a child process, while this one waits and notes how it ends.

    The child may note that itself; `mpiexec` does not report the end of each rank.
    """
    own = os.getpid()
    child = os.fork()
    if not child:
        os.setpgid(0, 0)  # signals are forwarded by the parent, once
        end_with_parent(signal.SIGKILL, own)
        return
    end_with_parent(signal.SIGKILL)
    for sign in (signal.SIGINT, signal.SIGTERM):
        signal.signal(sign, lambda number, frame: os.kill(child, number))
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if not is_noted(folder, f"{rank}.done" if status == 0 else f"{rank}.status"):  # os._exit(), or a signal
        note(folder, f"{rank}.status" if status else f"{rank}.early", str(status))
    if status < 0:
        os.kill(own, signal.SIGKILL)  # unlike a status, always a failure for mpiexec
    os._exit(status)


def finish_lines():
    """Flush the output, including an unfinished line."""
    for stream in (sys.stdout, sys.stderr):
        getattr(stream, "finish", stream.flush)()


def begin_timeline(rank):
    """Start to note the times of exchanges, if the launcher asks for them; return the function that writes the last ones."""
    if "TENSH_TIMELINE" not in os.environ:
        return lambda: None
    from tensh.support import timeline

    return timeline.begin_writing(rank)


def run():
    """Run the program; on failure end the process here, since MPI would wait for the others."""
    rank, folder = set_environment(), os.environ.pop("TENSH_LAUNCH", None)
    os.environ["TENSH_LAUNCHED"] = "1"
    if hasattr(os, "fork"):
        watch_over(rank, folder)
    note(folder, f"{rank}.pid", str(os.getpid()))
    prefix = f"[{rank}] " if os.environ.pop("TENSH_LAUNCH_PREFIX", None) else ""
    sys.stdout, sys.stderr = PrefixedStream(sys.stdout, prefix), PrefixedStream(sys.stderr, prefix)
    atexit.register(finish_lines)
    end_timeline = begin_timeline(rank)
    from tensh.cli.start import main

    sys.argv[:] = ["tensh", "run", sys.argv[1], "--", *sys.argv[2:]]
    status = main()
    end_timeline()
    if status:
        note(folder, f"{rank}.status", str(status))
        finish_lines()
        os._exit(status)
    note(folder, f"{rank}.done", "")
    sys.exit(0)


if __name__ == "__main__":
    run()
