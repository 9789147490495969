"""torch.autograd.grad_mode: switch recording off and on."""

from contextvars import ContextVar

from tensh.engine.arguments.binding import bind
from tensh.engine.autograd.decorating import _DecoratorContextManager
from tensh.engine.autograd.modes import enable_grad, inference_mode, no_grad, set_grad_enabled
from tensh.engine.methods.unsupported import unsupported_lookup

__all__ = [
    "enable_grad",
    "enforce_grad_layout_policy",
    "inference_mode",
    "no_grad",
    "set_grad_enabled",
    "set_multithreading_enabled",
]


class enforce_grad_layout_policy(_DecoratorContextManager):
    """Accepted without effect: a gradient always has the strides of its leaf, or is row-major if those repeat or skip memory.

    Also a decorator and a function. ``enable=False`` only permits other strides.

    >>> import tensh as torch
    >>> p = torch.ones(2, 3).t().requires_grad_()
    >>> with torch.autograd.enforce_grad_layout_policy(False):
    ...     (p * 2).sum().backward()
    >>> p.grad.stride()
    (1, 3)
    """

    __module__ = "torch.autograd.grad_mode"

    def __init__(self, enable=True):
        self.mode = enable

    def __enter__(self):
        pass

    def __exit__(self, *error):
        pass

    def clone(self):
        """Return another context of the same kind."""
        return type(self)(self.mode)


_multithreading = ContextVar("multithreading", default=True)


def is_multithreading_enabled():
    """Return True if the program allows backward passes in several threads; tensh always uses one.

    >>> import tensh as torch
    >>> torch.autograd.is_multithreading_enabled()
    True
    """
    return _multithreading.get()


class set_multithreading_enabled(_DecoratorContextManager):
    """Accepted without effect: a backward pass processes its nodes one after the other, in one thread.

    >>> import tensh as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> with torch.autograd.set_multithreading_enabled(False):
    ...     (x * x).backward()
    >>> x.grad
    tensor(6.)
    """

    __module__ = "torch.autograd.grad_mode"

    def __init__(self, mode):
        bind("set_multithreading_enabled", ("(bool enabled)",), (mode,), {})
        self.mode = mode
        self.before = is_multithreading_enabled()
        _multithreading.set(mode)

    def __enter__(self):
        pass

    def __exit__(self, *error):
        _multithreading.set(self.before)

    def clone(self):
        """Return another context of the same kind."""
        return type(self)(self.mode)


__getattr__ = unsupported_lookup("torch.autograd.grad_mode")
