"""`import torch` inside a session gives tensh, and `import safetensors` the reader and writer that know its tensors.

Installed by the command line only: a program that says `import tensh` sees nothing of it, and no package named torch
is ever on the disk.  The package `safetensors` works on PyTorch's storages, so ours answers also where it is installed.
"""

import contextlib
import importlib
import importlib.machinery
import importlib.util
import sys

NAME = "torch"
MEANT = {
    NAME: "tensh",
    "safetensors": "tensh.utils.safetensors",
}  # the modules that programs ask for, and what they get
PRIVATE = ("torch.cli", "torch.engine", "torch.__main__")  # parts of tensh that PyTorch has no counterpart of


class Finder:
    """Finds `torch` and `torch.x.y` as the modules `tensh` and `tensh.x.y`, under both names one object; so `safetensors`."""

    def __init__(self, noticed=None):
        self.noticed = noticed  # called once, when the user's code imports torch

    def __reduce__(self):
        return Finder, ()  # at work in another process, it tells nobody

    def find_spec(self, name, path=None, target=None):
        package = name.partition(".")[0]
        if package not in MEANT:
            return None
        engine_name = MEANT[package] + name[len(package) :]
        if name.startswith(PRIVATE) or not _exists(engine_name):
            # No other finder is asked: it would look into the folder of tensh and load its files a second time.
            from tensh.engine.methods.unsupported import unsupported_module

            raise unsupported_module(name)
        if self.noticed and package == NAME:
            self.noticed()
            self.noticed = None
        return importlib.machinery.ModuleSpec(name, Loader(engine_name))


class Loader:
    """Gives a module of tensh under another name."""

    def __init__(self, engine_name):
        self.engine_name = engine_name

    def create_module(self, spec):
        module = importlib.import_module(self.engine_name)
        self.spec = getattr(module, "__spec__", None)
        return module

    def exec_module(self, module):
        module.__spec__ = self.spec  # the import system has put in that of the other name


def _exists(name):
    if name in sys.modules:
        return sys.modules[name] is not None
    try:
        return importlib.util.find_spec(name) is not None
    except (ModuleNotFoundError, ValueError):
        return False


@contextlib.contextmanager
def torch_is_tensh(noticed=None):
    """While this lasts, `import torch` gives tensh, even where PyTorch is installed or was imported."""
    finder = Finder(noticed)
    aside = {name: sys.modules.pop(name) for name in _torch_modules()}
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in _torch_modules():
            del sys.modules[name]
        sys.modules.update(aside)


def _torch_modules():
    return [name for name in sys.modules if name.partition(".")[0] in MEANT]
