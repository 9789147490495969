"""Modules as programs see them: `torch`, and namespaces whose ``__dict__`` is completed when it is inspected."""

import sys
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import FunctionType, ModuleType

from tensh.alias.parts import DICT, KEPT, OWN, name_in_torch, parts
from tensh.alias.places import LOADED, complete


class Namespace(ModuleType):
    """A module that finds names on first use; ``vars(module)`` loads all remaining ones.

    The interpreter reads the dictionary directly, so that nothing else becomes slower.
    """

    @property
    def __dict__(self):
        found = DICT.__get__(self)
        if not found.get("__complete__"):
            found["__complete__"] = True
            for name in dir(self):
                try:
                    found.setdefault(name, getattr(self, name))
                except (AttributeError, ImportError, NotImplementedError):
                    continue  # a listed name that raises when it is used
        return found

    def __dir__(self):
        """Return the names without loading them, as the dictionary would."""
        found = DICT.__get__(self)
        return found["__dir__"]() if "__dir__" in found else sorted(found)

    def __setattr__(self, name, value):
        # see keep_function
        if not (isinstance(value, ModuleType) and isinstance(DICT.__get__(self).get(name), FunctionType)):
            super().__setattr__(name, value)

    def __reduce__(self):
        """Pickle a reference, for tools that pickle functions together with the modules that they use."""
        return import_module, (self.__name__,)


Namespace.__name__ = Namespace.__qualname__ = "module"  # messages about torch show this type


class NamedLoader(SourceFileLoader):
    """Executes a file of tensh as a module of torch."""

    def create_module(self, spec):
        self.own = spec.name
        self.name = name_in_torch(spec.name)  # the module name of functions and classes defined there
        return ModuleType(self.name)

    def exec_module(self, module):
        super().exec_module(module)
        show_names(module, self.own.replace("tensh", "torch", 1))
        if self.name == module.__name__:  # not a part of a file of PyTorch
            register(module, self.name)


class CompletedLoader(SourceFileLoader):
    """Executes a file that keeps its name, such as one of layers, which has in PyTorch names of other files, too."""

    def exec_module(self, module):
        super().exec_module(module)
        register_kept(module)


def register_kept(module):
    """Give the classes of a file the module name that PyTorch has for them, and make the file importable by that name."""
    path, values = module.__name__.replace("tensh", "torch", 1), list(DICT.__get__(module).values())
    complete(module, path)
    if is_in_pytorch(path):
        module.__name__ = path
    for named in {each.__module__ for each in values if isinstance(each, type)}:
        if named == path:
            register(module, path)
        elif named.startswith("torch.") and "torch" in sys.modules:  # the program has imported it
            import_module(named)


def is_in_pytorch(path):
    """Return True for the path of a module of layers that PyTorch has, too, not of one with parts of tensh's layers."""
    return path in OF_LAYERS or path.rpartition(".")[0] != "torch.nn.modules" and not path.startswith("torch.utils.")


OF_LAYERS = frozenset(
    f"torch.nn.modules.{name}"
    for name in """_functions activation adaptive batchnorm channelshuffle container conv distance dropout flatten fold instancenorm lazy
    linear linear_cross_entropy_options loss module normalization padding pixelshuffle pooling rnn sparse transformer upsampling
    utils""".split()
)
"""The modules of layers in PyTorch."""


def register(module, path):
    """Let ``sys.modules`` have a module under the name that its classes give.

    Python's pickle imports such a name; tools that pickle classes by value unless they find them only look there.
    """
    sys.modules.setdefault(path, module)


def show_names(module, name):
    """Give a module another name, and let it list all its names when its dictionary is requested."""
    module.__name__ = name
    if (spec := module.__spec__) and spec.name != name:  # its location
        module.__spec__ = ModuleSpec(name, spec.loader, origin=spec.origin)
        module.__spec__.submodule_search_locations = spec.submodule_search_locations
        module.__spec__.has_location = spec.has_location
    complete(module, name)
    if type(module) is ModuleType and "__getattr__" in DICT.__get__(module) and "__dir__" in DICT.__get__(module):
        module.__class__ = Namespace


def keep_function(path):
    """Keep a function that has the name of a submodule of its package, such as ``torch.autograd.gradcheck``.

    The import system is about to replace it by the module.
    """
    package, _, name = path.rpartition(".")
    # none for a module of another package, such as functorch, that tensh has elsewhere
    parent = sys.modules.get(package)
    found = getattr(parent, name, None)  # adds it to the dictionary
    if type(parent) is ModuleType and isinstance(found, FunctionType):
        parent.__class__ = Namespace


def rename_parts(to):
    """Rename the loaded parts of tensh that PyTorch has, and their definitions, to ``to``: torch or tensh."""
    for own in [each for each in sys.modules if each.startswith(KEPT)]:
        if to == "torch":
            register_kept(sys.modules[own])
        else:
            sys.modules[own].__name__ = own
    for own, module in parts():
        name = to + own.removeprefix("tensh")
        if name == name_in_torch(own):
            register(module, name)
        if module.__name__ == name:
            complete(module, name)  # one that is switched off, which has this name from the beginning
            continue
        show_names(module, name)
        names = own, name_in_torch(own)
        rename_definitions(DICT.__get__(module), *(names if to == "torch" else reversed(names)))


def rename_definitions(names, before, after):
    """Rename the module of the functions, classes and methods that the module with these names defines."""
    for value in [*names.values()]:
        if not (isinstance(value, (FunctionType, type)) and is_named(value, before) and is_defined_by(value, names)):
            continue
        value.__module__ = after
        for method in vars(value).values() if isinstance(value, type) else ():
            if isinstance(method, FunctionType) and is_named(method, before):
                method.__module__ = after


def is_named(value, module):
    """Return True for a function or class whose module name comes from its file.

    That name is the same string object; a class that declares a name has another.

    ``name_in_torch`` returns the same text every time, and a module gives it to all that it defines.
    """
    given = value.__module__
    return given is module if module.startswith("torch") else given == module


def is_defined_by(value, names):
    """Return True for a function or class of the module with these names, not of another one named after torch."""
    if isinstance(value, FunctionType):
        return value.__globals__ is names
    methods = [each for each in vars(value).values() if isinstance(each, FunctionType)]
    return not methods or any(each.__globals__ is names for each in methods)


@cache
def make_torch():
    """Make the module `torch`, with those of PyTorch's names that tensh has."""
    import tensh

    torch = Namespace("torch", tensh.__doc__)

    def __getattr__(name):
        if name == "__all__":
            return [each for each in __dir__() if each[0] != "_"]
        if name in OWN or name in (
            "install",
            "load_ipython_extension",
            "unload_ipython_extension",
            "SUBMODULES",
            "ELSEWHERE",
            "VERSION",
        ):
            raise AttributeError(f"module 'torch' has no attribute '{name}'")
        value = import_module(f"torch.{name}") if f"torch.{name}" in LOADED else getattr(tensh, name)
        if isinstance(value, ModuleType):
            complete(value, f"torch.{name}")
        kept = name[0] == "_" or name in DICT.__get__(tensh) or f"torch.{name}" in LOADED  # others follow a setting
        if kept and not (isinstance(value, ModuleType) and value.__name__ == "importlib"):
            setattr(torch, name, value)
        return value

    def __dir__():
        return [name for name in dir(tensh) if name not in OWN and name != "install"]

    vars_of = DICT.__get__(torch)
    vars_of.update(
        __getattr__=__getattr__, __dir__=__dir__, __file__=tensh.__file__, __path__=tensh.__path__, torch=torch,
        __package__="torch",
    )  # fmt: skip
    return torch
