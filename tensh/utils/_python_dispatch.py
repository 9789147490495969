"""torch.utils._python_dispatch: modes that see operators instead of functions; helpers of wrapper subclasses."""

from contextlib import contextmanager

from tensh._aten.derivatives.watched import WatchedPass
from tensh.engine.arrays.uninterrupted import entered_whole
from tensh.engine.core.clock import mode
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override.inner import enter_dispatch_mode, leave_dispatch_mode
from tensh.engine.dispatch.override.state import state
from tensh.engine.methods.unsupported import unsupported_lookup
from tensh.support.temporary import temporarily


@entered_whole
class TorchDispatchMode:
    """A mode: while entered, its ``__torch_dispatch__`` answers every operator of this thread.

    Functions arrive as the ``aten`` operators of which PyTorch composes them.  Inside the method, the next outer mode is in
    force.

    >>> import tensh as torch
    >>> from tensh.utils._python_dispatch import TorchDispatchMode
    >>> class Names(TorchDispatchMode):
    ...     def __torch_dispatch__(self, func, types, args=(), kwargs=None):
    ...         print(func)
    ...         return func(*args, **(kwargs or {}))
    >>> x, weight = torch.ones(2, 3), torch.ones(4, 3)
    >>> with Names():
    ...     y = torch.nn.functional.linear(x, weight)
    aten.t.default
    aten.mm.default
    """

    def __init__(self, _dispatch_key=None):
        pass

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError

    def __enter__(self):
        state.dispatch_modes = (*state.dispatch_modes, self)
        mode.watch = WatchedPass
        enter_dispatch_mode()
        return self

    def __exit__(self, kind, failure, traceback):
        state.dispatch_modes = state.dispatch_modes[:-1]
        mode.watch = WatchedPass if state.dispatch_modes else None
        leave_dispatch_mode()

    @classmethod
    def push(cls, *args, **kwargs):
        """Make a mode; ``with cls(...)`` is preferred."""
        return cls(*args, **kwargs)

    @classmethod
    def is_infra_mode(cls):
        return False


class BaseTorchDispatchMode(TorchDispatchMode):
    """Mode that calls every operator as it is."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def is_in_torch_dispatch_mode(include_infra_modes=True):
    return bool(state.dispatch_modes)


any_torch_dispatch_mode_on_stack = is_in_torch_dispatch_mode


def _get_current_dispatch_mode():
    return state.dispatch_modes[-1] if state.dispatch_modes else None


def _get_current_dispatch_mode_stack():
    return list(state.dispatch_modes)


@contextmanager
def _disable_current_modes():
    modes = state.dispatch_modes
    with temporarily(state, dispatch_modes=()):
        yield list(modes)


@contextmanager
def _pop_mode_temporarily(k=None):
    modes = state.dispatch_modes
    with temporarily(state, dispatch_modes=modes[:-1]):
        yield modes[-1]


def is_traceable_wrapper_subclass(t):
    """Return True for a tensor of a subclass that can be taken apart by ``__tensor_flatten__``, or such a class."""
    plain = t in (Tensor,) if isinstance(t, type) else type(t) is Tensor
    tensor = issubclass(t, Tensor) if isinstance(t, type) else isinstance(t, Tensor)
    return not plain and tensor and hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__")


is_traceable_wrapper_subclass_type = is_traceable_wrapper_subclass


def transform_subclass(t, callback, outer_size=None, outer_stride=None):
    """Return a tensor like ``t`` of which ``callback(name, inner)`` has made the inner tensors."""
    names, context = t.__tensor_flatten__()
    inner = {name: callback(name, getattr(t, name)) for name in names}
    size = outer_size if outer_size is not None else t.size()
    stride = outer_stride if outer_stride is not None else t.stride()
    return type(t).__tensor_unflatten__(inner, context, size, stride)


def return_and_correct_aliasing(func, args, kwargs, out):
    """Return the result of a ``__torch_dispatch__``: the tensor that was written for an operator in place, else ``out``."""
    written = func._opname.endswith("_") and not func._opname.endswith("__")
    return args[0] if written else out


__getattr__ = unsupported_lookup("torch.utils._python_dispatch")
