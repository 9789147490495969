"""Files that were changed at random, read one after the other:  python tests/fuzzing.py [NUMBER] [--seed N] [--kind KIND]

Every file must be loaded or refused: with an exception of the kinds that the reader documents, whose message is one line.
The files are read in another process, whose memory is limited; there, nothing may be run (an audit hook tells of it), and no
file may take longer than SECONDS. A file is known by its kind, the seed and its number.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

ROOM = 600 * 2**20  # bytes of memory beyond what the process has when it begins
SECONDS = 5
KINDS = ("archive", "legacy", "safetensors", "npy", "npz", "beyond")
FORBIDDEN = ("os.system", "os.exec", "os.posix_spawn", "os.fork", "subprocess.Popen", "socket.connect", "shutil.rmtree",
             "os.remove", "os.rename", "ctypes.dlopen", "code.__new__", "exec")  # fmt: skip


def run(number, seed=0, kinds=KINDS):
    """(how many were loaded, refused, and what went wrong) of ``number`` files, the kinds in turn."""
    loaded = refused = 0
    wrong = []
    for kind in kinds:
        count = number // len(kinds)
        begin = 0
        while begin < count:  # again after a process that ended before its time
            done, *counts, told = child(kind, seed, begin, count)
            loaded, refused, begin = loaded + counts[0], refused + counts[1], done
            wrong += told
    return loaded, refused, wrong


def child(kind, seed, begin, count):
    """(where it ended, loaded, refused, what went wrong) of the files from ``begin`` on, in a process of their own."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-B", __file__, "--child", kind, str(seed), str(begin), str(count), folder]
        done = subprocess.run(words, capture_output=True, encoding="utf-8", errors="replace", cwd=folder)
        lines = [line for line in done.stdout.splitlines() if line.startswith("! ")]
        progress = Path(folder, "progress")
        place, loaded, refused = map(int, progress.read_text().split()) if progress.exists() else (begin, 0, 0)
    if done.returncode:
        lines.append(f"! {kind} {seed} {place}: the process ended with {done.returncode}: {done.stderr[-300:]}")
        return place + 1, loaded, refused, lines
    return count, loaded, refused, lines


# ── in the other process ─────────────────────────────────────────────────────
class Slow(BaseException):
    pass


RAN = []


def canary(*args):
    """What files ask for."""
    RAN.append(args)


def inside(kind, seed, begin, count, folder):
    import resource
    import signal
    import warnings

    import fuzzing_files

    warnings.simplefilter("ignore")
    originals, make, read, documented = fuzzing_files.reader(kind, folder)
    for data in originals:
        assert attempt(read, data, documented) is None
    limit = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + ROOM
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    def slow(*_):
        raise Slow

    def audit(event, arguments):
        if event not in FORBIDDEN or not reading:
            return
        file = arguments[0].co_filename if event == "exec" else ""
        if not (file.startswith("<tensh ") or os.path.isfile(file)):  # a function or a module of ours, made or read now
            RAN.append((event, str(arguments)[:100]))

    reading = []
    signal.signal(signal.SIGALRM, slow)
    sys.addaudithook(audit)
    loaded = refused = 0
    progress = os.open(os.path.join(folder, "progress"), os.O_CREAT | os.O_WRONLY)
    for index in range(begin, count):
        os.pwrite(progress, f"{index} {loaded} {refused} ".encode(), 0)
        data = make(f"{kind} {seed} {index}")
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        reading.append(index)
        try:
            message = attempt(read, data, documented)
        except Slow:
            message = "! it takes too long"
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            reading.clear()
        if RAN:
            message = f"! it ran {RAN}"
            RAN.clear()
        loaded, refused = loaded + (message is None), refused + (message is not None)
        if message is not None and message.startswith("! "):
            print(f"! {kind} {seed} {index}: {message[2:]}", flush=True)
    os.pwrite(progress, f"{count} {loaded} {refused} ".encode(), 0)


def attempt(read, data, documented):
    """None if a file is loaded, its message if it is refused; one that begins with an exclamation mark is a fault."""
    try:
        touch(read(data))
    except documented as error:
        message = str(error)
        plain = message and "\n" not in message and len(message) < 2000 and "MemoryError" not in message
        return message if plain else f"! {type(error).__name__} says {message[:300]!r}"
    except Exception as error:
        import traceback

        where = traceback.extract_tb(error.__traceback__)[-1]
        return f"! {type(error).__name__}: {str(error)[:300]} ({where.filename}:{where.lineno})"
    return None


def touch(loaded):
    """Look at the first, the last and, if they are few, all elements of whatever was loaded."""
    import numpy as np

    waiting, left = [loaded], 2000
    while waiting and left:
        left -= 1
        thing = waiting.pop()
        array = getattr(thing, "array", thing)
        if isinstance(array, np.ndarray) and array.size and array.dtype.kind in "biufc":
            corner = (array[(0,) * array.ndim], array[(-1,) * array.ndim])
            assert len(corner) == 2
            if array.size < 100_000:
                array.tobytes()
        elif isinstance(thing, dict):
            waiting += [*thing.keys(), *thing.values()]
        elif isinstance(thing, list | tuple | set | frozenset):
            waiting += thing


def main():
    if sys.argv[1:2] == ["--child"]:
        kind, seed, begin, count, folder = sys.argv[2:]
        inside(kind, int(seed), int(begin), int(count), folder)
        return
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("number", type=int, nargs="?", default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", choices=KINDS)
    asked = parser.parse_args()
    loaded, refused, wrong = run(asked.number, asked.seed, (asked.kind,) if asked.kind else KINDS)
    print(*wrong, sep="\n")
    print(f"{loaded} loaded, {refused} refused, {len(wrong)} wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
