"""Arguments of calls in a graph by the names of their parameters: signatures of operators, functions and modules."""

import inspect
import numbers
import types
import typing
from typing import NamedTuple

import tensh as torch
from tensh._aten.overloads import REQUIRED, Overload, schemas
from tensh._aten.packets import Packet
from tensh.engine.codegen.public_forms import name_in_space
from tensh.engine.core.tensor import Tensor
from tensh.nn.modules.module import Module
from tensh.switched_off import lookup

__all__ = [
    "ArgsKwargsPair",
    "check_for_mutable_operation",
    "create_type_hint",
    "get_signature_for_torch_op",
    "normalize_function",
    "normalize_module",
    "type_matches",
]

KINDS = {
    "Tensor": Tensor, "Scalar": numbers.Number, "int": int, "float": float, "bool": bool, "str": str, "ScalarType": torch.dtype,
    "Device": torch.device, "Layout": torch.layout, "MemoryFormat": torch.memory_format, "Generator": torch.Generator,
}  # fmt: skip
PARAMETERS = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class ArgsKwargsPair(NamedTuple):
    """Positional and keyword arguments of a call."""

    args: tuple
    kwargs: dict


def sign_overload(overload):
    """Return the signature of an overload; what is ``self`` in it is ``input`` in Python."""
    parameters = []
    for each in overload.parameters:
        kind = KINDS.get(each.kind, object)
        kind = list[kind] if each.list else kind
        kind = typing.Optional[kind] if each.optional else kind  # noqa: UP045
        name = {"self": "input", "from": "from_"}.get(each.name, each.name)
        default = inspect.Parameter.empty if each.default is REQUIRED else each.default
        place = inspect.Parameter.KEYWORD_ONLY if each.named else inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters.append(inspect.Parameter(name, place, default=default, annotation=kind))
    try:
        return inspect.Signature(parameters, return_annotation=Tensor)
    except ValueError:  # a parameter without a default after one that has one
        parameters = [
            each.replace(kind=inspect.Parameter.KEYWORD_ONLY) if place and each.default is each.empty else each
            for place, each in enumerate(parameters)
        ]
        return inspect.Signature(sorted(parameters, key=lambda each: each.kind), return_annotation=Tensor)


def list_overloads(op):
    """Return the overloads of an operator, or of a function of ``torch`` that is one."""
    if isinstance(op, Overload):
        return [op]
    if isinstance(op, Packet):
        return list(op._overloads.values())
    if getattr(op, "__module__", None) != "torch":
        return []
    return list(schemas().get(name_in_space(op), {}).values())


def get_signature_for_torch_op(op, return_schemas=False):
    """Return the signatures of the overloads of an operator, None for another function; with ``return_schemas`` also these.

    >>> import tensh as torch
    >>> from tensh.fx.operator_schemas import get_signature_for_torch_op
    >>> [list(each.parameters) for each in get_signature_for_torch_op(torch.relu)]
    [['input']]
    """
    found = list_overloads(op)
    signatures = [sign_overload(each) for each in found] or None
    return (signatures, [each._schema for each in found] or None) if return_schemas else signatures


def type_matches(signature_type, argument_type):
    """Return True if an argument of a type fits a parameter of a type.

    >>> import numbers
    >>> from tensh.fx.operator_schemas import type_matches
    >>> type_matches(numbers.Number, int), type_matches(int, float), type_matches(list[int], int)
    (True, False, True)
    """
    if signature_type is argument_type:
        return True
    origin, parts = typing.get_origin(signature_type), typing.get_args(signature_type)
    if origin in (typing.Union, types.UnionType):
        return any(type_matches(each, argument_type) for each in parts)
    if origin is list:
        if argument_type is int and parts == (int,):
            return True
        given = typing.get_args(argument_type)
        if typing.get_origin(argument_type) not in (list, tuple) or not inspect.isclass(parts[0]):
            return False
        return all(each is Ellipsis or inspect.isclass(each) and issubclass(each, parts[0]) for each in given)
    if signature_type is int and argument_type is torch.dtype:
        return True
    if signature_type is numbers.Number:
        return argument_type in (int, float)
    return (
        inspect.isclass(signature_type) and inspect.isclass(argument_type) and issubclass(argument_type, signature_type)
    )


def create_type_hint(x):
    """Return the type of a list or tuple of types; anything else unchanged.

    >>> from tensh.fx.operator_schemas import create_type_hint
    >>> create_type_hint([int, int]), create_type_hint((1, 2))
    (list[int], (1, 2))
    """
    if not isinstance(x, (list, tuple)) or not all(inspect.isclass(each) for each in x):
        return x
    common = next((each for each in x if all(issubclass(other, each) for other in x)), typing.Any)
    return list[common] if isinstance(x, list) else tuple[common, ...]


def check_for_mutable_operation(target, args, kwargs):
    """Raise NotImplementedError for an operator that writes into its arguments."""
    for overload in list_overloads(target):
        if overload._opname.endswith("_") and not overload._opname.endswith("__"):
            try:
                sign_overload(overload).bind(*args, **(kwargs or {}))
            except TypeError:
                continue
            raise NotImplementedError(
                f"Tried to trace mutable operation {overload._schema}. FX only supports functional code, so operations that mutate "
                "operands in-place (e.g. via `out` arguments) are not supported"
            )


def bind_arguments(signature, args, kwargs, only_kwargs):
    """Return the arguments of a call with defaults, by the signature; None if it takes any number of them."""
    if any(each.kind not in PARAMETERS for each in signature.parameters.values()):
        return None
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    kept = 0 if only_kwargs else len(args)
    items = list(bound.arguments.items())
    return ArgsKwargsPair(tuple(value for _, value in items[:kept]), dict(items[kept:]))


def normalize_function(target, args, kwargs=None, arg_types=None, kwarg_types=None, normalize_to_only_use_kwargs=False):
    """Return the arguments of a call of a function with defaults, and with the names of its parameters if these are wanted.

    None if the function takes other arguments, or is unknown. Raise RuntimeError for an operator several of whose overloads
    fit, unless the types say which.

    >>> import tensh as torch
    >>> from tensh.fx.operator_schemas import normalize_function
    >>> normalize_function(torch.nn.functional.relu, (1,), normalize_to_only_use_kwargs=True)
    ArgsKwargsPair(args=(), kwargs={'input': 1, 'inplace': False})
    """
    kwargs = kwargs or {}
    overloads = list_overloads(target)
    if not overloads:
        if not isinstance(target, types.FunctionType) or target.__module__ == "_operator":
            return None
        return bind_arguments(sign_function(target), args, kwargs, normalize_to_only_use_kwargs)
    fitting = [each for each in map(sign_overload, overloads) if fits(each, args, kwargs)]
    if len(fitting) > 1:
        if arg_types is None and kwarg_types is None:
            shown = "\n".join(map(str, fitting))
            name = (
                target if isinstance(target, (Overload, Packet)) else f"torch._VariableFunctionsClass.{target.__name__}"
            )
            raise RuntimeError(
                f"Tried to normalize arguments to {name} but the schema match was ambiguous! Please provide "
                f"argument types to the normalize_arguments() call. Available schemas:\n{shown}"
            )
        fitting = [each for each in fitting if has_types(each, arg_types or (), kwarg_types or {})]
    return bind_arguments(fitting[0], args, kwargs, normalize_to_only_use_kwargs) if fitting else None


def sign_function(function):
    """Return the signature of a function; without ``out``, which belongs to separate overloads."""
    signature = inspect.signature(function)
    if "out" not in signature.parameters or name_in_space(function) not in schemas():
        return signature
    return signature.replace(parameters=[each for name, each in signature.parameters.items() if name != "out"])


def fits(signature, args, kwargs):
    """Return True if a signature takes so many arguments of these names."""
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def has_types(signature, arg_types, kwarg_types):
    """Return True if a signature takes arguments of these types."""
    try:
        bound = signature.bind(*arg_types, **kwarg_types).arguments
    except TypeError:
        return False
    return all(type_matches(signature.parameters[name].annotation, each) for name, each in bound.items())


def normalize_module(root, target, args, kwargs=None, normalize_to_only_use_kwargs=False):
    """Return the arguments of a call of a submodule like ``normalize_function``; None if it is no layer of ``torch.nn``.

    >>> import tensh as torch
    >>> from tensh.fx.operator_schemas import normalize_module
    >>> normalize_module(torch.nn.Sequential(torch.nn.ReLU()), "0", (1,), normalize_to_only_use_kwargs=True)
    ArgsKwargsPair(args=(), kwargs={'input': 1})
    """
    try:
        module = root.get_submodule(target)
    except AttributeError:
        raise RuntimeError(
            f"Tried to normalize arguments to module {target} but root did not have that target!"
        ) from None
    if not isinstance(module, Module) or getattr(torch.nn, type(module).__name__, None) is not type(module):
        return None
    return bind_arguments(inspect.signature(module.forward), args, kwargs or {}, normalize_to_only_use_kwargs)


__getattr__ = lookup("torch.fx.operator_schemas")
