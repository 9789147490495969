"""The methods that ``dataclasses`` generates, written as functions with source, which scripts can compile.

Generated methods keep no source.  These have the same meaning, as far as scripts can express it: fields are compared
one after the other, texts name the fields without their values, and hashes are not computed.
"""

import dataclasses
import functools
import inspect
import sys
from types import NoneType, UnionType
from typing import Union, get_args, get_origin

from tensh.engine.codegen.source import compile_source

__all__ = ["require_plain_defaults", "write_methods"]


@functools.cache
def write_methods(cls):
    """Return name -> function of the methods that ``dataclasses`` generated for a class, and that scripts know."""
    if not dataclasses.is_dataclass(cls) or makes_defaults(cls):
        return {}
    return {name: write(cls) for name, write in WRITERS.items() if is_generated(vars(cls).get(name))}


def makes_defaults(cls):
    """Return True for a class with a field whose default is made by a function."""
    return any(each.default_factory is not dataclasses.MISSING for each in dataclasses.fields(cls))


def require_plain_defaults(cls):
    """Raise NotImplementedError for a class with a field whose default is made by a function."""
    if dataclasses.is_dataclass(cls) and makes_defaults(cls):
        raise NotImplementedError("Default factory initializers are not supported in TorchScript dataclasses")


def is_generated(method):
    """Return True for a function that was made from text that nothing keeps."""
    return inspect.isfunction(method) and inspect.unwrap(method).__code__.co_filename == "<string>"


def make(cls, name, parameters, body, annotations):
    """Return the method of a class with these lines."""
    lines = [f"def {name}({', '.join(parameters)}):", *(f"    {line}" for line in body)]
    namespace, made = dict(vars(sys.modules[cls.__module__])), {}
    compile_source("\n".join(lines) + "\n", f"dataclass {cls.__module__}.{cls.__qualname__}.{name}", namespace, made)
    method = made[name]
    method.__annotations__ = annotations
    method.__module__, method.__qualname__ = cls.__module__, f"{cls.__qualname__}.{name}"
    return method


def write_init(cls):
    _, *parameters = inspect.signature(cls.__init__).parameters.values()
    handed_on = [each.name for each in parameters if isinstance(each.annotation, dataclasses.InitVar)]
    kinds = {each.name: getattr(each.annotation, "type", each.annotation) for each in parameters}
    names = [each.name for each in dataclasses.fields(cls) if each.init and each.name not in handed_on]
    body = [f"self.{name} = {name}" for name in names]
    if hasattr(cls, "__post_init__"):
        body.append(f"self.__post_init__({', '.join(handed_on)})")
    method = make(cls, "__init__", ["self", *(each.name for each in parameters)], body or ["pass"], kinds)
    method.__defaults__ = tuple(each.default for each in parameters if each.default is not each.empty)
    return method


def write_repr(cls):
    shown = ", ".join(f"{each.name}=self.{each.name}" for each in dataclasses.fields(cls) if each.repr)
    return make(cls, "__repr__", ["self"], [f"return '{cls.__name__}({shown})'"], {"return": str})


def write_hash(cls):
    refusal = "__hash__ is not supported for dataclasses in TorchScript"
    return make(cls, "__hash__", ["self"], [f"raise NotImplementedError({refusal!r})"], {"return": int})


def writer_of_comparison(name, steps, equal):
    """Return the writer of a comparison: ``steps`` for each field, and the result where all are ``equal``."""

    def write(cls):
        body = []
        for field in dataclasses.fields(cls):
            if not field.compare:
                continue
            body += [f"val1 = self.{field.name}", f"val2 = other.{field.name}"]
            if not is_optional(field.type):
                body += steps
                continue
            other = (
                "return False" if name == "__eq__" else f"raise TypeError('Cannot compare {cls.__name__} with None')"
            )
            body += ["if val1 is not None and val2 is not None:", *(f"    {step}" for step in steps)]
            body += ["elif (val1 is None) != (val2 is None):", f"    {other}"]
        return make(cls, name, ["self", "other"], [*body, f"return {equal}"], {"other": cls, "return": bool})

    return write


def write_ne(cls):
    return make(cls, "__ne__", ["self", "other"], ["return not self.__eq__(other)"], {"other": cls, "return": bool})


def is_optional(kind):
    return get_origin(kind) in (Union, UnionType) and NoneType in get_args(kind)


LESS = ["if val1 < val2: return True", "elif val2 < val1: return False"]
MORE = ["if val1 > val2: return True", "elif val2 > val1: return False"]
WRITERS = {
    "__init__": write_init, "__repr__": write_repr, "__hash__": write_hash, "__ne__": write_ne,
    "__eq__": writer_of_comparison("__eq__", ["if val1 != val2: return False"], True),
    "__lt__": writer_of_comparison("__lt__", LESS, False), "__le__": writer_of_comparison("__le__", LESS, True),
    "__gt__": writer_of_comparison("__gt__", MORE, False), "__ge__": writer_of_comparison("__ge__", MORE, True),
}  # fmt: skip
