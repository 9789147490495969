"""The finder of `torch` and `torch.x.y`: the modules `tensh` and `tensh.x.y`, named `torch.x.y`.

`torch` is a separate module with names from `tensh`, so that tensh's own names are not visible there; the modules below
are the same objects under both names.
"""

import importlib
import importlib.machinery
import importlib.util
import sys

from tensh.alias.parts import KEPT, NAME, OWN, ROOT

# requested modules and their replacements
MEANT = {
    NAME: "tensh",
    "functorch": "tensh.functorch",
    "safetensors": "tensh.utils.safetensors",
}


class Finder:
    """Finds `torch` and `torch.x.y` as tensh's modules, and the package torch for ``importlib.metadata``."""

    def __init__(self, noticed=None, meant=MEANT):
        self.noticed = noticed  # called once, when the user's code imports torch
        self.meant = meant

    def __reduce__(self):
        return Finder, (None, self.meant)  # in a child process it reports nothing

    def find_spec(self, name, path=None, target=None):
        package, _, rest = name.partition(".")
        if package == "tensh" and rest:
            return self.find_part(name, path, target)
        if package not in self.meant:
            return None
        engine_name = self.meant[package] + name[len(package) :]
        if name.partition(".")[0] == NAME and rest.partition(".")[0] in OWN or not _exists(engine_name):
            # No other finder is called, because it would find the folder of tensh and load its files a second time.
            from tensh.engine.methods.unsupported import unsupported_module

            raise unsupported_module(name)
        if self.noticed and package == NAME and not is_own(find_importing_frame()):
            self.noticed()
            self.noticed = None
        return _spec(name, engine_name)

    def find_part(self, name, path, target):
        """Return the spec of a part of tensh that PyTorch also has, whose contents are named after torch."""
        if name.split(".", 2)[1] in OWN:
            return None
        if sys.modules.get(NAME) is sys.modules["tensh"]:  # placed there by a program
            sys.modules[NAME] = load_torch()
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            from tensh.alias.modules import CompletedLoader, NamedLoader

            loader = CompletedLoader if name.startswith(KEPT) else NamedLoader
            spec.loader = loader(spec.loader.name, spec.loader.path)
        return spec

    def find_distributions(self, context):
        """Yield the package torch, for ``importlib.metadata``."""
        if context.name in (NAME, None):
            from tensh.alias.metadata import TorchDistribution

            yield TorchDistribution()


def find_importing_frame():
    """Return the frame of the importing code, or None; that of ``importlib.import_module`` is its caller's."""
    frame = sys._getframe(2)
    while frame and frame.f_code.co_filename.startswith(("<frozen importlib", importlib.__file__)):
        frame = frame.f_back
    return frame


def is_own(frame):
    """Return True if a frame runs tensh's code."""
    return frame is not None and frame.f_code.co_filename.startswith(ROOT)


class Loader:
    """Loads a module of tensh under another name."""

    def __init__(self, engine_name):
        self.engine_name = engine_name

    def create_module(self, spec):
        if self.engine_name == "tensh":
            return load_torch()
        from tensh.alias import places
        from tensh.switched_off import load

        path = self.engine_name.replace("tensh", NAME, 1)
        module = load(self.engine_name) if _has(self.engine_name) else places.make_module(path)
        places.complete(module, path)
        self.spec = module.__spec__
        return module

    def exec_module(self, module):
        if self.engine_name == "tensh":
            return
        from tensh.alias.modules import keep_function, show_names

        path = self.engine_name.replace("tensh", NAME, 1)
        module.__spec__ = self.spec  # the spec that the import system set belongs to the other name
        keep_function(path)
        if not self.engine_name.startswith(KEPT):
            show_names(module, path)


def _spec(name, engine_name):
    """Return a spec under the requested name, with the location of the actual module."""
    spec = importlib.machinery.ModuleSpec(name, Loader(engine_name))
    if found := getattr(sys.modules.get(engine_name), "__spec__", None):
        spec.origin, spec.submodule_search_locations = found.origin, found.submodule_search_locations
    return spec


def load_torch():
    """Return the module `torch`, made on first use."""
    from tensh.alias.modules import make_torch

    torch = make_torch()
    torch.__spec__ = torch.__spec__ or _spec(NAME, "tensh")
    return torch


def _exists(name):
    """Return True if there is a module of this name, a switched-off one, or one with names that tensh has elsewhere."""
    from tensh.alias.places import table

    return _has(name) or name.replace("tensh", NAME, 1) in table()


def _has(name):
    """Return True if tensh has a module of this name, or a switched-off one."""
    if name in sys.modules:
        return sys.modules[name] is not None
    try:
        if importlib.util.find_spec(name) is not None:
            return True
    except (ModuleNotFoundError, ValueError, AttributeError):
        pass
    from tensh.switched_off import is_space

    return is_space(name.replace("tensh", NAME, 1))
