"""Record where PyTorch keeps names that tensh has in another module:  python tools/places.py [--check]

Writes ``tensh/alias/places.txt`` and ``tensh/alias/imported.txt``; needs PyTorch. For each module of PyTorch, the first
lists names that tensh has not in that module but in a package above it, or in another namespace. The second lists those
that the module only imports, from PyTorch or Python's library.
"""

import importlib
import inspect
import pkgutil
import sys
import textwrap
import types
import warnings
from collections import defaultdict

from generated import ROOT, update_files

from tensh.alias.places import table

FOLDER = ROOT / "tensh" / "alias"
ROOTS = """
    torch._VF torch._functorch torch._guards torch._jit_internal torch._linalg_utils torch._lobpcg torch._lowrank
    torch._ops torch._tensor torch._tensor_str torch._utils torch._vmap_internals torch.amp torch.autograd
    torch.backends torch.compiler torch.cpu torch.cuda torch.distributed torch.distributions torch.export
    torch.func torch.functional torch.futures torch.fx torch.hub torch.jit torch.library torch.linalg torch.masked
    torch.multiprocessing torch.nested torch.nn torch.optim torch.overrides torch.package torch.profiler
    torch.quasirandom torch.random torch.return_types torch.serialization torch.signal torch.sparse torch.special
    torch.storage torch.testing torch.torch_version torch.types torch.utils
""".split()
HOMES = """torch torch.func torch.library torch.nn.functional torch.nn.utils torch.nn.utils.stateless torch.utils.data torch.amp
torch.cuda.amp torch.cpu.amp torch.masked torch.profiler torch.optim torch.optim._functional torch.autograd
torch.overrides torch.optim.optimizer torch.nn.attention torch.utils._pytree torch.distributed torch.distributed.algorithms.join""".split()
"""Namespaces that are searched after those above a module."""
LIBRARY = """abc collections collections.abc concurrent.futures contextlib copy dataclasses enum functools inspect itertools
math numbers operator pathlib types weakref typing""".split()
"""Modules of Python's library that are searched for names that PyTorch imports, by identity."""
LEFT_OUT = (
    "tensorboard",
    "_internal",
    "quantiz",
    "intrinsic",
    "qat",
    "benchmark.",
    "datapipes",
    "viz",
    "pytree_hacks",
    "__main__",
)


def modules(path):
    """Yield (path, module) of a module of PyTorch and of those below it."""
    try:
        module = importlib.import_module(path)
    except Exception:  # it needs a library that is not installed
        return
    yield path, module
    for each in pkgutil.iter_modules(getattr(module, "__path__", ())):
        if not any(word in f"{path}.{each.name}" for word in LEFT_OUT):
            yield from modules(f"{path}.{each.name}")


def own_names(path, module):
    """Yield (name, value) of the classes and functions that a module of PyTorch defines or lists."""
    for name, value in vars(module).items():
        listed = name in getattr(module, "__all__", ())
        if isinstance(value, types.ModuleType) or not callable(value) or name.startswith("__"):
            continue
        inner = inspect.unwrap(value)  # a name that is public elsewhere has that module
        is_function = isinstance(inner, types.FunctionType) and inner.__code__.co_filename == module.__file__
        is_here = getattr(value, "__module__", None) == path or is_function
        if listed or name[0] != "_" and is_here:
            yield name, value


def imported_names(path, module):
    """Yield (name, value) of the public classes, functions and types that a module of PyTorch only imports."""
    if not is_module(path):
        return
    own = {name for name, _ in own_names(path, module)}
    for name, value in vars(module).items():
        if (
            name not in own
            and name[0] != "_"
            and not isinstance(value, (types.ModuleType, types.NoneType, int, float, str))
        ):
            yield name, value


def found_in(space, name):
    """Return True if tensh has a name in a namespace of PyTorch."""
    try:
        value = getattr(importlib.import_module(space.replace("torch", "tensh", 1)), name)
    except (ImportError, AttributeError, NotImplementedError):
        return False
    return not isinstance(value, types.ModuleType)


def is_module(path):
    """Return True if tensh has a module of PyTorch, or makes it from names that it has elsewhere."""
    if path in table():
        return True
    try:
        importlib.import_module(path.replace("torch", "tensh", 1))
    except (ImportError, NotImplementedError):
        return False
    return True


def record(names_of):
    """Return path of a module -> {namespace: those of the module's names that tensh has there}."""
    found = defaultdict(lambda: defaultdict(list))
    for each in (*HOMES, *LIBRARY):
        importlib.import_module(each)
    for path, module in (each for root in ROOTS for each in modules(root)):
        parents = [path.rsplit(".", n)[0] for n in range(1, path.count(".") + 1)]
        for name, value in names_of(path, module):
            spaces = *LIBRARY, *parents, *HOMES, getattr(value, "__module__", None)
            same = (each for each in spaces if is_in(each, name, value) and (each in LIBRARY or found_in(each, name)))
            if (space := next(same, None)) and not found_in(path, name):
                found[path][space].append(name)
    return found


def is_in(space, name, value):
    """Return True if a value has a name in a module of PyTorch, or a public one in a module of Python's library."""
    module = sys.modules.get(space)
    known = name in getattr(module, "__all__", dir(module)) if space in LIBRARY else str(space).startswith("torch")
    return known and getattr(module, name, None) is value


def make_files():
    """Yield each file and its text."""
    import torch

    version = torch.__version__.partition("+")[0]
    for file, subject, names_of in (
        ("places.txt", f"Where PyTorch {version} keeps names that tensh has elsewhere", own_names),
        ("imported.txt", f"Names that modules of PyTorch {version} import", imported_names),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            places = record(names_of)
        paragraphs = [
            "\n".join([path, *map(write_line, *zip(*sorted(places[path].items())))]) for path in sorted(places)
        ]
        yield FOLDER / file, "\n\n".join([f"{subject}, written by tools/places.py", *paragraphs]) + "\n"


def write_line(space, names):
    """Return the lines of a namespace: its path and sorted names."""
    return textwrap.fill(
        f"{space}: {' '.join(sorted(names))}",
        118,
        initial_indent="  ",
        subsequent_indent="    ",
        break_on_hyphens=False,
    )


if __name__ == "__main__":
    sys.exit(update_files(__doc__, make_files))
