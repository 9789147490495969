"""Names of traced values: what the function that calls an operator calls its tensors, as PyTorch's traces do.

PyTorch asks the Python function that calls an operator: the user's, that of a layer, or one of ``torch.nn.functional``.
"""

import inspect
import sys

from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.capture.places import CALL
from tensh.engine.dispatch.override.points import points
from tensh.engine.errors.warnings import is_tensh_file
from tensh.tracing.sizes.numbers import TracedFloat, TracedInt


def find_names(tensors, function, args, kwargs):
    """Return the names of tensors, each "" if it has none, for a call of a public function."""
    point = points.get(function)
    if point is not None and point.python and getattr(function, "__module__", "") == "torch.nn.functional":
        return [name_in(bound_arguments(function, args, kwargs), each) for each in tensors]
    frame = sys._getframe(2)
    while frame is not None and is_tensh_file(frame.f_code.co_filename):
        if frame.f_code.co_qualname == CALL:  # within a layer of the library
            return ["input" if place == 0 else "" for place, _ in enumerate(tensors)]
        frame = frame.f_back
    return [name_in({} if frame is None else frame.f_locals, each) for each in tensors]


def bound_arguments(function, args, kwargs):
    try:
        return inspect.signature(function).bind(*args, **kwargs).arguments
    except (TypeError, ValueError):
        return {}


def name_in(variables, tensor):
    """Return the first name of a tensor among variables; "" if it has none."""
    for name, value in variables.items():
        if value is tensor and isinstance(value, (Tensor, TracedInt, TracedFloat)):
            return "" if name == "self" else name
    return ""
