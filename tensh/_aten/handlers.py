"""Handlers of operator calls: what answers in place of an operator.

Above autograd, these are classes and modes that override functions; below, dispatch modes and tensors whose classes have a
``__torch_dispatch__``.
"""

from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override.dispatch import ask as ask_classes
from tensh.engine.dispatch.override.dispatch import find_overriding
from tensh.engine.dispatch.override.state import ALL, computing_formulas, dispatches, state


def handlers_for(values):
    """Return the mode and the tensors that are asked about a call, in the order in which they are asked."""
    if state.dispatch_off:
        return []
    found = list(state.dispatch_modes[-1:])
    collect(values, found, 2)
    return found


def collect(values, found, depth):
    """Add the tensors to ask to ``found``, a subclass before its base class; read lists ``depth`` levels deep."""
    for value in values:
        if isinstance(value, Tensor):
            if dispatches(type(value)) and not any(type(each) is type(value) for each in found):
                bases = (
                    i
                    for i, each in enumerate(found)
                    if isinstance(each, Tensor) and issubclass(type(value), type(each))
                )
                found.insert(next(bases, len(found)), value)
        elif depth and isinstance(value, (tuple, list)):
            collect(value, found, depth - 1)


def ask(overload, handlers, args, kwargs):
    """Return the first answer of a handler; raise TypeError if there is none."""
    with computing_formulas(False):
        return ask_one_by_one(overload, handlers, args, kwargs)


def ask_one_by_one(overload, handlers, args, kwargs):
    """Return the first answer of a handler; raise TypeError if there is none.

    A mode is switched off while it is asked.
    """
    types = tuple(type(each) for each in handlers if isinstance(each, Tensor))
    for each in handlers:
        if isinstance(each, Tensor):
            result = type(each).__torch_dispatch__(overload, types, args, kwargs)
        else:
            modes = state.dispatch_modes
            state.dispatch_modes = modes[:-1]
            try:
                result = each.__torch_dispatch__(overload, types, args, kwargs)
            finally:
                state.dispatch_modes = modes
        if result is not NotImplemented:
            return check_result(overload, result)
    asked = "".join(
        f"  - {'tensor subclass ' + str(type(each)) if isinstance(each, Tensor) else f'mode object {each}'}\n"
        for each in handlers
    )
    raise TypeError(
        f"Multiple dispatch failed for 'torch._ops.aten.{overload.__name__}'; all __torch_dispatch__ handlers returned NotImplemented:\n\n"
        f"{asked}\nFor more information, try re-running with TORCH_LOGS=not_implemented"
    )


def check_result(overload, result):
    """Return the answer of a handler, if it is what an operator can give."""
    if overload._opname not in NO_TENSORS and not isinstance(result, (Tensor, tuple, list, type(None))):
        raise RuntimeError(f"Unable to cast {result!r} to Tensor")
    return result


NO_TENSORS = frozenset("_local_scalar_dense equal allclose item is_same_size".split())


# ── __torch_function__ ───────────────────────────────────────────────────────
def find_overrides(args, kwargs):
    """Return the arguments whose classes override functions, if they or a mode are asked about a call; otherwise None."""
    if state.below or state.off == ALL:
        return None
    found = [] if state.off else find_overriding((*args, *kwargs.values()))
    return found if found or state.modes else None


def ask_overrides(operator, found, args, kwargs):
    """Return the result of the innermost mode, or of an argument that overrides functions."""
    return ask_classes(operator, tuple(map(type, found)), found, args, kwargs, False)
