"""The casts of autocast as steps of their own in a trace."""

import sys
from functools import partial

from tensh.tracing.steps import recording

__all__ = ["cast_first"]


def cast_first(recorder, func, types, args, kwargs):
    """Record the casts of a call under autocast, then the call; return NotImplemented for a call that casts nothing."""
    amp = sys.modules.get("tensh.amp.casting")  # without it there is no autocast
    if amp is None or amp.state.lower is None:
        return NotImplemented
    go_on = partial(recorder.__torch_function__, func, types)
    return amp.cast_apart(func, args, kwargs, recording(recorder), go_on)
