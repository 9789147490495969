"""What is given in a call: PyTorch's messages distinguish ``f(1)`` from ``f(x=1)``, which a Python function cannot."""

import os
from itertools import takewhile

ARMED = "<tensh override point>"
"""File name of code that runs before a function: see Note [Override points] in dispatch/override/points.py."""
HAND_ON = (
    ARMED,
    os.path.join("override", "dispatch.py"),
    os.path.join("capture", "recorder.py"),
    os.path.join("amp", "casting.py"),
)
"""Files with functions that look for overrides or cast operands, and pass ``options`` on unchanged."""


def list_call(frame):
    """The number of positional arguments and the keywords of the call that ``frame`` is making, or None for what is not known.

    The number leaves out the object of a method.
    """
    if frame.f_code.co_filename.endswith(HAND_ON):
        return None, tuple(frame.f_locals.get("options", ()))
    import dis  # 4 ms; needed only after a call has failed

    code, last = frame.f_code, frame.f_lasti
    done = [*takewhile(lambda each: each.offset <= last, dis.get_instructions(code))][-3:]  # the call is the last one
    if not done or not done[-1].opname.startswith("CALL") or done[-1].opname == "CALL_FUNCTION_EX":
        return None, None
    if done[-1].opname == "CALL_KW":  # from Python 3.13 on, the names are on the stack
        keywords = done[-2].argval
    else:
        keywords = next((code.co_consts[each.arg] for each in done if each.opname == "KW_NAMES"), ())
    return done[-1].arg - len(keywords), keywords
