"""The active and disabled overrides of a thread."""

import threading
from types import NoneType

import numpy as np

from tensh.engine.core.tensor import Tensor
from tensh.support.temporary import temporarily

USUAL = frozenset((Tensor, int, float, bool, complex, str, NoneType))
"""The types of most arguments, which override nothing."""


class State(threading.local):
    """The active and disabled overrides of a thread."""

    modes = ()  # active modes, the innermost last
    off = 0  # CLASSES or ALL while overriding is disabled
    skipping = False  # the next check for overrides finds none
    dispatch_modes = ()  # active modes below autograd, the innermost last
    dispatch_off = False  # no class or mode below autograd is called
    below = False  # an operator is being computed
    # a derivative is being computed: its operators have the overloads and options with which PyTorch's C++ calls them
    formulas = False
    given = ()  # weak references to the memory of the gradients with which a watched pass began
    composing = False  # a composite runs on a wrapper subclass, so that each of its operators needs a name in aten
    handed = None  # the function of tensh that the call of an operator stands for


state = State()
CLASSES, ALL = 1, 2


def computing_formulas(on):
    """Return a context that says whether a derivative is being computed."""
    return temporarily(state, formulas=on)


class Disabled:
    """A context in which no class and no mode overrides functions in this thread.

    >>> import tensh as torch
    >>> class Named(torch.Tensor):
    ...     pass
    >>> with torch.DisableTorchFunction():
    ...     type(torch.ones(2).as_subclass(Named) + 1).__name__
    'Tensor'
    """

    __module__ = "torch._C"
    level = ALL

    def __enter__(self):
        self.before, state.off = state.off, max(state.off, self.level)

    def __exit__(self, *failure):
        state.off = self.before


class DisabledForClasses(Disabled):
    """A context in which no class overrides functions in this thread; modes still do.

    >>> import tensh as torch
    >>> class Named(torch.Tensor):
    ...     pass
    >>> with torch.DisableTorchFunctionSubclass():
    ...     type(torch.ones(2).as_subclass(Named) + 1).__name__
    'Tensor'
    """

    level = CLASSES


Disabled.__name__ = Disabled.__qualname__ = "DisableTorchFunction"
DisabledForClasses.__name__ = DisabledForClasses.__qualname__ = "DisableTorchFunctionSubclass"


def call_disabled(func, types, args=(), kwargs=None):
    """Call ``func``: the ``__torch_function__`` of classes whose tensors are treated as plain ones."""
    with Disabled():
        return func(*args, **(kwargs or {}))


call_disabled.__name__ = call_disabled.__qualname__ = "_disabled_torch_function_impl"
call_disabled.__module__ = "torch._C"


def dispatches(cls):
    """Return True if tensors of a class are passed to its ``__torch_dispatch__``."""
    return getattr(cls, "__torch_dispatch__", None) is not None


def is_wrapper(t):
    """Return True for a tensor of a wrapper subclass, whose elements only its ``__torch_dispatch__`` knows."""
    return type(t.array) is not np.ndarray and dispatches(type(t))
