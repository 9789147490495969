"""Constants and arguments in the printed form of a traced graph."""

import tensh as torch
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device, layout, memory_format
from tensh.engine.dtypes.dtype import dtype
from tensh.fx.node import Node
from tensh.jit.language.codes import DTYPES, FORMATS

WRAPPED = {bool: torch.bool, int: torch.int64, float: torch.float64}
WHOLE = 1e10  # larger integers have no point
PLACES = {"device": device("cpu"), "pin_memory": False}


def float_text(value):
    """Format a float as TorchScript does: integers below 1e10 as ``2.``, others with up to 17 digits."""
    return f"{value:.0f}." if value.is_integer() and abs(value) < WHOLE else f"{value:.17g}"


def constant_text(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return f"[value={int(value)}]"
    if isinstance(value, float):
        return f"[value={float_text(value)}]"
    if isinstance(value, (str, device)):
        return f'[value="{value}"]'
    if isinstance(value, dtype):
        return f"[value={DTYPES[str(value)[6:]]}]"
    return f"[value={FORMATS.get(str(value), value)}]"


def constant_type(value):
    if value is None:
        return "NoneType"
    if isinstance(value, device):
        return "Device"
    return "int" if isinstance(value, (dtype, layout, memory_format)) else type(value).__name__


def as_number(value):
    """Return the number that stands for a dtype, a layout or a memory format; other values unchanged."""
    if isinstance(value, dtype):
        return DTYPES[str(value)[6:]]
    return FORMATS[str(value)] if isinstance(value, (layout, memory_format)) else value


def example(value):
    if isinstance(value, (tuple, list)):
        return type(value)(map(example, value))
    return value.meta.get("val") if isinstance(value, Node) else value


def list_type(value):
    first = example(value[0]) if value else 0
    return "Tensor[]" if isinstance(first, Tensor) or first is None else f"{type(first).__name__}[]"


def fill_places(overload, arguments):
    """Return the arguments of a new tensor with the CPU as its device, and memory that is not pinned."""
    names = [each.name for each in overload.parameters]
    if "pin_memory" not in names or "device" not in names or overload._opname in ("to", "_to_copy"):
        return arguments
    follows = any(each.kind == "Tensor" for each in overload.parameters)
    filled = {"pin_memory": False} if follows else PLACES
    return [filled.get(name, each) if each is None else each for name, each in zip(names, arguments)]
