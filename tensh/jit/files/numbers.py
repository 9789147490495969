"""Numbers that the code of a file reads from tensors, for programs that compute them anew in each run."""

import tensh as torch
from tensh.engine.core.tensor import Tensor
from tensh.jit.files.operators import Unknown, dtype_of

__all__ = ["READERS", "Number", "call_with_numbers", "to_tensor"]

DTYPES = {int: torch.int64, float: torch.float64, bool: torch.bool}


class Number:
    """A number that depends on elements of tensors: ``tensor`` has no dimensions, and the dtype tells its type.

    It is no number of Python: the operators below compute with it, and everything else refuses it.
    """

    def __init__(self, tensor):
        self.tensor = tensor

    def refuse(self, *others):
        """Raise Unknown for what Python would do with a number."""
        raise Unknown("a number that depends on elements of a tensor cannot be used here")

    __bool__ = __int__ = __float__ = __index__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __floordiv__ = __mod__ = __neg__ = (
        refuse
    )
    __hash__ = object.__hash__


def to_tensor(value):
    """Return a number as a tensor without dimensions: PyTorch's largest dtype of its type."""
    if isinstance(value, Number):
        return value.tensor
    kind = next(each for each in (bool, int, float) if isinstance(value, each))
    return torch.scalar_tensor(value, dtype=DTYPES[kind])


def read(kind):
    """Return a function that reads the only element of a tensor, or converts a number."""

    def convert(value):
        return Number((to_tensor(value) if not isinstance(value, Tensor) else value.reshape(())).to(DTYPES[kind]))

    return convert


def read_element(value):
    """Read the only element of a tensor as a number of the type that its dtype has."""
    kind = float if value.is_floating_point() else bool if value.dtype is torch.bool else int
    return read(kind)(value)


READERS = {
    "bool": read(bool), "Bool": read(bool), "is_nonzero": read(bool), "int": read(int), "Int": read(int), "IntImplicit": read(int),
    "float": read(float), "Float": read(float), "FloatImplicit": read(float), "item": read_element, "ScalarImplicit": read_element,
}  # fmt: skip
"""Functions and operators that make a number of a tensor."""


def divide(left, right):
    return torch.true_divide(left.to(torch.float64), right.to(torch.float64))


def raised(left, right):
    return torch.pow(left, right if left.dtype is right.dtype else right.to(torch.float64))


def as_int(function):
    return lambda value: function(value.to(torch.float64)).to(torch.int64)


def as_float(function):
    return lambda value: function(value.to(torch.float64))


def count_turns(low, high, step):
    """Return how many numbers a range has."""
    return -torch.minimum(torch.floor_divide(low - high, step), torch.zeros_like(low))


OPERATORS = {
    "add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": divide, "floordiv": torch.floor_divide, "remainder": torch.remainder,
    "pow": raised, "neg": torch.neg, "abs": torch.abs, "eq": torch.eq, "ne": torch.ne, "lt": torch.lt, "le": torch.le, "gt": torch.gt,
    "ge": torch.ge, "min": torch.minimum, "max": torch.maximum, "__not__": torch.logical_not, "__and__": torch.logical_and,
    "__or__": torch.logical_or, "__range_length": count_turns,
    "__derive_index": lambda index, low, step: low + index * step, "floor": as_int(torch.floor), "ceil": as_int(torch.ceil),
    **{name: as_float(getattr(torch, name)) for name in ("sqrt", "exp", "log", "sin", "cos", "tan", "tanh")},
}  # fmt: skip
"""Operators on numbers, computed with tensors without dimensions."""
MAKERS = frozenset("NumToTensor tensor as_tensor scalar_tensor".split())


def call_with_numbers(name, args, kwargs, call):
    """Call an operator of which some arguments are such numbers; ``call`` calls one that takes tensors instead."""
    tensors = [each for each in args if isinstance(each, Tensor)]
    if name in MAKERS:
        return make_tensor(*args, **{key: each for key, each in kwargs.items() if key == "dtype"})
    if name in ("__is__", "__isnot__"):  # a number is never None
        return name == "__isnot__"
    if not tensors and name in OPERATORS:
        return Number(OPERATORS[name](*map(to_tensor, args)))
    if name == "select" and not isinstance(args[1], Number):
        input, dim, place = args
        return torch.index_select(input, dim, place.tensor.reshape(1)).squeeze(dim)
    if not tensors:
        raise Unknown(f"aten::{name} cannot take a number that depends on elements of a tensor")
    first = tensors[0]

    def fit(value):
        if not isinstance(value, Number):
            return value
        example = next(kind(0) for kind, dtype in DTYPES.items() if dtype is value.tensor.dtype)
        return value.tensor.to(torch.result_type(first, example))

    return call(name, [fit(each) for each in args], {key: fit(each) for key, each in kwargs.items()})


def make_tensor(value, dtype=None, *ignored):
    """Return a number as a tensor; without a dtype, a float has the default one."""
    tensor = to_tensor(value)
    if dtype is not None:
        return tensor.to(dtype_of(dtype))
    return tensor.to(torch.get_default_dtype()) if tensor.is_floating_point() else tensor
