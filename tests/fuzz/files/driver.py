"""Processes that read changed files: started, supervised, and started again after one that ended too early."""

import concurrent.futures
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

WORKER = Path(__file__).with_name("worker.py")
HANGS = 120  # seconds without progress, after which a process is ended
ENOUGH = 20  # findings of a kind, after which the kind is skipped
BATCH = 10_000  # files of a process
QUIET = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1", "TENSH_HISTORY": "off"}


class Outcome(NamedTuple):
    """The numbers of loaded and refused files, and the failures, one line each."""

    loaded: int = 0
    refused: int = 0
    wrong: tuple = ()

    def __add__(self, other):
        return Outcome(self.loaded + other.loaded, self.refused + other.refused, self.wrong + other.wrong)


def run(count, seed=0, kinds=None, jobs=1, minutes=None, keep=None, tell=None):
    """Read ``count`` changed files, the same number of each kind, and return the Outcome.

    ``jobs`` processes run at a time, ``keep`` is a folder for files with failures, and ``tell`` is
    called with a line about each finished part.
    """
    kinds = list(kinds or names())
    end = time.monotonic() + minutes * 60 if minutes else None
    parts = []
    for place, kind in enumerate(kinds):
        number = count // len(kinds) + (place < count % len(kinds))
        parts += [(begin, kind, min(BATCH, number - begin), place) for begin in range(0, number, BATCH)]

    def work(part):
        begin, kind, number, _ = part
        if end and time.monotonic() > end:
            return Outcome()
        outcome = read_part(kind, f"{seed}{begin // BATCH:04}", number, keep)
        if tell:
            tell(
                f"{kind}: {outcome.loaded + outcome.refused} files, {outcome.loaded} loaded, {len(outcome.wrong)} wrong"
            )
        return outcome

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return sum(pool.map(work, sorted(parts)), Outcome())


def names():
    """The kinds of files."""
    from tests.fuzz.files.seeds import SEEDS

    return SEEDS


def read_part(kind, seed, count, keep):
    """Read files of a kind; return the Outcome."""
    total, begin = Outcome(), 0
    while begin < count and len(total.wrong) < ENOUGH:
        begin, outcome = read_in_process(kind, seed, begin, count, keep)
        total += outcome
    return total


def read_in_process(kind, seed, begin, count, keep):
    """Read files from ``begin`` on in a process; return (the file at which it ended, its Outcome)."""
    room = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(dir=room) as folder:
        words = [sys.executable, str(WORKER), kind, seed, str(begin), str(count), folder]
        with open(os.path.join(folder, "errors"), "w+b") as errors, open(os.path.join(folder, "said"), "w+") as said:
            process = subprocess.Popen(
                words, stdout=said, stderr=errors, cwd=folder, env=os.environ | QUIET, stdin=subprocess.DEVNULL
            )
            hung = wait(process, folder)
            errors.seek(0), said.seek(0)
            lines = [line.rstrip("\n") for line in said if line.startswith("! ")]
            reason = errors.read()[-300:].decode(errors="replace")
            if not os.path.exists(os.path.join(folder, "progress")):
                raise RuntimeError(f"the process that reads {kind} files did not begin: {reason}")
        place, loaded, refused, size = progress_of(folder, begin)
        if process.returncode:
            last = Path(folder, "last")
            path = Path(folder, f"found-{place}")
            path.write_bytes(last.read_bytes()[:size] if last.exists() else b"")
            ended = "does not end" if hung else f"ends the process with {process.returncode}: {reason!r}"
            lines.append(f"! {kind} {seed} {place} {path}: {ended}")
            place += 1
        else:
            place = count
        if keep:
            lines = [kept(line, kind, keep) for line in lines]
    return place, Outcome(loaded, refused, tuple(lines))


def wait(process, folder):
    """Wait for a process; if it makes no progress, end it and return True."""
    before, since = None, time.monotonic()
    while process.poll() is None:
        try:
            process.wait(0.2)
        except subprocess.TimeoutExpired:
            now = progress_of(folder, 0)
            if now != before:
                before, since = now, time.monotonic()
            elif time.monotonic() - since > HANGS:
                process.kill()
                process.wait()
                return True
    return False


def progress_of(folder, begin):
    """Return (number of the file, loaded, refused, bytes of the file), as the process last recorded them."""
    path = Path(folder, "progress")
    facts = path.read_text().split()[:4] if path.exists() else []
    return tuple(map(int, facts)) if len(facts) == 4 else (begin, 0, 0, 0)


def kept(line, kind, folder):
    """A line about a file that is kept, with its new path."""
    path = line.split(" ", 5)[4].rstrip(":")
    os.makedirs(folder, exist_ok=True)
    data = Path(path).read_bytes()
    new = os.path.join(folder, f"{kind}-{hashlib.sha1(data, usedforsecurity=False).hexdigest()[:12]}")
    shutil.copyfile(path, new)
    return line.replace(path, new)
