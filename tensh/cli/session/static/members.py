"""The members of a value, with a short description: kind, shape and dtype, or first line of documentation."""

import inspect
import re
import types
from functools import cache, lru_cache
from importlib.util import find_spec

from tensh import ELSEWHERE, HIDDEN, SUBMODULES
from tensh.alias.parts import own_dict, own_name
from tensh.cli.session.static.known import NOTHING, is_tensor, mro, resolve_member, static_members
from tensh.engine.codegen import registry
from tensh.engine.codegen.operator import Inplace, Op
from tensh.engine.codegen.registry import METHODS, PUBLIC
from tensh.engine.methods.unsupported import is_hidden, read_recorded_names
from tensh.engine.operators.layers.composites.registry import LAYERS
from tensh.engine.operators.namespaces import FFT, LINALG
from tensh.show.reading import describe
from tensh.support.language import _, deferred
from tensh.switched_off import entries_of

TABLES = {"tensh": PUBLIC, "tensh.linalg": LINALG, "tensh.fft": FFT, "tensh.nn.functional": LAYERS}
NUMBERS = (int, float, bool, complex)
BUILT_IN = (
    types.BuiltinFunctionType, types.MethodType, types.MethodDescriptorType, types.WrapperDescriptorType,
)  # fmt: skip
LONGEST = 60  # characters of a description
FUNCTION = deferred("function")


def names(known):
    """Return the names of the members without running code, such as `__dir__` or a property."""
    value = known.value
    if not issubclass(type(value), types.ModuleType):
        return {
            name
            for name, member in static_members(known).items()
            if isinstance(name, str) and not is_hidden(name, member)
        }
    own, path = own_dict(value), own_name(value)
    if path in TABLES:
        return {*list_namespace(path), *(name for name in own if name[0] == "_")}
    if path.partition(".")[0] == "tensh" and ("__dir__" in own or "__all__" in own):
        return {*(own["__dir__"]() if "__dir__" in own else own["__all__"])}  # includes lazy names, and loads none
    return {*own, *(name for name in own.get("__all__") or () if isinstance(name, str))}


@cache
def list_namespace(path):
    """Return the names of a namespace with operators, from the index, so that no module of the engine is imported."""
    space = path.replace("tensh", "torch", 1)
    own = registry.PLACES.keys() | dict.keys(TABLES[path])
    declared = own.intersection(read_recorded_names(space))
    if path != "tensh":
        return frozenset(declared)
    parts = {name for name in SUBMODULES if find_spec(f"tensh.{name}")}
    removed = entries_of(space).keys() - SUBMODULES  # torch.solve only raises an error, but the index has linalg.solve
    return frozenset((declared - removed) | parts | (ELSEWHERE.keys() - HIDDEN))


def kinds_of_tensor(known):
    """Return True if the value is a tensor or a tensor class."""
    return is_tensor(known.value if issubclass(type(known.value), type) else known.kind)


def describe_members(known, names):
    """Yield the (kind, description) of members."""
    if issubclass(type(known.value), types.ModuleType):
        yield from describe_entries(known.value, names)
        return
    found, methods = static_members(known), METHODS if kinds_of_tensor(known) else ()
    for name in names:
        if name in methods:
            yield describe_value(METHODS[name], deferred("method"))
            continue
        member = resolve_member(known, name, found.get(name, NOTHING))
        if isinstance(member, property):
            yield deferred("property"), first_line(member.__doc__)
        elif inspect.isdatadescriptor(member):
            yield deferred("attribute"), ""
        else:
            yield describe_value(member, deferred("method"))


def describe_entries(module, names):
    """Yield the (kind, description) of names in a module."""
    path, own = own_name(module), own_dict(module)
    table = TABLES.get(path, {})
    for name in names:
        entry = table.get(name, NOTHING)
        if entry is NOTHING:
            entry = own.get(name, NOTHING)
        if entry is NOTHING and path == "tensh":  # not loaded yet
            yield kind_of_unloaded(name), ""
            continue
        if entry is NOTHING and path.startswith("tensh."):
            entry = getattr(module, name, NOTHING)
        yield describe_value(entry)


def kind_of_unloaded(name):
    """Return the kind of a name of torch whose module is not loaded: classes begin with a capital."""
    if name in SUBMODULES:
        return deferred("module")
    return deferred("class") if name[0].isupper() else FUNCTION if name[0] != "_" else ""


def counterparts(known, word):
    """Yield (text, kind, description) for PyTorch's counterparts of the NumPy names that begin with a word."""
    from tensh.cli.session.failures import spoken

    is_torch = issubclass(type(known.value), types.ModuleType) and own_name(known.value) == "tensh"
    words = spoken.TORCH if is_torch else spoken.TENSOR if is_tensor(known.kind) else ""
    for theirs, ours in spoken.table(words).items():
        text = re.match(r"[\w.]*", ours)[0]
        if theirs.startswith(word) and text and (is_torch or "." not in text):
            yield text, deferred("instead"), _("NumPy's {name}: {instead}").format(name=theirs, instead=ours)


def describe_value(value, function=FUNCTION):
    """Return (kind, description) of a value, or of an entry of the engine's tables."""
    if value is NOTHING:
        return "", ""
    kind = type(value)
    if kind is types.FunctionType:
        return function, first_line(value.__doc__) or parameters(value)
    if issubclass(kind, (Op, Inplace)):
        in_place = issubclass(kind, Inplace)
        op = value.op if in_place else value
        summary = first_line(op.__dict__.get("summary") or op.doc)
        return function, _("in place: {summary}").format(summary=summary) if in_place else summary
    if describe.is_array(value):
        return deferred("tensor") if is_tensor(kind) else deferred("array"), describe.brief(value)
    if issubclass(kind, types.ModuleType):
        return deferred("module"), first_line(own_dict(value).get("__doc__"))
    if issubclass(kind, type):
        return deferred("class"), first_line(type.__dict__["__dict__"].__get__(value).get("__doc__"))
    if issubclass(kind, BUILT_IN):
        return function, ""
    if kind in NUMBERS or value is None:
        return kind.__name__, repr(value)[:LONGEST]
    if kind.__module__.partition(".")[0] == "numpy" and any("__call__" in vars(each) for each in mro(kind)):
        return function, ""
    if kind in (list, tuple, dict, set, str):
        return kind.__name__, _("of {length}").format(length=len(value))
    return kind.__name__, ""


def parameters(function):
    """Format the names of a function's parameters; without defaults, whose repr could run user code."""
    code = function.__code__
    number = code.co_argcount + code.co_kwonlyargcount
    return f"({', '.join(code.co_varnames[:number])})"


def first_line(text):
    """Return the first line of a documentation, shortened; "" for values that are no text."""
    return shorten_line(text) if type(text) is str else ""


@lru_cache(maxsize=4096)  # more than the names of torch and Tensor
def shorten_line(text):
    """Return the first line of a documentation, shortened."""
    line = text.strip().partition("\n")[0]
    line = line.replace("``", "").partition(".  ")[0].removesuffix(".")
    return line if len(line) <= LONGEST else line[: LONGEST - 3].rpartition(" ")[0].rstrip(",;:") + " ..."
