"""Record where PyTorch keeps names that tensh has in another module:  python tools/places.py [--check]

Writes ``tensh/alias/places.txt``; needs PyTorch. For each module of PyTorch, the file lists names that tensh has not in
that module but in a package above it, or in another public namespace, which follows the path of the module.
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

FILE = ROOT / "tensh" / "alias" / "places.txt"
ROOTS = """torch._VF torch._functorch torch._linalg_utils torch._lobpcg torch._lowrank torch._ops torch._tensor torch._tensor_str
torch._vmap_internals torch.amp torch.autograd torch.cpu torch.cuda torch.distributions torch.masked torch.profiler torch.func torch.functional torch.multiprocessing torch.nn torch.optim torch.random
torch.serialization torch.signal torch.special torch.storage torch.testing torch.torch_version torch.types torch.utils""".split()
HOMES = """torch torch.func torch.library torch.nn.functional torch.nn.utils torch.nn.utils.stateless torch.utils.data torch.amp
torch.cuda.amp torch.cpu.amp torch.masked torch.profiler torch.optim torch.optim._functional torch.autograd""".split()
"""Namespaces that are searched after those above a module."""
LEFT_OUT = (
    "tensorboard",
    "_internal",
    "parallel",
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


def found_in(space, name):
    """Return True if tensh has a name in a namespace of PyTorch."""
    try:
        value = getattr(importlib.import_module(space.replace("torch", "tensh", 1)), name)
    except (ImportError, AttributeError, NotImplementedError):
        return False
    return not isinstance(value, types.ModuleType)


def record():
    """Return (path, namespace) -> the names of the module that tensh has in that namespace."""
    found = defaultdict(list)
    for each in HOMES:
        importlib.import_module(each)
    for path, module in (each for root in ROOTS for each in modules(root)):
        parents = [path.rsplit(".", n)[0] for n in range(1, path.count(".") + 1)]
        for name, value in own_names(path, module):
            same = [
                each
                for each in (*parents, *HOMES)
                if getattr(sys.modules.get(each), name, None) is value and found_in(each, name)
            ]
            if same and not found_in(path, name):
                found[path, same[0]].append(name)
    return found


def make_files():
    """Yield the file and its text."""
    import torch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        places = record()
    head = f"Where PyTorch {torch.__version__.partition('+')[0]} keeps names that tensh has elsewhere, written by tools/places.py"
    paragraphs = [
        f"{path} {space}\n" + textwrap.indent(textwrap.fill(" ".join(sorted(names)), 118), "  ")
        for (path, space), names in sorted(places.items())
    ]
    yield FILE, "\n\n".join([head, *paragraphs]) + "\n"


if __name__ == "__main__":
    sys.exit(update_files(__doc__, make_files))
