"""torch._tensor: the class Tensor, and rebuilding pickled tensors of other classes."""

from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override.classes import convert_result as _convert
from tensh.engine.methods.unsupported import unsupported_lookup

__all__ = ["Tensor", "_convert"]


def _rebuild_from_type_v2(func, new_type, args, state):
    """Make a tensor by ``func(*args)``, and give it its class and attributes."""
    made = func(*args)
    if type(made) is not new_type:
        made = made.as_subclass(new_type)
    if "__setstate__" in new_type.__dict__:
        made.__setstate__(state)
        return made
    own, slots = state if isinstance(state, tuple) else (state, None)
    made.__dict__.update(own)
    for name, value in (slots or {}).items():
        setattr(made, name, value)
    return made


__getattr__ = unsupported_lookup("torch._tensor")
