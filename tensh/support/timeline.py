"""The times of a process's exchanges, for the picture that ``tensh launch --timeline`` makes.

Nothing is recorded unless the launcher sets ``TENSH_TIMELINE`` to a folder.  A span is (kind, name, begin, end) in seconds;
the kinds are "blocked", in which the program stands still, "wait" for other processes, and "transfer" of data.  The last two
may pass while the program computes.
"""

import contextlib
import json
import os
import threading
import time
from collections import deque
from time import perf_counter as now

MOST = 100_000  # spans of a process: 10 MB of JSON
EVERY = 0.5  # seconds between writes

spans: deque = deque()  # those that are not yet written
is_recording = "TENSH_TIMELINE" in os.environ
start = now()
shift = time.time() - start  # add it to this process's clock to get one that all processes of a machine share


def note(kind, name, begin, end):
    """Note a span of time."""
    if is_recording:
        spans.append((kind, name, begin + shift, end + shift))


@contextlib.contextmanager
def noting(name):
    """A context that the program enters to exchange something without computing meanwhile."""
    begin = now()
    try:
        yield
    finally:
        note("blocked", name, begin, end := now())
        note("transfer", name, begin, end)


def begin_writing(rank):
    """Write what is noted to a file of the launcher's folder, again and again; return the function that writes the rest.

    So a process that is killed loses the last moment only.  Each line is a span, or facts: the rank, the time of the start,
    until when the process has lived so far, and the number of spans after which the others were left out.
    """
    try:
        file = open(os.path.join(os.environ["TENSH_TIMELINE"], f"{rank}.jsonl"), "w", encoding="utf-8")  # noqa: SIM115
    except OSError:  # the launcher is on another machine
        return lambda: None
    lines, ended = Lines(file), threading.Event()
    lines.write({"rank": int(rank), "start": start + shift})

    def follow():
        while not ended.wait(EVERY):
            lines.pour()

    writer = threading.Thread(target=follow, name="timeline", daemon=True)
    writer.start()

    def finish():
        ended.set()
        writer.join()
        lines.pour()
        with contextlib.suppress(OSError):
            file.close()

    return finish


class Lines:
    """A file of spans and facts."""

    def __init__(self, file):
        self.file, self.room = file, MOST

    def write(self, value):
        """Write a line."""
        self.file.write(json.dumps(value) + "\n")

    def pour(self):
        """Write the spans that have been noted since."""
        with contextlib.suppress(OSError):  # the disk is full
            while spans and self.room:
                self.write(spans.popleft())
                self.room -= 1
            if not self.room:
                spans.clear()
                self.write({"limit": MOST})
            self.write({"end": now() + shift})
            self.file.flush()
