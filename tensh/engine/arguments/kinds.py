"""The kinds of values in PyTorch's signatures, and the function that converts the values of each kind."""

import numpy as np

from tensh.engine.arguments.mismatches import type_name
from tensh.engine.core import ports
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device, layout, memory_format
from tensh.engine.dtypes.dtype import dtype
from tensh.engine.errors.integers import read_int, read_number, read_size

NO_FIT = object()  # result of a converter for a value of another kind
NO_SIZES = frozenset(
    """
    dim dim0 dim1 dim2 start_dim end_dim sparse_dim dense_dim axis axis0 axis1 dimension chunks num_classes steps offset ind
    upscale_factor downscale_factor dims decimals bins edge_order n_fft hop_length win_length r p
    correction count divisor_override group interpolation_mode num_groups padding_mode row col window_length
    diag.diagonal rot90.k diff.n fft_fftfreq.n fft_rfftfreq.n matrix_power.n linalg_matrix_power.n polygamma.n
    special_polygamma.n unfold.size unfold.step unfold_copy.size unfold_copy.step vander.N embedding_bag.padding_idx
""".split()
)
"""Integers that cannot be symbolic in PyTorch, which accepts fewer kinds of values for them: in all or named functions."""
LIMIT = 2**63
OVERFLOW = "Overflow when unpacking long long"


def take_int(value, read=read_size):
    number = value if type(value) is int else read(value)
    if number is None:
        return NO_FIT
    if not -LIMIT <= number < LIMIT:
        raise ValueError(OVERFLOW)
    return number


def take_dim(value):
    """Return an integer other than a size."""
    return take_int(value, read_int)


def take_float(value):
    if isinstance(value, (float, int, np.floating, np.integer, np.bool_)):
        return float(value)
    fits = (
        isinstance(value, Tensor)
        and value.node is None
        and value.array.ndim == 0
        and value.array.dtype.kind not in "cW"
    )
    return float(value.array) if fits else NO_FIT


def take_ints(value, read=read_size):
    if not isinstance(value, (tuple, list)):
        return NO_FIT
    numbers = []
    for place, element in enumerate(value):
        try:  # PyTorch checks only the first of several bools
            number = int(element) if place and isinstance(element, bool) else take_int(element, read)
        except ValueError as error:
            raise ElementError(value, place, str(error)) from None
        if number is NO_FIT:
            raise ElementError(value, place)
        numbers.append(number)
    return tuple(numbers)


def take_generator(value):
    """Return a generator of random numbers; imported late, because few calls need one."""
    return value if ports.is_generator(value) else NO_FIT


def _build_instance_check(*classes):
    return lambda value: value if isinstance(value, classes) else NO_FIT


DEVICES = (device, str, int, bytes, np.integer)
"""Classes of arguments that stand for a device."""


def are_numbers(values):
    """Return True if all elements of a sequence are numbers."""
    return all(TAKERS["Number"](value) is not NO_FIT for value in values)


TAKERS = {
    "int": take_int,
    "float": take_float,
    "tuple of ints": take_ints,
    "bool": _build_instance_check(bool),
    "str": lambda value: (
        value.decode(errors="replace") if isinstance(value, bytes) else value if isinstance(value, str) else NO_FIT
    ),
    "tuple of Tensors": _build_instance_check(tuple, list),
    "tuple of Scalars": lambda value: value if isinstance(value, (tuple, list)) and are_numbers(value) else NO_FIT,
    "tuple of floats": _build_instance_check(tuple, list),
    "object": lambda value: value,
    "Tensor": _build_instance_check(Tensor),
    "torch.dtype": _build_instance_check(dtype),
    "torch.layout": _build_instance_check(layout),
    "torch.device": lambda value: value if isinstance(value, DEVICES) and not isinstance(value, bool) else NO_FIT,
    "torch.memory_format": _build_instance_check(memory_format),
    "torch.Generator": take_generator,
    "torch.Storage": lambda value: value if hasattr(type(value), "untyped") else NO_FIT,
}
"""Kind in a signature -> function that converts a value, or returns NO_FIT.  Other modules add entries."""


NO_SIZES_TAKERS = {
    "int": take_dim,
    "tuple of ints": lambda value: take_ints(value, read_number),
    "tuple of ints[1]": lambda value: take_ints(
        (value,) if take_int(value, read_number) is not NO_FIT else value, read_number
    ),
}
"""Converters for integers that cannot be symbolic in PyTorch."""


def taker_of(function, kind, name):
    """Return the converter of a kind for a parameter of a function."""
    no_size = name in NO_SIZES or f"{function.removesuffix('_')}.{name}" in NO_SIZES
    return NO_SIZES_TAKERS.get(kind, TAKERS[kind]) if no_size else TAKERS[kind]


TAKERS["tuple of ints[1]"] = lambda value: take_ints((value,) if take_int(value) is not NO_FIT else value)


PLAIN = {"float": float, "bool": bool, "str": str, "Tensor": Tensor, "torch.dtype": dtype}
"""Kind in a signature -> class whose values are taken as they are."""


class ElementError(TypeError):
    """An element of a sequence is of the wrong kind; the first is checked immediately, later ones while unpacking."""

    def __init__(self, sequence, place, error=None):
        self.sequence, self.place, self.error = sequence, place, error
        self.name = type_name(sequence[place])
        self.unpacking = error is not None or place > 0

    def message(self, where, position, kind):
        if self.unpacking:
            error = self.error or f"type must be {kind},but got {self.name}"
            return f'{where} failed to unpack the object at pos {self.place + 1} with error "{error}"'
        if not position:  # PyTorch shows no element of a keyword argument
            return f"{where} must be {kind}, not {type_name(self.sequence)}"
        return f"{where}{position} must be {kind}, but found element of type {self.name} at pos 0"


class UnpackError(TypeError):
    """A sequence has an element that does not fit; no other overload is tried."""


class LateError(UnpackError):
    """An element after the first does not fit; read once all arguments are known to be of their kinds."""


def require_64_bits(number):
    """Raise OverflowError for an integer that no dtype holds, once all arguments are known to be of their kinds."""
    if not -LIMIT <= number < 2 * LIMIT:
        raise OverflowError("int too big to convert" if number > 0 else "can't convert negative int to unsigned")


def complain_of_elements(values, place):
    """Return PyTorch's message for a sequence with other elements than tensors, as the argument at ``place``, or None."""
    for number, value in enumerate(values):
        if not isinstance(value, Tensor):
            return f"expected Tensor as element {number} in argument {place}, but got {type_name(value)}"
    return None
