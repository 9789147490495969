"""Arguments of functions with several signatures."""

from tensh.engine.arguments.binding import bind
from tensh.engine.arguments.kinds import LIMIT, NO_FIT, TAKERS
from tensh.engine.arguments.mismatches import type_name
from tensh.engine.codegen.registry import METHODS
from tensh.engine.core.clock import mode
from tensh.engine.core.lift import Lift
from tensh.engine.core.tensor import Tensor
from tensh.engine.core.views import refresh_node
from tensh.engine.dtypes.size import Size

INTS = {int}


def ints(values, named, name, parameter):
    """Return a tuple of ints from ``(2, 3)``, ``((2, 3),)`` or a keyword; raise PyTorch's TypeError for anything else."""
    if not named and values:
        first = values[0]
        size = first if type(first) in (tuple, list, Size) and len(values) == 1 else values
        if {*map(type, size)} <= INTS:
            return tuple(size)
    return bind(name, (f"(tuple of ints {parameter})",), values, named)[parameter]


def dims_of(value, name, parameter):
    """Return a tuple of ints from an argument that comes after the tensor."""
    if not isinstance(value, (tuple, list)):
        raise TypeError(f"{name}(): argument '{parameter}' (position 2) must be tuple of ints, not {type_name(value)}")
    if {*map(type, value)} <= INTS and max(value, default=0) < LIMIT:
        return tuple(value)
    return bind(name, (f"(tuple of ints {parameter})",), (value,), {})[parameter]


def method(fn):
    """Declare a method whose function has another signature."""
    METHODS[fn.__name__] = fn
    fn.__module__ = "torch"
    return fn


def require(value, name, parameter, position):
    """Return ``value`` if it is a tensor; raise PyTorch's TypeError otherwise."""
    if not isinstance(value, Tensor):
        raise TypeError(
            f"{name}(): argument '{parameter}' (position {position}) must be Tensor, not {type_name(value)}"
        )
    return value


def require_kind(kind, value, name, parameter, position=None):
    """Raise TypeError unless a parameter of this kind takes the value, for arguments that are not checked elsewhere.

    The public wrapper turns it into PyTorch's error, which also names the argument's position; without one, it is given here.
    """
    if TAKERS[kind](value) is NO_FIT:
        where = f" (position {position})" if position else ""
        raise TypeError(f"{name}(): argument '{parameter}'{where} must be {kind}, not {type_name(value)}")


def wants(t):
    """Return True if a gradient of ``t`` will be needed."""
    try:
        return mode.grad and refresh_node(t) is not None
    except Lift:
        return True  # operations on a batch are recorded on its value
