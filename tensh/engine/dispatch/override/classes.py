"""The default of Tensor's subclasses: operations on them return their class."""

from types import BuiltinFunctionType, MethodDescriptorType

from tensh.engine.arguments.mismatches import type_name
from tensh.engine.core.nodes import AccumulateGrad
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override.points import arm_for
from tensh.engine.dispatch.override.state import DisabledForClasses

NOT_OURS = (BuiltinFunctionType, MethodDescriptorType)
"""Kinds of functions that exist only in PyTorch, met when a tensor is passed to both."""


def torch_function(cls, func, types, args=(), kwargs=None):
    """Call ``func`` on tensors as plain ones, and convert the results to ``cls``."""
    if not all(issubclass(cls, each) for each in types) or isinstance(func, NOT_OURS):
        return NotImplemented
    with DisabledForClasses():
        result = func(*args, **(kwargs or {}))
        return result if func in nowrap_functions() else convert_result(result, cls)


def require_tensor_class(cls):
    """Raise TypeError unless ``cls`` is a subclass of Tensor."""
    if not isinstance(cls, type):
        raise TypeError(f"cls must be a type (got {type_name(cls)})")
    if not issubclass(cls, Tensor):
        raise TypeError(
            "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. "
            "Make sure your class inherits from Tensor."
        )


def make_subclass(cls, data, require_grad=False):
    """Make a leaf tensor of ``cls`` on the array of ``data``, whatever its history."""
    require_tensor_class(cls)
    if not isinstance(data, Tensor):
        kind = type_name(data)
        raise TypeError(f"_make_subclass(): argument 'data' (position 2) must be Tensor, not {kind}")
    if require_grad and data.array.dtype.kind in "biu":
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    if hasattr(data, "hides_batches"):  # samples of a vmap, whose rules know no other class
        return data.detach()
    arm_for(cls)
    made = object.__new__(cls)
    made.array, made.node, made._base, made._kept = data.array, None, None, None
    if require_grad:
        made.node = AccumulateGrad(made)
    return made


def nowrap_functions():
    """Return the accessors of Tensor whose results keep their class."""
    return {Tensor.grad.__get__}


def convert_result(result, cls):
    """Convert the tensors in ``result`` to ``cls``, also within tuples and lists."""
    if cls is Tensor:
        return result
    if isinstance(result, Tensor):
        return result if isinstance(result, cls) else result.as_subclass(cls)
    if isinstance(result, (tuple, list)):
        return type(result)([convert_result(each, cls) for each in result])
    return result
