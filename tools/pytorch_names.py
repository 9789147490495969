"""Record the public names of PyTorch:  python tools/pytorch_names.py [--check]

Writes ``tensh/engine/methods/unsupported/names.txt``, the names in each public namespace of PyTorch, which must be
installed. From it tensh tells names that only tensh lacks from names that PyTorch lacks, too. ``--check`` writes
nothing and exits with 1 if the file is out of date.
"""

import importlib
import pkgutil
import sys
import textwrap
import types
import warnings

from generated import ROOT, update_files

FILE = ROOT / "tensh" / "engine" / "methods" / "unsupported" / "names.txt"
NAMESPACES = """
    torch torch.Tensor torch.Size torch.Generator torch.autograd torch.autograd.forward_ad torch.autograd.function
    torch.autograd.functional torch.autograd.grad_mode torch.autograd.graph torch.backends torch.cuda
    torch.distributions torch.fft torch.func torch.linalg torch.nn
    torch.nn.functional torch.nn.init torch.nn.parameter torch.nn.utils torch.nn.utils.parametrizations
    torch.nn.utils.parametrize torch.nn.utils.prune torch.nn.utils.rnn torch.optim torch.optim.lr_scheduler
    torch.optim.swa_utils torch.overrides torch.quasirandom torch.random torch.return_types torch.serialization torch.signal
    torch.signal.windows torch.special torch.testing torch.types torch.utils torch.utils.checkpoint torch.utils.data
    torch.version
""".split()
STRAY = {"Tensor", "common_args", "has_torch_function_unary", "has_torch_function_variadic"}
"""Names that modules import for their own use, but list."""
HEAD = "The public names of PyTorch {}, written by tools/pytorch_names.py\n"


def public(path):
    """Return the public names of a namespace: for a module, its own names and its submodules."""
    try:
        space = importlib.import_module(path)
    except ModuleNotFoundError:
        parent, _, name = path.rpartition(".")
        space = getattr(importlib.import_module(parent), name)
    names = {name for name in dir(space) if not name.startswith("_")} - {"TYPE_CHECKING"}
    if isinstance(space, type):
        return sorted(names)
    if path != "torch":
        names -= STRAY
    listed = None if path == "torch" else getattr(space, "__all__", None)  # torch.__all__ leaves its submodules out
    own = {name for name in names if belongs(path, name, getattr(space, name), listed)}
    unread = {module.name for module in pkgutil.iter_modules(getattr(space, "__path__", ())) if module.name[0] != "_"}
    return sorted(own | unread)


def belongs(path, name, value, listed):
    """Return True for a name that a module defines rather than imports."""
    if isinstance(value, types.ModuleType):
        return value.__name__ == f"{path}.{name}"
    if listed is not None:
        return name in listed or (isinstance(value, types.BuiltinFunctionType) and value.__name__.startswith(path[6:]))
    home = getattr(value, "__module__", None)
    if path == "torch":
        return not isinstance(home, str) or home.startswith("torch")
    if not callable(value):
        return path == "torch.version"  # elsewhere not public
    return isinstance(value, types.BuiltinFunctionType) or home.startswith(path)


def make_files():
    """Yield the file and its text."""
    import torch

    parts = [HEAD.format(torch.__version__.partition("+")[0])]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some names are deprecated
        for path in NAMESPACES:
            words = textwrap.fill(" ".join(public(path)), 118, break_on_hyphens=False)
            parts.append(f"{path}\n{textwrap.indent(words, '  ')}\n")
    yield FILE, "\n".join(parts)


if __name__ == "__main__":
    sys.exit(update_files(__doc__, make_files))
