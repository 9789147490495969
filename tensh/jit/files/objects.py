"""Instances of the classes in a TorchScript file, and its enums, as values of Python."""

import enum
import functools

from tensh.jit.language.types import class_path

__all__ = ["EnumValue", "ScriptInstance", "adopt_enums", "make_enum", "restore", "to_be_pickled"]

VALUES = (int, float, str)
"""Types that the values of enums may have."""


class ScriptInstance:
    """An instance of a class in a file: its attributes, and the methods in the code of the file."""

    __module__, __qualname__ = "torch", "ScriptObject"

    def __init__(self, path, library, attributes):
        self.__dict__.update(_class=path, _library=library, _attributes=attributes)

    def __getattr__(self, name):
        if name in self.__dict__.get("_attributes", ()):
            return self._attributes[name]
        if "_library" in self.__dict__ and self._library.method(self._class, name) is not None:
            return functools.partial(self._call, name)
        raise AttributeError(f"'{self._class}' object has no attribute or method '{name}'")

    def __setattr__(self, name, value):
        self._attributes[name] = value

    def _call(self, name, *args, **kwargs):
        return self._library.run(self, name, args, kwargs)


class EnumValue:
    """An enumerated value as it is pickled: the full name of its class, and its value."""

    def __init__(self, name, value):
        self.name, self.value = name, value


def make_enum(name, values):
    """Return a class of enumerated values (name -> value); None if there can be no such class."""
    members = {key: each for key, each in values.items() if not key.startswith("_") and type(each) in VALUES}
    try:
        return enum.Enum(name, members)
    except (TypeError, ValueError):
        return None


def adopt_enums(value, enums):
    """Return an argument with instances of the file's classes for those of the program's classes of the same names."""
    if isinstance(value, enum.Enum):
        found = enums.get(class_path(type(value)))
        return value if found is None else found[value.name]
    if isinstance(value, dict):
        return {adopt_enums(key, enums): adopt_enums(each, enums) for key, each in value.items()}
    return type(value)(adopt_enums(each, enums) for each in value) if type(value) in (list, tuple) else value


def restore(value, library, is_object, made):
    """Return an unpickled value with instances and enumerated values in it; ``is_object`` recognizes what stands for them."""
    if is_object(value):
        if id(value) not in made:
            enumerated = library.enums.get(value.name)
            if enumerated is not None:
                return enumerated(*value.args)
            made[id(value)] = ScriptInstance(value.name, library, {})
            parts = {name: restore(each, library, is_object, made) for name, each in value.state.items()}
            made[id(value)]._attributes.update(parts)
        return made[id(value)]
    if isinstance(value, dict):
        return {key: restore(each, library, is_object, made) for key, each in value.items()}
    if type(value) in (list, tuple):
        return type(value)(restore(each, library, is_object, made) for each in value)
    return value


def to_be_pickled(value, write_object):
    """Return a value as it is pickled; ``write_object`` makes an object from a name and a state."""
    if isinstance(value, ScriptInstance):
        state = {name: to_be_pickled(each, write_object) for name, each in value._attributes.items()}
        return write_object(value._class, state)
    if isinstance(value, enum.Enum):
        return EnumValue(type(value).path, value.value)
    if isinstance(value, dict):
        return {key: to_be_pickled(each, write_object) for key, each in value.items()}
    return type(value)(to_be_pickled(each, write_object) for each in value) if type(value) in (list, tuple) else value
