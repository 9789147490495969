"""Completing an argument of a call: keywords, dimensions of the tensor, dtypes, words."""

import ast
import inspect
import types

from tensh.cli.session.static.known import find_known, is_model, is_tensor, static
from tensh.engine.arguments.overloads import kinds
from tensh.engine.arguments.public_wrapper import NUMPY
from tensh.support.language import _, deferred
from tensh.support.naming import is_of_torch

DIMS = frozenset("dim dim0 dim1 dim2 dims axis axis0 axis1 start_dim end_dim dimension source destination".split())
WORDS = {
    "reduction": ("mean", "sum", "none"),
    "approximate": ("none", "tanh"),
    "indexing": ("ij", "xy"),
    "side": ("left", "right"),
    "norm": ("backward", "ortho", "forward"),
    "rounding_mode": ("trunc", "floor"),
    "interpolation": ("linear", "lower", "higher", "nearest", "midpoint"),
    "UPLO": ("L", "U"),
    "reduce": ("sum", "prod", "mean", "amax", "amin"),
    "padding_mode": ("zeros", "border", "reflection"),
    "pad.mode": ("constant", "reflect", "replicate", "circular"),
    "interpolate.mode": ("nearest", "linear", "bilinear", "bicubic", "trilinear", "area", "nearest-exact"),
    "grid_sample.mode": ("bilinear", "nearest", "bicubic"),
    "embedding_bag.mode": ("mean", "sum", "max"),
    "qr.mode": ("reduced", "complete", "r"),
    "device": ("cpu",),
}
"""Values of a parameter of this name, for one function or for all."""


def parameters(call, namespace):
    """Return name -> parameter for the function being called; empty if unknown."""
    function = find_known(call.function, namespace)
    if function is None or not function.has_value or not callable(function.value):
        return {}
    value = function.value
    if is_model(type(value)):
        forward = static(function, "forward")
        value = types.MethodType(forward, value) if isinstance(forward, types.FunctionType) else None
    if issubclass(type(value), type):
        value = next((vars(kind)["__init__"] for kind in value.__mro__ if "__init__" in vars(kind)), None)
    if not isinstance(
        value, types.FunctionType | types.BuiltinFunctionType | types.MethodType | types.MethodDescriptorType
    ):
        return {}
    try:
        found = dict(inspect.signature(value).parameters)
    except (ValueError, TypeError):
        return {}
    if issubclass(type(value), types.MethodType):
        return found
    if is_bound(call, namespace) or issubclass(type(function.value), type):
        found.pop(next(iter(found), None), None)
    return found


def is_bound(call, namespace):
    """Return True if the function is a method of a value, which is its first argument."""
    owner = owner_of(call, namespace)
    return owner is not None and not issubclass(type(owner.value), types.ModuleType | type)


def owner_of(call, namespace):
    """Find the facts about the value whose method is called."""
    source, dot, _ = call.function.rpartition(".")
    return find_known(source, namespace) if dot else None


def keywords(call, namespace):
    """Yield (text, kind, description) for each keyword that can still be passed."""
    passed = len(call.positional)
    known = parameters(call, namespace)
    for number, p in enumerate(known.values()):
        taken = p.kind is p.POSITIONAL_OR_KEYWORD and number < passed or NUMPY.get(p.name) in known
        if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) and not taken and p.name not in call.named:
            yield f"{p.name}=", deferred("argument"), default(p)


def default(parameter):
    """Return the default of a parameter as text; for a complicated one the name of its type."""
    value = parameter.default
    is_ours = is_of_torch(type(value).__module__)
    if value is parameter.empty or value is None or is_ours or type(value) in (int, float, bool, str, tuple):
        return "" if value is parameter.empty else repr(value)
    return type(value).__name__


def parameter(call, namespace):
    """Return the name of the parameter being written, or None."""
    if call.keyword:
        return call.keyword
    names = [p.name for p in parameters(call, namespace).values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    return names[len(call.positional)] if len(call.positional) < len(names) else None


def values(call, namespace):
    """Yield (text, kind, description) for the possible values of the current parameter."""
    name = parameter(call, namespace)
    if name is None:
        return
    function = call.function.rpartition(".")[2]
    if name in DIMS:
        yield from dims(tensor_of(call, namespace))
    elif name == "dtype":
        yield from dtypes(call, namespace)
    elif name == "memory_format":
        yield from (
            (f"torch.{word}", deferred("memory format"), "")
            for word in ("contiguous_format", "channels_last", "preserve_format")
        )
    elif f"{function}.{name}" in WORDS or name in WORDS:
        yield from ((f'"{word}"', deferred("word"), "") for word in WORDS.get(f"{function}.{name}") or WORDS[name])
    elif kinds().get(name) == "bool" or is_switch(call, name, namespace):
        yield from (("True", "bool", ""), ("False", "bool", ""))


def is_switch(call, name, namespace):
    found = parameters(call, namespace).get(name)
    return found is not None and isinstance(found.default, bool)


def tensor_of(call, namespace):
    """Return the tensor that a call works on: the owner of the method, or the first argument."""
    owner = owner_of(call, namespace)
    if owner is None or not is_tensor(owner.kind):
        first = call.positional[:1]
        owner = find_known(first[0], namespace) if first else None
    return (
        owner.value
        if owner and owner.has_value and is_tensor(owner.kind) and not issubclass(type(owner.value), type)
        else None
    )


def dims(tensor):
    """Yield each dimension of a tensor with its size, counted from the front and from the back."""
    shape = tuple(tensor.shape) if tensor is not None else ()
    for number, size in enumerate(shape):
        yield str(number), deferred("dim"), _("size {size}").format(size=size)
    for number, size in reversed([*enumerate(shape)]):
        yield str(number - len(shape)), deferred("dim"), _("size {size}, = {number}").format(size=size, number=number)


def dtypes(call, namespace):
    """Yield the dtypes, prefixed as in this namespace."""
    from tensh.engine.dtypes.dtype import ALIASES, ALL

    prefix = next(
        (name for name, value in namespace.items() if name in ("torch", "tensh") and value is not None), "torch"
    )
    short = {}
    for alias, dtype in ALIASES.items():
        short.setdefault(dtype, []).append(alias)
    for name, dtype in ALL.items():
        yield f"{prefix}.{name}", "dtype", ", ".join(short.get(dtype, ()))


def keys(source, namespace):
    """Yield the plain keys and values of the indexed dict."""
    container = find_known(source, namespace)
    if container is None or not container.has_value:
        return
    value = container.value
    if issubclass(type(value), dict):
        for key in dict.keys(value):
            if type(key) in (str, int):
                yield key, dict.get(value, key)


def literal(text):
    """Return the value of a literal; None for other texts."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None
