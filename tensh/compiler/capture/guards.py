"""Guards: the conditions under which a graph may replace its function.

A guard is a path (``args[0]``, a module-level name, an attribute) and the expected value: for tensors the shape,
strides, dtype and requires_grad; for numbers, strings and similar objects the value; for lists and dictionaries their
contents; for all others the object itself.
"""

import enum
import math
import re
import sys
import types
from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np

from tensh.compiler.breaks import Break
from tensh.compiler.capture.contents import RAW, Contents
from tensh.compiler.capture.kinds import (
    NUMPY_DRAWS,
    SIMPLE,
    draws,
    is_object,
    is_of_library,
    is_output,
    is_own,
    read_key,
)
from tensh.engine.core.tensor import Tensor
from tensh.nn.modules.module import Module
from tensh.nn.parameter import Buffer, Parameter
from tensh.support.naming import is_of_torch
from tensh.tracing.sizes.numbers import TracedFloat, TracedInt

SEQUENCES = (tuple, list, deque)
MAPPINGS = (dict, OrderedDict, defaultdict, Counter, types.MappingProxyType)
PLAIN = frozenset((Tensor, Parameter, Buffer))
"""The classes of tensors that graphs support."""
STANDARD = ("builtins", "abc", "typing")
"""Modules whose classes have no attributes that change."""
BACKWARD_HOOKS = ("_backward_pre_hooks", "_backward_hooks")
FORWARD_HOOKS = (
    "_forward_pre_hooks", "_forward_hooks", "_forward_pre_hooks_with_kwargs", "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
)  # fmt: skip
INTERNAL = frozenset(Module().__dict__)
"""Attributes of every module, which have guards of another form, or none."""
MOST = 2000  # maximum number of items in a container


class Guards:
    """Collects guards, as expressions of which ``compile_guards`` makes a function."""

    def __init__(self, title):
        self.title, self.checks, self.namespace, self.seen = title, [], {}, {}
        self.numbers = {}  # the expressions that find integers and floats -> the numbers
        self.tensors = {}  # id of a tensor -> (expression that finds it, tensor)
        self.origins = {}  # id of another object -> the expression that has found it first
        self.kept, self.contents, self.codes = {}, Contents(), set()  # the last are those of functions
        self.attributes, self.assigned = set(), set()  # names that the functions of the program read, and assign
        self.asked = set()  # names that ``getattr`` and ``hasattr`` may ask for
        self.needs_history = False  # whether Python reads that a tensor requires grad

    def constant(self, value, wish="o"):
        """Return the name of an object in the namespace of the guard."""
        key = id(value)
        if key not in self.seen:
            self.seen[key] = name = f"{wish}{len(self.seen)}"
            self.namespace[name] = value
        return self.seen[key]

    @property
    def kind(self):
        """The guards on values other than tensors."""
        return tuple(self.checks), tuple(
            (name, self.describe(value)) for name, value in self.namespace.items() if name[-1:].isdigit()
        )

    def describe(self, value):
        """Return what makes an object of the guards the same in other calls: for one whose parts are guarded, its kind."""
        content = self.contents.find(value)
        if content is not None and content.is_own or isinstance(value, types.CellType):
            return type(value)
        if isinstance(value, types.FunctionType):
            return value.__code__
        return (
            type(value)
            if is_object(value) and is_own(type(value)) and not isinstance(value, Module)
            else read_key(value)
        )

    def require(self, text):
        if text not in self.checks:
            self.checks.append(text)

    # ── one value ────────────────────────────────────────────────────────────
    def add(self, path, value, attributes=frozenset()):
        """Guard the value at a path."""
        cls = type(value)
        if isinstance(value, Tensor):
            self.add_tensor(path, value, attributes)
        elif cls in SIMPLE:
            self.add_simple(path, value, cls)
        elif cls in SEQUENCES or isinstance(value, tuple) and hasattr(value, "_fields"):
            self.add_items(path, value, cls, enumerate(value), attributes)
        elif cls in MAPPINGS:
            self.require(f"tuple({path}) == {self.constant(tuple(value))}")
            self.add_items(path, value, cls, value.items(), attributes)
            if cls is defaultdict:
                self.add(f"{path}.default_factory", value.default_factory, attributes)
        elif cls in (set, frozenset):
            self.require(f"type({path}) is {cls.__name__} and {path} == {self.constant(cls(value))}")
            self.contents.keep(path, value)
        elif cls in RAW or cls is memoryview:
            self.require(f"type({path}) is {self.constant(cls)} and bytes({path}) == {self.constant(bytes(value))}")
            self.contents.keep(path, value)
        elif isinstance(value, enum.Enum):
            self.require(f"{path} is {self.constant(value)}")
        elif cls is np.ndarray:
            raise Break("a NumPy array is read")
        elif hasattr(cls, "__next__") and not is_output(value):
            raise Break(f"an iterator is read ({cls.__name__})")
        elif issubclass(cls, (TracedInt, TracedFloat)):
            return  # the call has computed it
        else:
            self.require(f"{path} is {self.constant(value)}")
            self.origins.setdefault(id(value), path)
            self.contents.keep_object(value)
            self.add_parts(value, attributes)

    def add_simple(self, path, value, cls):
        if cls is int or cls is float:
            self.numbers[path] = value
        if value is None or cls is bool or value is Ellipsis:
            self.require(f"{path} is {value!r}")
        elif value != value:
            self.require(f"{path} != {path}")
        elif cls in (int, str) or cls is float and math.isfinite(value):
            self.require(f"type({path}) is {cls.__name__} and {path} == {value!r}")
            if cls is float and not value:
                self.require(f"str({path}) == {str(value)!r}")
        else:
            self.require(f"type({path}) is {self.constant(cls)} and {path} == {self.constant(value)}")

    def add_items(self, path, value, cls, items, attributes):
        if len(value) > MOST:
            raise Break(f"a {cls.__name__} of {len(value)} items is read")
        name = cls.__name__ if cls in (tuple, list, dict) else self.constant(cls)
        self.require(f"type({path}) is {name} and len({path}) == {len(value)}")
        fields = getattr(cls, "_fields", None)
        for key, each in list(items):
            self.add(f"{path}.{fields[key]}" if fields else f"{path}[{self.write_key(key)}]", each, attributes)
        self.contents.keep(path, value)

    def write_key(self, key):
        """Return the text of a key in the code of the guard."""
        return repr(key) if type(key) in (int, str, bool, type(None)) else self.constant(key)

    def add_tensor(self, path, value, attributes=frozenset()):
        if type(value) not in PLAIN:
            raise Break(f"a {type(value).__name__} is read")
        if type(value.array) is not np.ndarray:
            raise Break("a tensor that is read has no dense array")
        if id(value) in self.tensors:
            first = self.tensors[id(value)][0]
            if first != path and path.startswith(("args", "kwargs")):
                self.require(f"{path} is {first}")
        else:
            self.tensors[id(value)] = path, value
        self.add_tensor_attributes(value, attributes)

    def add_tensor_attributes(self, tensor, attributes):
        """Guard attributes that the program has set on a tensor."""
        self.add_members(vars(tensor), attributes & vars(tensor).keys(), attributes)

    def is_registered(self, tensor):
        """Return True for a parameter or buffer of a module."""
        return id(tensor) in self.tensors and re.match(r"p\d", self.tensors[id(tensor)][0]) is not None

    # ── objects ──────────────────────────────────────────────────────────────
    def add_parts(self, value, attributes):
        """Guard the parts that are read from an object that stays the same."""
        if draws(value) or value is sys.modules.get("numpy") and "random" in attributes:
            raise Break(NUMPY_DRAWS, own=False)
        key = id(value), frozenset(attributes) if isinstance(value, (types.ModuleType, type)) else None
        if isinstance(value, Module):
            self.add_private(value, attributes)
        if key in self.kept:
            if is_object(value):
                self.add_class(type(value), attributes, vars(value))
                self.add_names(value, attributes)
            elif isinstance(value, types.FunctionType):
                self.add_members(vars(value), attributes & vars(value).keys(), attributes)
            return
        self.kept[key] = value
        if isinstance(value, Module):
            self.add_module(value, attributes)
        elif isinstance(value, types.FunctionType):
            self.add_function(value, attributes)
        elif isinstance(value, types.MethodType):
            self.add(f"{self.constant(value)}.__self__", value.__self__, attributes)
            self.add_function(value.__func__, attributes)
        elif isinstance(value, types.ModuleType):
            if not is_of_torch(value.__name__) and value.__name__.partition(".")[0] not in ("math", "numpy"):
                self.add_members(vars(value), attributes & vars(value).keys(), attributes)
        elif isinstance(value, type):
            self.add_class(value, attributes)
        elif isinstance(getattr(value, "__dict__", None), dict) and not is_of_torch(type(value).__module__):
            self.add_members(vars(value), list(vars(value)), attributes)
            self.add_class(type(value), attributes, vars(value))
            self.add_names(value, attributes)
            self.contents.keep(self.constant(vars(value), "d"), vars(value), is_own=is_own(type(value)))
        if isinstance(value, (list, dict, set, *RAW)):
            self.add_derived(value, attributes)
        self.add_slots(value, attributes)

    def add_names(self, value, attributes):
        """Guard the names of an object's attributes where its attributes may be read as a whole."""
        if "__dict__" in attributes or is_of_library(type(value)):
            self.require(f"tuple({self.constant(vars(value), 'd')}) == {self.constant(tuple(vars(value)))}")

    def add_derived(self, value, attributes):
        """Guard the items of an object whose class is derived from that of a container."""
        if len(value) > MOST:
            raise Break(f"a {type(value).__name__} of {len(value)} items is read")
        own = self.constant(value)
        self.contents.keep(own, value)
        if isinstance(value, (set, *RAW)):
            kind = "set" if isinstance(value, set) else "bytes"
            self.require(f"{kind}({own}) == {self.constant(set(value) if kind == 'set' else bytes(value))}")
            return
        if isinstance(value, dict):
            kind, items = "dict", dict.items(value)
            self.require(f"tuple(dict.keys({own})) == {self.constant(tuple(dict.keys(value)))}")
        else:
            kind, items = "list", enumerate(list.__iter__(value))
            self.require(f"list.__len__({own}) == {list.__len__(value)}")
        for key, each in list(items):
            self.add(f"{kind}.__getitem__({own}, {self.write_key(key)})", each, attributes)

    def add_slots(self, value, attributes):
        """Guard the attributes that an object has in slots."""
        for each in type(value).__mro__:
            if each.__module__ not in STANDARD and not is_of_torch(each.__module__):
                for name, member in vars(each).items():
                    if isinstance(member, types.MemberDescriptorType) and hasattr(value, name):
                        self.add(f"{self.constant(value)}.{name}", getattr(value, name), attributes)

    def add_members(self, members, names, attributes):
        if not names:
            return
        own = self.constant(members, "d")
        for name in names:
            if name in members and not name.startswith("__") and (name in attributes or not draws(members[name])):
                self.add(f"{own}[{name!r}]", members[name], attributes)

    def add_class(self, cls, attributes, members=None):
        """Guard attributes of a class, and that an object with the attributes ``members`` has none of the same name."""
        for each in cls.__mro__:
            if each.__module__ in STANDARD or is_of_torch(each.__module__):
                continue
            for name in attributes & vars(each).keys():
                value = vars(each)[name]
                if members is not None and name not in members and name[:2] != "__":
                    self.require(f"{name!r} not in {self.constant(members, 'd')}")
                if not hasattr(type(value), "__get__") and not isinstance(value, type):
                    self.add(f"{self.constant(each)}.__dict__[{name!r}]", value, attributes)

    def add_module(self, module, attributes):
        """Require that a module keeps its settings, members and hooks."""
        members = module.__dict__
        own = self.constant(members, "m")
        simple = [n for n, v in members.items() if n[0] != "_" and type(v) in SIMPLE and v == v]
        if not is_of_torch(type(module).__module__):  # numbers in the user's modules may become others that are equal
            for name in simple:
                self.add_simple(f"{own}[{name!r}]", members[name], type(members[name]))
        elif simple:
            texts = ", ".join(f"{own}[{name!r}]" for name in simple)
            self.require(f"({texts},) == {self.constant(tuple(members[name] for name in simple))}")
        if members.get("_is_hooked"):
            self.add_hooks(own, members, attributes)
        else:
            self.require(f"not {own}['_is_hooked']")
        for name, value in list(members.items()):
            if name not in simple and name[0] != "_" and not isinstance(value, Tensor):
                self.add(f"{own}[{name!r}]", value, attributes)
            elif isinstance(value, Tensor):
                self.add_tensor(f"{own}[{name!r}]", value)
        for kind in ("_parameters", "_buffers"):
            tensors = members[kind]
            place = self.constant(tensors, "p")
            for name, value in tensors.items():
                if value is None:
                    self.require(f"{place}[{name!r}] is None")
                else:
                    self.add_tensor(f"{place}[{name!r}]", value)
        children = members["_modules"]
        if children:
            place = self.constant(children, "c")
            self.require(f"tuple({place}) == {self.constant(tuple(children))}")
            for name, child in children.items():
                self.add(f"{place}[{name!r}]", child, attributes)
        self.add_class(type(module), attributes, members)
        if not is_of_torch(type(module).__module__):
            self.keep_members(module)

    def add_private(self, module, attributes):
        """Guard the private attributes of a module that a function reads, whichever function has met the module first."""
        members = module.__dict__
        names = [name for name in attributes & members.keys() if name[0] == "_" and name not in INTERNAL]
        self.add_members(members, names, attributes)

    def keep_members(self, module):
        """Note the attributes of a module before they change."""
        members = vars(module)
        for each in members, members["_parameters"], members["_buffers"], members["_modules"]:
            self.contents.keep(self.constant(each, "m"), each, is_own=is_own(type(module)))

    def add_hooks(self, own, members, attributes):
        """Require that a module keeps its hooks; those of the library may do what a graph cannot repeat."""
        for name in BACKWARD_HOOKS:
            if members[name]:
                raise Break("a module has hooks of the backward pass")
            self.require(f"not {own}[{name!r}]")
        for name in FORWARD_HOOKS:
            if any(is_of_torch(getattr(each, "__module__", None) or "") for each in members[name].values()):
                raise Break("a module has hooks of the library")
            self.add(f"{own}[{name!r}]", members[name], attributes)

    def add_function(self, function, attributes):
        """Require that a function keeps the values that it has captured, and its defaults."""
        if (
            hasattr(function, "_is_constant")
            or function.__module__ in ("torch",)
            or function.__code__.co_filename.startswith("<tensh")
        ):
            return
        self.codes.add(function.__code__)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            if name == "__class__":
                continue
            self.contents.keep(self.constant(cell, f"cell_{name}_"), cell)
            try:
                value = cell.cell_contents
            except ValueError:
                continue
            self.add(f"{self.constant(cell, f'cell_{name}_')}.cell_contents", value, attributes)
        for name in ("__defaults__", "__kwdefaults__"):
            if getattr(function, name):
                self.add(f"{self.constant(function)}.{name}", getattr(function, name), attributes)
        self.add_members(vars(function), attributes & vars(function).keys(), attributes)

    def add_absent(self):
        """Require that objects still lack attributes for which the functions may have asked."""
        for content in self.contents.known.values():
            if content.path in self.namespace and isinstance(content.owner, dict) and content.names is None:
                for name in self.asked - content.before.keys():
                    self.require(f"{name!r} not in {content.path}")

    def forget_unread(self, contents):
        """Forget what attributes were before the call that it has only assigned."""
        for content in contents:
            for name in content.before.keys() & (self.assigned - self.attributes) if content.is_own else ():
                path = f"{content.path}[{name!r}]"
                self.checks = [each for each in self.checks if path not in each]
                self.tensors = {key: each for key, each in self.tensors.items() if not each[0].startswith(path)}

    def require_unchanged(self):
        """Raise Break if the call has changed a container that it was given."""
        if self.contents.list_changed():
            raise Break("the function changes a value that it reads")
