"""torch.overrides: tensors have no ``__torch_function__`` here, so nothing is ever overridden."""

from tensh.engine.core.tensor import Tensor
from tensh.switched_off import lookup


def is_tensor_like(inp):
    """True for a tensor, and for an object that has a ``__torch_function__``."""
    return type(inp) is Tensor or hasattr(type(inp), "__torch_function__") or isinstance(inp, Tensor)


def has_torch_function(relevant_args):
    """True if one of the arguments has a ``__torch_function__``."""
    return any(hasattr(type(arg), "__torch_function__") for arg in relevant_args)


def is_tensor_method_or_property(func):
    """True if ``func`` is a method of Tensor."""
    return getattr(Tensor, getattr(func, "__name__", ""), None) is func


def handle_torch_function(public_api, relevant_args, *args, **kwargs):
    """Call the first ``__torch_function__`` among the arguments."""
    types = tuple({type(arg) for arg in relevant_args if hasattr(type(arg), "__torch_function__")})
    for arg in relevant_args:
        if type(arg) in types:
            result = type(arg).__torch_function__(public_api, types, args, kwargs)
            if result is not NotImplemented:
                return result
    raise TypeError(f"no implementation found for '{public_api.__module__}.{public_api.__name__}'")


__getattr__ = lookup("torch.overrides")
