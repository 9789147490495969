"""The members of a value, with a short description: kind, shape and dtype, or first line of documentation."""

import inspect
import re
import types
from importlib.util import find_spec

from tensh import ELSEWHERE, SUBMODULES
from tensh.alias.parts import own_dict, own_name
from tensh.cli.session.static.known import NOTHING, instance_dict, is_tensor, mro, resolve_member, static
from tensh.engine.codegen import registry
from tensh.engine.codegen.operator import Inplace, Op
from tensh.engine.codegen.registry import METHODS, PUBLIC
from tensh.engine.methods.unsupported import read_recorded_names
from tensh.engine.operators.layers.composites.registry import LAYERS
from tensh.engine.operators.namespaces import FFT, LINALG
from tensh.show import describe
from tensh.support.language import _

TABLES = {"tensh": PUBLIC, "tensh.linalg": LINALG, "tensh.fft": FFT, "tensh.nn.functional": LAYERS}
NUMBERS = (int, float, bool, complex)
LONGEST = 60  # characters of a description


def names(known):
    """Return the names of the members without running code, such as `__dir__` or a property."""
    value = known.value
    if issubclass(type(value), types.ModuleType):
        own, path = own_dict(value), own_name(value)
        if path in TABLES and not registry.complete:
            return list_unread_names(path, own)
        if path.partition(".")[0] == "tensh" and ("__dir__" in own or "__all__" in own):
            return {*(own["__dir__"]() if "__dir__" in own else own["__all__"])}  # includes lazy names, and loads none
        return {*own, *(name for name in own.get("__all__") or () if isinstance(name, str))}
    kinds = mro(value) if issubclass(type(value), type) else mro(known.kind)
    found = {name for kind in kinds for name in vars(kind)}
    if known.has_value:
        own = instance_dict(value)
        found |= {*own, *(name for part in ("_parameters", "_buffers", "_modules") for name in own.get(part) or ())}
    if kinds_of_tensor(known):
        found = {name for name in found if type(static(known, name)).__name__ != "UnsupportedMember"}
    return {name for name in found if isinstance(name, str)}


def list_unread_names(path, own):
    """Return the names of a namespace before all modules of the engine are loaded: those of the index, and torch's parts."""
    recorded = read_recorded_names(path.replace("tensh", "torch", 1))
    declared = {name for name in recorded if name in registry.PLACES or dict.__contains__(TABLES[path], name)}
    if path != "tensh":
        return declared
    parts = {name for name in SUBMODULES - {"show"} if find_spec(f"tensh.{name}")}
    return {*parts, *declared, *(recorded & ELSEWHERE.keys()), *own}


def kinds_of_tensor(known):
    """True if the value is a tensor or a tensor class."""
    return is_tensor(known.value if issubclass(type(known.value), type) else known.kind)


def describe_member(known, name):
    """Return (kind, description) of a member."""
    if issubclass(type(known.value), types.ModuleType):
        path = own_name(known.value)
        entry = TABLES.get(path, {}).get(name, own_dict(known.value).get(name, NOTHING))
        if entry is NOTHING and path == "tensh":  # a submodule that is not loaded yet
            return "module", ""
        if entry is NOTHING and path.startswith("tensh."):
            entry = getattr(known.value, name, NOTHING)
        return describe_value(entry)
    if kinds_of_tensor(known) and name in METHODS:
        return describe_value(METHODS[name], "method")
    found = resolve_member(known, name, static(known, name))
    if isinstance(found, property):
        return "property", first_line(found.__doc__)
    if inspect.isdatadescriptor(found):
        return "attribute", ""
    return describe_value(found, "method")


def counterparts(known, word):
    """Yield (text, kind, description) for PyTorch's counterparts of the NumPy names that begin with a word."""
    from tensh.cli.session.failures import spoken

    is_torch = issubclass(type(known.value), types.ModuleType) and own_name(known.value) == "tensh"
    words = spoken.TORCH if is_torch else spoken.TENSOR if is_tensor(known.kind) else ""
    for theirs, ours in spoken.table(words).items():
        text = re.match(r"[\w.]*", ours)[0]
        if theirs.startswith(word) and text and (is_torch or "." not in text):
            yield text, "instead", f"NumPy's {theirs}: {ours}"


def describe_value(value, function="function"):
    """Return (kind, description) of a value, or of an entry of the engine's tables."""
    if value is NOTHING:
        return "", ""
    if issubclass(type(value), Op | Inplace):
        in_place = issubclass(type(value), Inplace)
        op = value.op if in_place else value
        summary = first_line(op.__dict__.get("summary") or op.doc)
        return function, _("in place: {summary}").format(summary=summary) if in_place else summary
    kind = type(value)
    if describe.is_array(value):
        return "tensor" if is_tensor(kind) else "array", describe.brief(value)
    if issubclass(type(value), types.FunctionType):
        return function, first_line(value.__doc__) or parameters(value)
    if issubclass(type(value), types.ModuleType):
        return "module", first_line(own_dict(value).get("__doc__"))
    if issubclass(type(value), type):
        return "class", first_line(type.__dict__["__dict__"].__get__(value).get("__doc__"))
    if issubclass(
        type(value),
        types.BuiltinFunctionType | types.MethodType | types.MethodDescriptorType | types.WrapperDescriptorType,
    ):
        return function, ""
    if kind in NUMBERS or value is None:
        return kind.__name__, repr(value)[:LONGEST]
    if kind.__module__.partition(".")[0] == "numpy" and any("__call__" in vars(each) for each in mro(kind)):
        return function, ""
    if kind in (list, tuple, dict, set, str):
        return kind.__name__, f"of {len(value)}"
    return kind.__name__, ""


def parameters(function):
    """Format the names of a function's parameters; without defaults, whose repr could run user code."""
    code = function.__code__
    number = code.co_argcount + code.co_kwonlyargcount
    return f"({', '.join(code.co_varnames[:number])})"


def first_line(text):
    """Return the first line of a documentation, shortened."""
    line = text.strip().partition("\n")[0] if isinstance(text, str) else ""
    line = line.replace("``", "").partition(".  ")[0].removesuffix(".")
    return line if len(line) <= LONGEST else line[: LONGEST - 3].rpartition(" ")[0].rstrip(",;:") + " ..."
