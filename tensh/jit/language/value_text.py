"""The text of values in scripts, where ``print``, ``str`` and formatting write what PyTorch's C++ writes, not Python's text.

Note [Tensors as columns] A matrix has columns of one width, as many on a line as fit into 80 characters; a tensor of
more dimensions is a matrix for each place in the others.  Numbers are whole if all are, have four digits after the
point otherwise, and an exponent or a common factor if they are of different sizes.
"""

import enum
import itertools
import math

from tensh.engine.core.tensor import Tensor
from tensh.jit.language.classes import is_script_class, name_enum
from tensh.jit.language.constants import float_text
from tensh.jit.language.types import class_path

__all__ = ["describe_value"]

WIDTH = 80
"""Characters of a line of columns."""
FEW = 10
"""Elements of a tensor that graphs show."""
NAMES = {
    "uint8": "Byte", "int8": "Char", "int16": "Short", "int32": "Int", "int64": "Long", "float16": "Half", "float32": "Float",
    "float64": "Double", "complex32": "ComplexHalf", "complex64": "ComplexFloat", "complex128": "ComplexDouble", "bool": "Bool",
    "bfloat16": "BFloat16",
}  # fmt: skip


def describe_value(value):
    """Return the text of a value in a script.

    >>> from tensh.jit.language.value_text import describe_value
    >>> describe_value([1.0, 2.5]), describe_value({"a": (1.0,)})
    ('[1., 2.5]', '{a: (1.,)}')
    """
    if isinstance(value, Tensor):
        return describe_tensor(value)
    if isinstance(value, enum.Enum):
        return name_enum(f"{type(value).__name__}.{value.name}")
    if type(value) is float:
        return float_text(value) if math.isfinite(value) else str(value)
    if type(value) is complex:
        return f"{float_text(value.real)}{'' if value.imag < 0 else '+'}{float_text(value.imag)}j"
    if isinstance(value, tuple):
        return f"({', '.join(map(describe_value, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, list):
        return f"[{', '.join(map(describe_value, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{describe_value(key)}: {describe_value(each)}' for key, each in value.items())}}}"
    if is_script_class(type(value)):
        return f"<{class_path(type(value))} object at {id(value):#x}>"
    return str(value)


def tensor_text(value):
    """Return the text of a constant tensor in a graph: a number in braces, a few of them as C++ prints them in one line."""
    if value.numel() == 1:
        number = value.item()
        return f"[value={{{int(number) if isinstance(number, (bool, int)) else f'{number:g}'}}}]"
    if value.numel() > FEW:
        return "[value=<Tensor>]"
    return f"[value={describe_tensor(value)}]".replace("\n", " ")


# ── tensors ──────────────────────────────────────────────────────────────────
def describe_tensor(tensor):
    """Return a tensor as C++ prints it.  See Note [Tensors as columns]."""
    name = NAMES.get(str(tensor.dtype).rpartition(".")[2], "Undefined")
    sizes = ",".join(map(str, tensor.shape))
    kind = f"[ {tensor.device.type.upper()}{name}Type{{{sizes}}} ]"
    if not tensor.numel():
        return kind
    values = tensor.detach().resolve_conj()
    numbers = (values.real if tensor.is_complex() else values).double().tolist()
    if tensor.dim() == 0:
        return f"{write_number(numbers)}\n{kind}"
    if tensor.dim() == 1:
        write, width, scale = choose_format(numbers)
        return f"{write_scale(scale)}{''.join(f'{write(each / scale):>{width}}{chr(10)}' for each in numbers)}{kind}"
    if tensor.dim() == 2:
        return write_matrix(numbers, "") + kind
    return "\n".join(write_matrices(numbers, tensor.shape[:-2])) + kind


def write_matrices(numbers, sizes):
    """Yield the matrix at each place of the outer dimensions, of which the first one changes fastest."""
    for place in itertools.product(*map(range, reversed(sizes))):
        part, place = numbers, place[::-1]
        for each in place:
            part = part[each]
        yield f"({','.join(f'{each + 1}' for each in place)},.,.) = \n{write_matrix(part, ' ')}"


def write_matrix(rows, indent):
    """Return the lines of a matrix; ``indent`` stands before all but the first."""
    write, width, scale = choose_format(list(itertools.chain.from_iterable(rows)))
    most, count, parts = (WIDTH - len(indent)) // (width + 1), len(rows[0]), []
    between = f"\n{indent} " if scale != 1 else f"\n{indent}"
    for first in range(0, count, most):
        last = min(first + most, count)
        head = f"Columns {first + 1} to {last}{indent}" if most < count else ""
        lines = (" ".join(f"{write(each / scale):>{width}}" for each in row[first:last]) for row in rows)
        parts.append(head + write_scale(scale, indent) + between.join(lines) + "\n")
    return "\n".join(parts)


def write_scale(scale, indent=""):
    """Return the line with the common factor of all numbers."""
    return f"{write_number(scale)} *\n{indent}" if scale != 1 else ""


def write_number(number):
    """Return a number with as many digits as tell it apart from others."""
    return repr(number).removesuffix(".0")


def choose_format(numbers):
    """Return (function that writes a number, width, common factor) for numbers."""
    finite = [abs(each) for each in numbers if math.isfinite(each)]
    low, high = (count_digits(choose(finite, default=0)) for choose in (min, max))
    if all(each == math.ceil(each) for each in finite):
        return ("{:.4e}".format, 11, 1) if high > 9 else ("{:g}".format, high + 1, 1)
    if high - low > 4:
        return "{:.4e}".format, 11 + (abs(high) > 99 or abs(low) > 99), 1
    if high > 5 or high < 0:
        return "{:.4f}".format, 7, 10.0 ** (high - 1)
    return "{:.4f}".format, 7 if high == 0 else high + 6, 1


def count_digits(number):
    """Return the number of digits before the point, negative for zeros after it."""
    return math.floor(math.log10(number)) + 1 if number else 1
