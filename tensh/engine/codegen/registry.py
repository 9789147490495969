"""Registries of declarations, whose modules are imported at the first look-up.

Note [Reading late]
Importing every module with declarations takes as long as importing NumPy, and a program uses only a few.
``index.txt``, written by ``tools/index.py``, lists the modules that declare a name.  A look-up of a missing name imports
these; iteration imports all.  The index decides only when a module is imported: a name that it lacks is looked for in
all modules before the look-up fails, and a test compares the index with the declarations.
"""

import os
import sys
from importlib import import_module

from tensh.engine.arrays.uninterrupted import Uninterrupted, without_interrupts

OTHERS = ("unsupported", "vmap", "arguments")  # packages of the engine without declarations
HANGING: set = set()  # names attached to Tensor: methods and properties
PLACES: dict = {}  # name -> the modules that declare it, until they are read
with open(os.path.join(os.path.dirname(__file__), "index.txt"), encoding="utf-8") as _file:
    for _module, *_names in map(str.split, _file):
        for _name in _names:
            if _name[0] == ".":
                _name = _name[1:]
                HANGING.add(_name)
            PLACES.setdefault(_name, []).append(_module)
REGISTRIES: list = []
complete = False  # True when all modules have been imported


def read(name):
    """Import the modules that declare ``name`` according to the index.

    ^C waits: a module that was imported half way would declare its first words again, which is refused.
    """
    with Uninterrupted():
        for module in PLACES.get(name, ()):
            import_module(f"tensh.engine.{module}")  # waits for a thread that is importing it
    PLACES.pop(name, None)


def modules(package):
    """The names of the modules below a package; folders first, because aliases.py names their functions again."""
    import pkgutil  # takes 1 ms at the start of every program

    for found in sorted(
        pkgutil.iter_modules(import_module(package).__path__, f"{package}."), key=lambda m: not m.ispkg
    ):
        if not found.ispkg:
            yield found.name
        elif found.name.rpartition(".")[2] not in OTHERS:
            yield from modules(found.name)


def is_being_read(module):
    """Return True while a module is being imported, when it may still lack a name."""
    return getattr(getattr(sys.modules.get(module), "__spec__", None), "_initializing", False)


@without_interrupts
def read_all(within=False):
    """Import every module with declarations; ``within`` an import, skip those that need a module in progress."""
    global complete
    if complete:
        return
    for module in modules("tensh.engine"):
        try:
            import_module(module)
        except ImportError as error:
            if not (within and is_being_read(error.name)):
                raise
    complete = not within


class Registry(dict):
    """Name -> declaration; ``kind`` is the registry's name in the index."""

    def __init__(self, kind):
        self.kind = kind
        REGISTRIES.append(self)

    def __missing__(self, name):
        read(name)
        if not dict.__contains__(self, name):
            read_all(within=True)
        if dict.__contains__(self, name):
            return dict.__getitem__(self, name)
        raise KeyError(name)

    def __contains__(self, name):
        if dict.__contains__(self, name):
            return True
        read(name)
        return dict.__contains__(self, name)

    def get(self, name, default=None):
        return self[name] if name in self else default  # noqa: SIM401  this is what ``get`` is

    def __iter__(self):
        read_all()
        return dict.__iter__(self)

    def __len__(self):
        read_all()
        return dict.__len__(self)

    def keys(self):
        read_all()
        return dict.keys(self)

    def values(self):
        read_all()
        return dict.values(self)

    def items(self):
        read_all()
        return dict.items(self)

    def __or__(self, other):
        return dict(self.items()) | other


PUBLIC = Registry("PUBLIC")  # the torch namespace: name -> Op, function, class or constant
METHODS = Registry("METHODS")  # name of a method -> Op or function; "exp_" -> the operator whose in-place form it is
MEMBERS = Registry("MEMBERS")  # attributes of Tensor that are not wrapped: properties, special methods
PYTHON_ONLY = Registry("PYTHON_ONLY")  # functions of Python's operators without a method, as 1 / x: "rdiv" -> function
FORMS = Registry("FORMS")
"""The functions for calls of a method with one argument that is not a list of numbers.

``x.view(2, 3)`` itself then takes no extra step.
"""
