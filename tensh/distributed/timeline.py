"""The times of a process's exchanges, for the picture that ``tensh launch --timeline`` makes.

Nothing is recorded unless the launcher sets ``TENSH_TIMELINE`` to a folder.  A span is (kind, name, begin, end) in seconds;
the kinds are "blocked", in which the program stands still, "wait" for other processes, and "transfer" of data.  The last two
may pass while the program computes.
"""

import contextlib
import json
import os
import time
from time import perf_counter as now

MOST = 100_000  # spans of a process: 20 MB of JSON

spans: list = []
is_recording = "TENSH_TIMELINE" in os.environ
start = now()
shift = time.time() - start  # from this process's clock to one that all processes of a machine share


def note(kind, name, begin, end):
    """Note a span of time."""
    if is_recording and len(spans) < MOST:
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


def write(rank):
    """Write what was noted to a file of the launcher's folder."""
    path = os.path.join(os.environ["TENSH_TIMELINE"], f"{rank}.json")
    with contextlib.suppress(OSError), open(path, "w", encoding="utf-8") as file:
        json.dump({"rank": int(rank), "start": start + shift, "end": now() + shift, "spans": spans}, file)
