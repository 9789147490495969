"""The types of what a traced function gets and returns, as PyTorch infers and prints them."""

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device, layout
from tensh.engine.dtypes.dtype import dtype
from tensh.engine.random.generator import Generator
from tensh.nn.modules.module import Module

NONE, TENSOR = ("NoneType",), ("Tensor",)
NAMES = (
    (Tensor, "Tensor"), (bool, "bool"), (int, "int"), (float, "float"), (complex, "complex"), ((str, bytes), "str"),
    ((dtype, layout), "int"), (device, "Device"), (Generator, "Generator"),
)  # fmt: skip
KEYS = {("int",), ("float",), ("complex",), TENSOR, ("Device",), ("str",)}


class Untypable(Exception):
    """A value without a type, with the reason."""


def infer_type(value):
    """Return the type of a value, such as ``("List", ("Tensor",))``.  Raise PyTorch's RuntimeError if it has none."""
    try:
        return _infer(value)
    except Untypable as error:
        raise RuntimeError(f"Tracer cannot infer type of {value}\n:{error}") from None


def _infer(value):
    if value is None:
        return NONE
    if isinstance(value, tuple):
        return "Tuple", *map(_infer, value)
    if isinstance(value, list):
        if not value:
            raise Untypable("List trace inputs must have elements")
        return "List", _unify(map(_infer, value), "List inputs to traced functions must have consistent element type.")
    if isinstance(value, dict):
        if not value:
            raise Untypable("Dictionary inputs must have entries")
        message = "Dictionary inputs to traced functions must have consistent type."
        key, kind = (_unify(map(_infer, group), message) for group in (value, value.values()))
        if key not in KEYS:
            raise RuntimeError(
                f"Cannot create dict for key type '{write_key(key)}', only int, float, complex, Tensor, device and string keys are "
                "supported"
            )
        return "Dict", key, kind
    if isinstance(value, Module):
        raise Untypable("Cannot infer concrete type of torch.nn.Module")
    name = next((name for kinds, name in NAMES if isinstance(value, kinds)), None)
    if name is None:
        raise Untypable(
            "Only tensors and (possibly nested) tuples of tensors, lists, or dicts are supported as inputs or outputs of traced "
            f"functions, but instead got value of type {type(value).__name__}."
        )
    return (name,)


def _unify(kinds, message):
    """Return the type that holds all elements of a container."""
    found, *others = kinds
    for other in others:
        both = _join(found, other)
        if both is None:
            raise Untypable(f"{message} Found {write_type(found)} and {write_type(other)}")
        found = both
    return found


def _join(one, other):
    """Return the type that holds two types; None if there is none."""
    if one == other or one == ("Optional", other):
        return one
    if NONE in (one, other):
        kind = other if one == NONE else one
        return kind if kind[0] == "Optional" else ("Optional", kind)
    if one[0] == other[0] == "Tuple" and len(one) == len(other):
        parts = [_join(*pair) for pair in zip(one[1:], other[1:], strict=True)]
        return None if None in parts else ("Tuple", *parts)
    return None


def write_type(kind):
    """Return a type as PyTorch prints it: ``Tuple[Tensor, Optional[int]]``."""
    name, *parts = kind
    return f"{name}[{', '.join(map(write_type, parts))}]" if parts else name + "[]" * (name == "Tuple")


def write_key(kind):
    """Return a type of keys as the error about them prints it: ``(int, int)``."""
    name, *parts = kind
    return f"({', '.join(map(write_key, parts))})" if name == "Tuple" else write_type(kind)


def require_traceable(args):
    """Raise PyTorch's RuntimeError for arguments other than tensors, and lists, dictionaries and tuples of them."""
    kind = infer_type(args)
    if not is_traceable(kind):
        raise RuntimeError(
            f"Type '{write_type(kind)}' cannot be traced. Only Tensors and (possibly nested) Lists, Dicts, and Tuples of Tensors can "
            "be traced"
        )


def is_traceable(kind):
    """Return True for tensors, and lists, dictionaries and tuples of them."""
    name, *parts = kind
    parts = parts[1:] if name == "Dict" else parts
    return kind == TENSOR or name in ("List", "Dict", "Tuple") and all(map(is_traceable, parts))
