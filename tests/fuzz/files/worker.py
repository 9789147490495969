"""The process that reads changed files: limits on memory and time, and an audit hook that reports forbidden effects."""

import gc
import os
import random
import re
import resource
import signal
import sys
import warnings
from pathlib import Path

ROOM = 512 * 2**20  # bytes of memory beyond what the process has when it begins
SECONDS = 2.0  # of the processor, for one file
SLOWER = 10  # factor of time for a file that is traced
SLOW = f"! takes more than {SECONDS} s"
FORBIDDEN = ("os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty", "os.startfile", "os.kill", "subprocess.Popen", "socket.",
             "shutil.", "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.chmod", "os.chown", "os.truncate",
             "os.putenv", "ctypes.", "code.__new__", "sys.addaudithook", "urllib.", "ftplib.", "smtplib.", "webbrowser.")  # fmt: skip
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# what torch.fx writes of a graph: defining a function calls nothing, and watched calls are told
GRAPHS = "<eval_with_key>"
HAPPENED = []


class Slow(BaseException):
    """A file takes too long."""


def canary(*args):
    """Note that a file called this function."""
    HAPPENED.append(("canary", args))


class Watch:
    """Reports effects of a file outside the folder of the process."""

    def __init__(self, folder):
        self.folder, self.reading = folder, False
        import numpy

        import tensh

        self.sources = tuple(
            os.path.realpath(each) + os.sep for each in (*tensh.__path__, *numpy.__path__, os.path.dirname(os.__file__))
        )

    def __call__(self, event, arguments):
        if self.reading and self.is_wrong(event, arguments):
            HAPPENED.append((event, str(arguments)[:200]))

    def is_wrong(self, event, arguments):
        if event == "open":
            path, _, flags = arguments
            inside = isinstance(path, str) and os.path.abspath(path).startswith(self.folder)
            return bool(flags & WRITING) and not inside
        if event == "exec":
            file = arguments[0].co_filename
            return not file.startswith(("<tensh ", "<__array_function__", GRAPHS, *self.sources))
        if event == "import":
            return arguments[0].partition(".")[0] not in ("tensh", "numpy", "ml_dtypes") and not is_known(arguments[0])
        if event.startswith(FORBIDDEN):
            return not (arguments and os.path.abspath(str(arguments[0])).startswith(self.folder))
        return False


def is_known(name):
    """Return True if a module is one of Python's own, which are imported when they are first needed."""
    return name.partition(".")[0] in sys.stdlib_module_names


def main(kind, seed, begin, count, folder):
    """Read the files of a kind from number ``begin`` on; findings go to standard output, the place to a file."""
    import decimal  # noqa: F401  Python's named tuples run code of their own, once, when a reader needs the module first
    import difflib  # noqa: F401

    from tests.fuzz.files.guidance import Guidance
    from tests.fuzz.files.seeds import seeds
    from tests.fuzz.files.targets import TARGETS, change

    warnings.simplefilter("ignore")
    whole, target = seeds(kind), TARGETS[kind]
    watch = Watch(os.path.abspath(folder))
    for data in whole:
        message, _ = attempt(target, data, folder)
        assert message is None, (kind, message)
    sys.addaudithook(watch)
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + ROOM
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    signal.signal(signal.SIGPROF, slow)
    guidance = Guidance(whole)
    gc.freeze()  # imported objects need not be searched again
    loaded, refused, told = 0, 0, set()  # each fault is reported once
    progress = os.open(os.path.join(folder, "progress"), os.O_CREAT | os.O_WRONLY)
    last = os.open(os.path.join(folder, "last"), os.O_CREAT | os.O_WRONLY)
    for index in range(begin, count):
        rng = random.Random(f"{kind} {seed} {index}")
        data = change(rng, kind, guidance.choose(rng), whole)
        os.pwrite(progress, f"{index} {loaded} {refused} {len(data)} ".encode(), 0)
        os.pwrite(last, data, 0)
        watch.reading = True
        with guidance.watch(data):
            message, place = timed(target, data, folder, SECONDS * (SLOWER if guidance.tracing else 1))
        if message == SLOW and guidance.tracing:
            message, place = timed(target, data, folder, SECONDS)
        watch.reading = False
        if HAPPENED:
            message = f"! makes happen {HAPPENED}"
            HAPPENED.clear()
        loaded, refused = loaded + (message is None), refused + (message is not None)
        guidance.ended(data, place)
        fault = re.sub(r"\d+", "", message or "")[:150]
        if fault.startswith("! ") and fault not in told:
            told.add(fault)
            path = os.path.join(folder, f"found-{index}")
            Path(path).write_bytes(data)
            print(f"! {kind} {seed} {index} {path}: {ascii(message[2:])}", flush=True)
    os.pwrite(progress, f"{count} {loaded} {refused} 0 ".encode(), 0)


def timed(target, data, folder, seconds):
    """Run ``attempt`` with a time limit."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        return attempt(target, data, folder)
    except Slow:
        return SLOW, None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def slow(*_):
    raise Slow


def attempt(target, data, folder):
    """(None if a file is loaded, otherwise the reason; the place in the code); a fault begins with an exclamation mark."""
    from tensh.support.escaping import visible_line

    try:
        touch(target.read(data, folder))
    except target.refused as error:
        message = str(error)
        plain = message and message == visible_line(message) and len(message) < 2000 and "MemoryError" not in message
        return message if plain else f"! {type(error).__name__} says {message[:300]!r}", place_of(error)
    except Exception as error:
        return f"! {type(error).__name__}: {str(error)[:300]} {place_of(error)}", place_of(error)
    return None, None


def place_of(error):
    """The file and the line that an exception came from."""
    trace = error.__traceback__
    while trace.tb_next:
        trace = trace.tb_next
    return trace.tb_frame.f_code.co_filename, trace.tb_lineno


def touch(loaded):
    """Read the first, the last and, if they are few, all elements of a loaded value."""
    import numpy as np

    waiting, left = [loaded], 2000
    while waiting and left:
        left -= 1
        thing = waiting.pop()
        array = getattr(thing, "array", thing)
        if isinstance(array, np.ndarray) and array.size and array.dtype.kind in "biufcSU":
            corner = (array[(0,) * array.ndim], array[(-1,) * array.ndim])
            assert len(corner) == 2
            if array.size < 100_000:
                array.tobytes()
        elif isinstance(thing, dict):
            waiting += [*thing.keys(), *thing.values()]
        elif isinstance(thing, list | tuple | set | frozenset):
            waiting += thing


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[3]))
    sys.modules["tests.fuzz.files.worker"] = sys.modules["__main__"]
    kind, seed, begin, count, folder = sys.argv[1:]
    main(kind, int(seed), int(begin), int(count), folder)
