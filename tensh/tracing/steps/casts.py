"""The casts of autocast as separate steps of a trace."""

import sys
from functools import partial

from tensh._aten.kernels.table import kernel_of
from tensh.tracing.steps.table import recording

__all__ = ["cast_first", "cast_operands"]


def cast_first(recorder, func, types, args, kwargs):
    """Record the casts of a call under autocast, then the call; return NotImplemented for a call that casts nothing."""
    return cast_and(recorder, func, args, kwargs, partial(recorder.__torch_function__, func, types))


def cast_operands(recorder, overload, args, kwargs, go_on):
    """Record the casts of an operator's operands under autocast, then what ``go_on`` does with the operator."""
    go_on = partial(go_on, overload)
    result = cast_and(recorder, kernel_of(overload), args, kwargs, go_on)
    return go_on(args, kwargs) if result is NotImplemented else result


def cast_and(recorder, function, args, kwargs, go_on):
    """Record the casts of a call under autocast, then what ``go_on`` does; return NotImplemented if nothing is cast."""
    amp = sys.modules.get("tensh.amp.casting")  # without it there is no autocast
    if amp is None or amp.state.lower is None:
        return NotImplemented
    return amp.cast_apart(function, args, kwargs, recording(recorder), go_on)
