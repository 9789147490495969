"""Dictionaries of what is declared, whose entries are read when they are first asked for.

Note [Reading late]
To read every module that declares something takes as long as to import NumPy, and a program uses a few of them.
``index.py``, which ``tools/index.py`` writes, says which modules declare a name.  A registry that is asked for a name it
does not have reads these; one that is asked what there is reads all.  The index decides only when a module is read: a
name that it does not know is looked for in all modules before it is missing, and a test holds it against what is declared.
"""

import pkgutil
import sys
from importlib import import_module

from tensh.engine.codegen.index import DECLARED

OTHERS = ("unsupported", "vmap", "arguments")  # the parts of the engine that declare nothing
HANGING: set = set()  # the names that hang on Tensor: methods and properties
PLACES: dict = {}  # name -> the modules that declare it, until they are read
for _module, _names in DECLARED.items():
    for _name in _names.split():
        if _name[0] == ".":
            _name = _name[1:]
            HANGING.add(_name)
        PLACES.setdefault(_name, []).append(_module)
REGISTRIES: list = []
complete = False  # has everything been read?


def read(name):
    """Read the modules that declare ``name``, as far as the index knows."""
    for module in PLACES.get(name, ()):
        import_module(f"tensh.engine.{module}")  # which waits for a thread that reads it
    PLACES.pop(name, None)


def modules(package):
    """The names of the modules below a package: those in folders first, which aliases.py gives other names."""
    for found in sorted(
        pkgutil.iter_modules(import_module(package).__path__, f"{package}."), key=lambda m: not m.ispkg
    ):
        if not found.ispkg:
            yield found.name
        elif found.name.rpartition(".")[2] not in OTHERS:
            yield from modules(found.name)


def is_being_read(module):
    """Whether the reading of a module has begun and not ended: it may lack what is asked of it."""
    return getattr(getattr(sys.modules.get(module), "__spec__", None), "_initializing", False)


def read_all(within=False):
    """Read every module that may declare something; ``within`` the reading of one, skip those that need a module being read."""
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
    """Name -> what is declared under it; ``kind`` says in the index what it holds."""

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
