"""The sources of values from outside in PyTorch's notation, such as ``G['lin']._parameters['weight']``."""

import re
import types

from tensh.compiler.configuration.settings import read_setting
from tensh.compiler.fx_graphs.input_names import name_module, root_of, write_source
from tensh.nn.modules.module import Module

__all__ = ["Sources", "name_source"]

MEMBERS = ("_parameters", "_buffers", "_modules")
"""The dictionaries of a module whose items are its attributes."""


def name_source(source):
    """Return the name of the input for a source."""
    return re.sub("[^a-zA-Z0-9]+", "_", source)


class Sources:
    """The sources of the values that guards find.

    A path of a guard begins at a container or object; the source leads there from a variable. ``owners`` tell whose such a
    container is: id -> (object, the text between the object and an item).
    """

    def __init__(self, guards, function):
        self.guards, self.function, self.root, self.owners = guards, function, root_of(function), {}
        inner = getattr(function, "forward", function)
        self.inner = getattr(inner, "__func__", inner)
        self.captured = set(map(id, getattr(self.inner, "__closure__", None) or ()))
        for each in guards.kept.values():
            self.note_owner(each)

    def note_owner(self, value):
        """Note the containers of an object."""
        if isinstance(value, types.FunctionType):
            for number, cell in enumerate(value.__closure__ or ()):
                self.owners.setdefault(id(cell), (value, f".__closure__[{number}]"))
        elif isinstance(getattr(value, "__dict__", None), dict):
            self.owners[id(vars(value))] = value, "."
            for name in MEMBERS if isinstance(value, Module) else ():
                self.owners[id(vars(value)[name])] = value, f".{name}"

    def write(self, path):
        """Return the source of the value at the path of a guard."""
        return self.follow(path, ()) or write_source(path, self.function)

    def is_fixed(self, path, source):
        """Return True for the path of an integer that PyTorch takes as a constant.

        So are those of modules, global variables and classes, and defaults of functions that the compiled one calls.
        """
        if not source.startswith("L[") or "__defaults__" in source or "__kwdefaults__" in source:
            return True
        seen = set()
        while path is not None and path not in seen:
            seen.add(path)
            place = self.guards.namespace.get(re.match(r"\w+", path)[0])
            owner, _ = self.owners.get(id(place), (place, ""))
            if isinstance(owner, Module):
                return not read_setting("allow_unspec_int_on_nn_module")
            path = self.guards.origins.get(id(owner))
        return False

    def follow(self, path, seen):
        """Return the source for a path; None if it begins at something that no variable leads to."""
        head, rest = re.match(r"(\w+)(.*)", path, re.DOTALL).groups()
        place = self.guards.namespace.get(head)
        if place is None or path in seen or head.startswith("g") or id(place) in self.captured:
            return write_source(path, self.function) if path not in seen else None
        owner, between = self.owners.get(id(place), (place, ""))
        if owner is self.inner and (default := re.match(r"\.__(kw)?defaults__\[(.*?)\](.*)", rest, re.DOTALL)):
            return f"L[{self.name_parameter(*default.group(1, 2))}]{default[3]}"
        text = self.write_object(owner, (*seen, path))
        if isinstance(owner, type) and (member := re.match(r"\.__dict__\['(\w+)'\](.*)", rest, re.DOTALL)):
            return self.write_class_member(owner, text, *member.groups(), (*seen, path))
        if text is not None and between == ".":
            key, rest = re.match(r"\['(\w+)'\](.*)", rest, re.DOTALL).groups()
            return f"{text}.{key}{rest}"
        return None if text is None else f"{text}{between}{rest}"

    def name_parameter(self, by_name, key):
        """Return the name of a parameter of the function, by its place among those with a default or its own name."""
        if by_name:
            return key
        code, count = self.inner.__code__, len(self.inner.__defaults__)
        return repr(code.co_varnames[code.co_argcount - count + int(key)])

    def write_class_member(self, cls, text, name, rest, seen):
        """Return the source of an attribute of a class, which is perhaps known only by an instance."""
        if text is not None:
            return f"{text}.{name}{rest}"
        instance = next((each for each in self.guards.kept.values() if type(each) is cls), None)
        text = None if instance is None else self.write_object(instance, seen)
        return None if text is None else f"dict(type({text}).__dict__)['{name}']{rest}"

    def write_object(self, value, seen):
        """Return the source of an object; None if it is not known."""
        if value is self.root and value is not self.inner:
            return f"L['{name_module(self.function)}']"
        origin = self.guards.origins.get(id(value))
        return None if origin is None else self.follow(origin, seen)
