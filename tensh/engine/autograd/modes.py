"""Recording modes: context managers, decorators and functions that switch recording off and on."""

from tensh.engine.arguments.mismatches import type_name
from tensh.engine.autograd import inference
from tensh.engine.autograd.decorating import _DecoratorContextManager, _NoParamDecoratorContextManager
from tensh.engine.codegen.table import public
from tensh.engine.core.clock import mode


@public
class no_grad(_NoParamDecoratorContextManager):
    """Nothing computed inside is recorded.

    >>> import tensh as torch
    >>> x = torch.tensor([1.0], requires_grad=True)
    >>> with torch.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    __module__ = "torch.autograd.grad_mode"

    def __enter__(self):
        self.before = mode.grad
        mode.grad = mode.off

    def __exit__(self, *error):
        mode.grad = self.before


@public
class enable_grad(_NoParamDecoratorContextManager):
    """Inside, computations on tensors that require grad are recorded, even within ``no_grad``.

    >>> import tensh as torch
    >>> x = torch.tensor([1.0], requires_grad=True)
    >>> with torch.no_grad(), torch.enable_grad():
    ...     y = x * 2
    >>> y.requires_grad
    True
    """

    __module__ = "torch.autograd.grad_mode"

    def __enter__(self):
        self.before = mode.grad
        mode.grad = True

    def __exit__(self, *error):
        mode.grad = self.before


def _flag(value, name):
    if not isinstance(value, bool):
        raise TypeError(f"{name}(): argument 'enabled' (position 1) must be bool, not {type_name(value)}")
    return value


@public
class set_grad_enabled(_DecoratorContextManager):
    """Switch recording at once; as a context manager, until the block ends.

    >>> import tensh as torch
    >>> x = torch.tensor([1.0], requires_grad=True)
    >>> with torch.set_grad_enabled(False):
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    __module__ = "torch.autograd.grad_mode"

    def __init__(self, mode):
        self.mode = _flag(mode, "set_grad_enabled")
        self._switch()

    def _switch(self):
        self.before = mode.grad
        mode.grad = self.mode or mode.off

    def __call__(self, function):
        mode.grad = self.before
        return super().__call__(function)

    def __enter__(self):
        mode.grad = self.mode or mode.off

    def __exit__(self, *error):
        mode.grad = self.before

    def __repr__(self):
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"

    def clone(self):
        return type(self)(self.mode)


@public
class inference_mode(_DecoratorContextManager):
    """Nothing computed inside is recorded, and tensors made inside cannot be used where gradients are recorded.

    Writing one outside, or saving it in a node, raises RuntimeError.  ``clone`` makes a normal tensor of it.

    >>> import tensh as torch
    >>> with torch.inference_mode():
    ...     print(torch.is_inference_mode_enabled())
    True
    """

    __module__ = "torch.autograd.grad_mode"

    def __new__(cls, mode=True):
        return super().__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode=True):
        self.mode = mode

    def __enter__(self):
        self.before = mode.grad, mode.inference
        if self.mode and not mode.inference:
            inference.begin()
        mode.inference = self.mode
        mode.grad = not self.mode

    def __exit__(self, *error):
        mode.grad, mode.inference = self.before
        if self.mode and not mode.inference:
            inference.end()

    def clone(self):
        return type(self)(self.mode)


@public
def is_grad_enabled():
    """Return True if recording is on.

    >>> import tensh as torch
    >>> torch.is_grad_enabled()
    True
    """
    return mode.grad is True


@public
def is_inference_mode_enabled():
    """Return True if ``inference_mode`` is on.

    >>> import tensh as torch
    >>> torch.is_inference_mode_enabled()
    False
    """
    return mode.inference


def _set_grad_enabled(enabled, /):
    """Switch recording: what graphs of torch.compile call where a region such as that of ``no_grad`` begins or ends."""
    mode.grad = True if enabled else mode.off


_set_grad_enabled.__module__ = "torch._C"
