"""Postponing signals that arrive at a moment when they cannot be handled."""

import functools
import os
import sys
from _signal import SIGINT, getsignal, raise_signal  # `signal` itself is slow to load
from _thread import get_ident, start_new_thread
from time import sleep

SOON, LATEST = 0.005, 0.1  # seconds until the signal is sent again, at first and at most
MAIN = get_ident()
WHOLE = ("tensh", "numpy", "ml_dtypes")
MACHINERY = "<frozen importlib"  # prefix of the file names of Python's import system
HERE = os.path.dirname(os.path.dirname(os.path.dirname(__file__))) + os.sep  # prefix of the file names of tensh
CONTEXTS = ("__enter__", "__exit__")
BLOCKS = {"BEFORE_WITH", "BEFORE_ASYNC_WITH", "LOAD_SPECIAL"}  # instructions at the head of a `with`
WIDTH = 16  # code units that hold an instruction and the next two, including inline caches
MOST = 200  # successive postponements: an import may itself wait for an import in another thread
waits = 0  # successive postponements so far
arrivals = 0  # signals that a handler was called for


def postpone(frame, number=SIGINT):
    """Return True, and send the signal again later, if it would leave an import or a mode in an unrecoverable state.

    That is the case while a module of a library that tensh builds on executes, and within the import system: between
    taking a lock and the block that releases it, ^C would leave the lock taken, and no other thread could import. It is
    also the case at the beginning and end of a `with torch.no_grad()`, where gradients would stay off.
    """
    global waits
    note_arrival()
    waits = (waits + 1) % MOST if frame and (is_machinery(frame) or begins_block(frame) or changes_modes(frame)) else 0
    if not waits and not executes_library(frame):
        return False
    resend_later(number, True)
    return True


def note_arrival():
    """Note that a handler was called."""
    global arrivals
    arrivals += 1


def is_machinery(frame):
    """Return True if a frame belongs to Python's import system."""
    return frame.f_code.co_filename.startswith(MACHINERY)


def begins_block(frame):
    """Return True if a frame is about to enter a `with` block: ``set_grad_enabled`` changes the mode when it is created."""
    from opcode import opname

    following = frame.f_code.co_code[frame.f_lasti : frame.f_lasti + 2 * WIDTH : 2]
    return not BLOCKS.isdisjoint([opname[each] for each in following if each][:3])


def changes_modes(frame):
    """Return True if a frame enters or leaves a `with` of tensh, or runs a `finally`, whose changes belong together.

    A `with` over a generator runs in Python's `contextlib`. Other code that is called from there does not count.
    """
    is_ours = None
    while frame:
        code, module = frame.f_code, frame.f_globals.get("__name__", "").partition(".")[0]
        if code.co_filename.startswith(HERE):  # the module may be named as PyTorch's
            is_ours = True
            if code.co_name in CONTEXTS or makes_context(frame) or frame.f_lineno in final_lines(code.co_filename):
                return True
        elif module == "contextlib" and code.co_name in CONTEXTS and is_ours is not False:
            return True
        elif module not in sys.stdlib_module_names and module not in WHOLE:
            return False
        else:
            is_ours = bool(is_ours)
        frame = frame.f_back
    return False


def makes_context(frame):
    """Return True if a frame creates a context manager, which may change a mode at once."""
    return frame.f_code.co_name == "__init__" and hasattr(type(frame.f_locals.get("self")), "__enter__")


@functools.cache
def final_lines(path):
    """Return the line numbers of a file that are within a `finally`."""
    import ast
    import linecache

    tree = ast.parse("".join(linecache.getlines(path)))
    blocks = [node.finalbody for node in ast.walk(tree) if getattr(node, "finalbody", None)]
    return {line for block in blocks for line in range(block[0].lineno, block[-1].end_lineno + 1)}


def executes_library(frame):
    """Return True if a frame runs during the import of a library that tensh builds on."""
    while frame:
        if frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__", "").partition(".")[0] in WHOLE:
            return True
        frame = frame.f_back
    return False


def interrupt(number, frame):
    """Raise KeyboardInterrupt as Python does, or a moment later if a library or a mode would be left half done."""
    if not postpone(frame):
        raise KeyboardInterrupt


def resend_later(number=SIGINT, until_handled=False):
    """Send a signal again in a moment, to the main thread."""
    start_new_thread(send, (number, arrivals, getsignal(number) if until_handled else None))


def send(number, seen, handler):
    """Send a signal in a moment; with a ``handler``, which notes its calls, send it until more than ``seen`` are noted.

    Python notices a signal after the system call that it interrupts.  One that arrives just before a call begins does
    not interrupt it, and this thread often runs just then: it waits for Python's lock, which a call gives up.
    """
    pause = SOON
    sleep(pause)
    kill(number)
    while handler is not None:
        sleep(pause)
        if arrivals != seen or getsignal(number) is not handler:
            return
        kill(number)
        pause = min(2 * pause, LATEST)


def kill(number):
    """Send a signal to the main thread."""
    if os.name == "posix":
        from _signal import pthread_kill

        pthread_kill(MAIN, number)
    else:
        raise_signal(number)
