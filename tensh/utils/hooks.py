"""torch.utils.hooks: the handles of hooks."""

import warnings

from tensh.engine.core.hooks import RemovableHandle
from tensh.engine.methods.unsupported import unsupported_lookup

__all__ = ["RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]


def warn_if_has_hooks(tensor):
    """Warn if a tensor has backward hooks, which are not saved with it."""
    for hook in (tensor._backward_hooks or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, you can decorate the "
                "function with @torch.utils.hooks.unserializable_hook to suppress this warning",
                stacklevel=2,
            )


def unserializable_hook(f):
    """Mark a hook as not saved with its tensor."""
    f.__torch_unserializable__ = True
    return f


__getattr__ = unsupported_lookup("torch.utils.hooks")
