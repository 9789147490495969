"""The arguments as written in a call.

PyTorch's messages distinguish ``f(1)`` from ``f(x=1)``, which a Python function cannot.
"""

import os
from itertools import takewhile

ARMED = "<tensh override point>"
"""File name of code that runs before a function: see Note [Override points] in dispatch/override/points.py."""
AUTOCAST = "<tensh autocast>"
"""File name of code that casts the arguments of a function: see Note [Autocast] in amp/casting.py."""
CASTING = os.path.join("amp", "casting.py")
HAND_ON = (
    ARMED,
    AUTOCAST,
    CASTING,
    os.path.join("override", "dispatch.py"),
    os.path.join("capture", "recorder.py"),
)
"""Files with functions that look for overrides or cast operands, and pass ``options`` on unchanged."""


def list_call(frame, is_method):
    """The number of positional arguments and the keywords of the call that ``frame`` is making; None for an unknown one.

    The number leaves out the object of a method.
    """
    if frame.f_code.co_filename.endswith(CASTING):  # casts neither add nor name arguments
        return len(frame.f_locals["args"]) - is_method, tuple(frame.f_locals["options"])
    if frame.f_code.co_filename.endswith(HAND_ON):
        return None, tuple(frame.f_locals.get("options", ()))
    import dis  # 4 ms; needed only after a call has failed

    code, last = frame.f_code, frame.f_lasti
    until_call = takewhile(lambda each: each.offset <= last, dis.get_instructions(code))
    steps = [each for each in until_call if each.opname != "PRECALL"]  # Python 3.11 puts PRECALL before a call
    before, call = [None, None, *steps][-2:]
    if call is None or not call.opname.startswith("CALL") or call.opname == "CALL_FUNCTION_EX":
        return None, None
    if call.opname == "CALL_KW":  # since Python 3.13 the names are on the stack
        keywords = before.argval
    else:
        keywords = code.co_consts[before.arg] if before and before.opname == "KW_NAMES" else ()
    return call.arg - len(keywords), keywords
