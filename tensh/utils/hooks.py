"""torch.utils.hooks: the handles of hooks."""

import warnings

from tensh.engine.core.hooks import RemovableHandle
from tensh.engine.methods.unsupported import unsupported_lookup

__all__ = ["RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]


def warn_if_has_hooks(tensor):
    """Warn if a tensor has backward hooks, which are not saved with it."""
    if getattr(tensor, "_backward_hooks", None):
        warnings.warn(f"backward hook {tensor._backward_hooks!r} on tensor will not be serialized.", stacklevel=2)


def unserializable_hook(f):
    """Mark a hook as not saved with its tensor."""
    f.__torch_unserializable__ = True
    return f


__getattr__ = unsupported_lookup("torch.utils.hooks")
