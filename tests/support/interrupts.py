"""^C at a chosen moment of a function: at a call, where Python looks for signals."""

import signal
import sys

INHERENT = ("contextlib.py", "uninterrupted.py", "weakref.py")
"""Files between whose calls nothing can be guarded: a context begins and ends in them."""


def interrupt_at(moment, function):
    """Call a function, and press ^C at the call of that number; return whether it came to that.

    Calls that begin or end a context are not counted: ^C between ``with`` and the first line of ``__exit__`` leaves the
    context open in every program. Nor are generators, which the profiler also reports when they are dropped.
    """
    left = moment

    def look(frame, event, argument):
        nonlocal left
        code, outer = frame.f_code, frame.f_back
        is_edge = event == "call" and code.co_name in ("__enter__", "__exit__", "enter_whole", "call", "<genexpr>")
        if (
            event not in ("call", "c_return")
            or is_edge
            or any(each is not None and each.f_code.co_filename.endswith(INHERENT) for each in (frame, outer))
        ):
            return
        left -= 1
        if left == 0:
            signal.raise_signal(signal.SIGINT)

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        function()
    except KeyboardInterrupt:
        pass
    finally:
        sys.setprofile(before)
    return left <= 0
