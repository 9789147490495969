"""Record the names of namespaces that tensh answers as switched off:  python tools/switched_off.py [--check]

Writes ``tensh/switched_off/names.txt``; needs PyTorch. The file lists for each module its functions (``name()``), classes
(``Name``), modules (``Name~``), exceptions (``Name!``) and plain values (``name=None``).
"""

import contextlib
import importlib
import io
import os
import pkgutil
import re
import sys
import textwrap
import types
import warnings

from generated import ROOT, update_files

FILE = ROOT / "tensh" / "switched_off" / "names.txt"
ROOTS = {
    "_dynamo": 1, "_export": 0, "_functorch": 1, "_inductor": 1, "ao": 0, "ao.nn": 1, "ao.quantization": 1, "compiler": 1,
    "distributed": 3, "export": 1, "futures": 0, "fx": 1, "fx.experimental": 1, "fx.passes": 1, "jit": 1,
    "monitor": 0, "mps": 1, "mtia": 1, "nn.attention": 1, "nn.intrinsic": 1, "nn.parallel": 1, "nn.qat": 1, "nn.quantizable": 1,
    "nn.quantized": 1, "onnx": 1, "package": 1, "quantization": 1, "xpu": 1,
}  # fmt: skip
"""Namespace -> the number of levels below it to record."""
LEFT_OUT = re.compile(
    r"torch\.(_dynamo\.(repro|variables|polyfills|backends)|distributed\.(elastic\.(?!multiprocessing)|flight_recorder|"
    r"launcher|benchmarks|examples|argparse)|_inductor\.(?!config|utils)|_functorch\.(?!config)|.*(_test|testing|internal))"
)
UNIQUE, NONE = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "00000000-0000-0000-0000-000000000000"
"""An identifier that every process draws anew, and the one that stands for all of them."""
OLD = ("torch.quantization.", "torch.nn.intrinsic.", "torch.nn.qat.", "torch.nn.quantizable.", "torch.nn.quantized.")
"""Modules that define nothing, and pass on the names of ``torch.ao``."""
PLAIN = re.compile(r"None|True|False|-?[\d.e-]+|'[\w.-]*'")
NEEDED = {"PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "SYSTEMROOT"}
"""The environment variables to keep: PyTorch reads the defaults of its settings from others, such as CI."""


def rows(path):
    """Return the entries of one module; None if it cannot be imported."""
    try:
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            module = importlib.import_module(path)
    except Exception:  # it needs a library that is not installed
        return None, ()
    known = vars(module) | settings_of(module)
    found = [entry(path, name, value, module) for name, value in sorted(known.items())]
    private = path.startswith("torch.distributed")  # libraries ask for the files of its packages
    names = [m.name for m in pkgutil.iter_modules(getattr(module, "__path__", ()))]
    below = [name for name in names if private or name[0] != "_"]
    return [each for each in found if each], below


def settings_of(module):
    """Return the settings of a module of settings, such as ``torch._inductor.config``, which are not in its dictionary."""
    settings = vars(module).get("_config")
    if not isinstance(settings, dict):
        return {}
    return {name: value.default for name, value in settings.items() if "." not in name and hasattr(value, "default")}


def entry(path, name, value, module):
    """Return the entry of a name in a module; None for names that the module has imported for its own use."""
    if name.startswith("__") or isinstance(value, types.ModuleType):
        return None
    listed, home = name in getattr(module, "__all__", ()), getattr(value, "__module__", None)
    if isinstance(value, type) and issubclass(value, BaseException):
        return f"{name}!" if listed or str(home).startswith("torch") else None
    if callable(value):
        parts = (path, "torch._C.")  # parts of a package: its files and what is compiled for it
        moved = path.startswith(OLD) and str(home).startswith(path.replace("torch.", "torch.ao.", 1))
        own = listed or home == path or moved or (hasattr(module, "__path__") and str(home).startswith(parts))
        if not own or name[0] == "_" and not (path.startswith("torch.distributed") and home == path):
            return None
        if isinstance(value, type):
            return f"{name}~" if issubclass(value, sys.modules["torch.nn"].Module) else name
        return f"{name}()"
    if name[0] == "_" or name == "TYPE_CHECKING":
        return None
    return f"{name}={UNIQUE.sub(NONE, repr(value))}" if PLAIN.fullmatch(repr(value)) else None


def walk(path, depth):
    """Yield the paragraphs of a namespace and those below it."""
    found, below = rows(path)
    if found is None:
        return
    yield f"{path}\n" + textwrap.indent(textwrap.fill(" ".join(found), 118, break_on_hyphens=False), "  ")
    for name in below if depth else ():
        if not LEFT_OUT.match(f"{path}.{name}"):
            yield from walk(f"{path}.{name}", depth - 1)


def make_files():
    """Yield the file and its text."""
    for name in os.environ.keys() - NEEDED:
        del os.environ[name]
    import torch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = [part for root, depth in sorted(ROOTS.items()) for part in walk(f"torch.{root}", depth)]
    head = f"Names of PyTorch {torch.__version__.partition('+')[0]} that are switched off, written by tools/switched_off.py"
    yield FILE, "\n\n".join([head, *dict.fromkeys(parts)]) + "\n"


if __name__ == "__main__":
    sys.exit(update_files(__doc__, make_files))
