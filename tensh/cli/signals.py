"""Signals at moments at which they cannot be heeded, sent once more."""

import functools
import os
import sys
from _signal import SIGINT, raise_signal  # `signal` itself is slow to load
from _thread import get_ident, start_new_thread
from time import sleep

SOON = 0.005  # seconds until it comes again
MAIN = get_ident()
WHOLE = ("tensh", "numpy", "ml_dtypes")
MACHINERY = "<frozen importlib"  # how the file names begin of Python's own code that imports modules
HERE = os.path.dirname(os.path.dirname(__file__)) + os.sep  # how the file names of our code begin
CONTEXTS = ("__enter__", "__exit__")
BLOCKS = {"BEFORE_WITH", "BEFORE_ASYNC_WITH", "LOAD_SPECIAL"}  # the instructions at the head of a `with`
WIDTH = 16  # words of code among which are an instruction and the next two, with the caches between them
MOST = 200  # times in a row that ^C waits for what should soon be over: an import may itself wait for that of another thread
waits = 0  # in a row so far


def postpone(frame, number=SIGINT):
    """True if a signal would leave an import or a mode where it could never be taken up again; it is then sent once more, in a moment.

    Such a place is a module of a library that we stand on, while it is executed, and the machinery of imports itself:
    between taking a lock and the block that releases it, ^C would leave the lock taken, and no other thread could import.
    Another is the beginning and the end of a `with torch.no_grad()`, where gradients would stay switched off.
    """
    global waits
    waits = (waits + 1) % MOST if frame and (is_machinery(frame) or begins_block(frame) or changes_modes(frame)) else 0
    if not waits and not executes_library(frame):
        return False
    resend_later(number)
    return True


def is_machinery(frame):
    """True if a frame is one of Python's own code that imports modules."""
    return frame.f_code.co_filename.startswith(MACHINERY)


def begins_block(frame):
    """True if a frame has made what it enters next: ``set_grad_enabled`` sets its mode when it is made."""
    from opcode import opname

    following = frame.f_code.co_code[frame.f_lasti : frame.f_lasti + 2 * WIDTH : 2]
    return not BLOCKS.isdisjoint([opname[each] for each in following if each][:3])


def changes_modes(frame):
    """True if a frame is part of the beginning or the end of a `with` of ours, or of a `finally`: what it sets belongs together.

    Such a `with` is in the hands of Python's `contextlib` where a generator stands for it.  Code of others that is called
    from there is not part of it.
    """
    is_ours = None
    while frame:
        code, module = frame.f_code, frame.f_globals.get("__name__", "").partition(".")[0]
        if code.co_filename.startswith(HERE):  # modules may have the names of PyTorch's
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
    """True if a frame makes an object for a `with`, some of which set their mode at once."""
    return frame.f_code.co_name == "__init__" and hasattr(type(frame.f_locals.get("self")), "__enter__")


@functools.cache
def final_lines(path):
    """The numbers of the lines of a file that stand in a `finally`."""
    import ast
    import linecache

    tree = ast.parse("".join(linecache.getlines(path)))
    blocks = [node.finalbody for node in ast.walk(tree) if getattr(node, "finalbody", None)]
    return {line for block in blocks for line in range(block[0].lineno, block[-1].end_lineno + 1)}


def executes_library(frame):
    """True if a frame runs within the import of a module of a library that we stand on."""
    while frame:
        if frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__", "").partition(".")[0] in WHOLE:
            return True
        frame = frame.f_back
    return False


def interrupt(number, frame):
    """Raise KeyboardInterrupt as Python does, or a moment later where a library or a mode would be left half done."""
    if not postpone(frame):
        raise KeyboardInterrupt


def resend_later(number=SIGINT):
    """Send a signal once more, in a moment, to the thread that deals with signals."""
    start_new_thread(send, (number,))


def send(number):
    sleep(SOON)
    if os.name == "posix":
        from _signal import pthread_kill

        pthread_kill(MAIN, number)
    else:
        raise_signal(number)
