"""The classes of a program, its enums and named tuples, as code in TorchScript files; their pickled instances."""

import enum
import inspect
import typing

from tensh.jit.files.objects import EnumValue
from tensh.jit.files.writing import ScriptObject, TypedValue
from tensh.jit.graphs.code_text import constant_code
from tensh.jit.language.classes import attributes_of, functions_of, is_compiled, is_enum, is_interface, is_script_class
from tensh.jit.language.typed_signatures import TypedSignature
from tensh.jit.language.types import class_path, is_named_tuple, origin_of
from tensh.jit.scripting.files.printing import annotation_of, write_script
from tensh.jit.scripting.kinds import fields_of, uniform
from tensh.nn.modules.module import Module

__all__ = ["add_kinds", "typed"]

LISTS = {int: "build_intlist", float: "build_doublelist", bool: "build_boollist"}


def add_kinds(kind, codes, add_functions):
    """Add the classes in a type to the code; ``add_functions`` adds what the code of a compiled function names."""
    if is_named_tuple(kind):
        codes.add_class(class_path(kind), lambda path: write_named_tuple(path, kind))
    elif is_enum(kind):
        codes.add_class(class_path(kind), lambda path: write_enum(path, kind))
    elif is_interface(kind):
        codes.add_class(class_path(kind), lambda path: write_interface(path, kind))
    elif is_script_class(kind):
        add_class(kind, codes, add_functions)
    for each in fields_of(kind).values() if is_named_tuple(kind) else typing.get_args(kind):
        add_kinds(each, codes, add_functions)


def add_class(cls, codes, add_functions):
    """Add a class of the program, with what its attributes and methods name."""
    if cls in codes.own:
        return
    codes.own.add(cls)
    methods = {
        name: codes.program.method_of_class(cls, name) for name, fn in functions_of(cls).items() if is_compiled(fn)
    }
    for kind in attributes_of(cls).values():
        add_kinds(kind, codes, add_functions)
    for each in methods.values():
        add_functions(each, codes)

    def write(path):
        lines = [f"  {name} : {annotation_of(kind)}\n" for name, kind in attributes_of(cls).items()]
        texts = [write_script(methods[name], path, name, 1) for name in sorted(methods, key=not_of_property)]
        return "".join([f"class {path.rpartition('.')[2]}:\n", *lines, *texts])

    codes.add_class(class_path(cls), write)


def not_of_property(name):
    """Return False for the name of a property's function, which stands before the methods."""
    return not name.endswith(("_getter", "_setter"))


def write_named_tuple(path, kind):
    """Return the code of a class of named tuples."""
    lines = [f"  {name} : {annotation_of(each)}\n" for name, each in fields_of(kind).items()]
    return f"class {path.rpartition('.')[2]}(NamedTuple):\n{''.join(lines)}"


def write_interface(path, kind):
    """Return the code of an interface: the methods of modules, or of instances of a class, without their bodies."""
    base = "ModuleInterface" if issubclass(kind, Module) else "Interface"
    lines = [f"class {path.rpartition('.')[2]}({base}):\n"]
    for name, fn in vars(kind).items():
        if inspect.isfunction(fn):
            signature = TypedSignature(fn, "self")
            given = "".join(f", {key}: {annotation_of(uniform(each))}" for key, each in signature.kinds.items())
            lines.append(f"  def {name}(self{given}) -> {annotation_of(uniform(signature.result))}:\n    pass\n")
    return "".join(lines)


def write_enum(path, kind):
    """Return the code of a class of enumerated values."""
    lines = [f"  {each.name} = {constant_code(each.value)}\n" for each in kind]
    return f"class {path.rpartition('.')[2]}(Enum):\n{''.join(lines)}"


def typed(value, kind):
    """Return a value as it is pickled: lists and dictionaries with their types, instances with their attributes."""
    if isinstance(value, enum.Enum):
        return EnumValue(class_path(type(value)), value.value)
    if is_script_class(kind) and isinstance(value, kind):
        state = {name: typed(getattr(value, name), each) for name, each in attributes_of(kind).items()}
        return ScriptObject(class_path(kind), state)
    if isinstance(value, tuple) and origin_of(kind) is tuple:
        return tuple(typed(each, inner) for each, inner in zip(value, typing.get_args(kind)))
    if isinstance(value, list) and origin_of(kind) is list:
        (element,) = typing.get_args(kind)
        if element in LISTS:
            return TypedValue(LISTS[element], value)
        return TypedValue("restore_type_tag", [typed(each, element) for each in value], annotation_of(kind))
    if isinstance(value, dict) and origin_of(kind) is dict:
        inner = typing.get_args(kind)[1]
        return TypedValue(
            "restore_type_tag", {key: typed(each, inner) for key, each in value.items()}, annotation_of(kind)
        )
    return value
