"""`import torch` as tensh: in this program, in its child processes, in a command, or in a virtual environment.

>>> import tensh.alias
>>> with tensh.alias.torch_is_tensh():
...     import torch
...     torch.__name__, torch.nn.__name__, torch.tensor([1., 2.])
('torch', 'torch.nn', tensor([1., 2.]))
"""

import contextlib
import os
import sys

from tensh.alias.finder import MEANT, Finder
from tensh.alias.parts import is_part

# in processes with this folder in PYTHONPATH, its sitecustomize.py calls install
SITE = os.path.join(os.path.dirname(__file__), "site")


def install(children=True, safetensors=True):
    """Make `import torch` import tensh from now on, even if PyTorch is installed.

    With ``children``, child processes import tensh, too.  With ``safetensors=False`` the package safetensors stays
    unchanged; otherwise tensh's reader and writer of such files replace it.  Raise RuntimeError if PyTorch has been
    imported already.

    >>> import tensh
    >>> tensh.install()  # doctest: +SKIP
    >>> import torch  # doctest: +SKIP
    """
    if is_installed():
        return
    if is_pytorch_loaded():
        raise RuntimeError("PyTorch has been imported already: call tensh.install() before anything imports torch")
    sys.meta_path.insert(0, Finder(meant=MEANT if safetensors else {"torch": "tensh"}))
    _rename_parts("torch")
    if children:
        os.environ |= environment(os.environ, safetensors)


def is_installed():
    """Return True if `import torch` imports tensh."""
    return any(isinstance(each, Finder) for each in sys.meta_path)


def come_first():
    """Find modules before other finders, which would load tensh's own under their names in tensh, as pytest's does."""
    sys.meta_path.sort(key=lambda each: not isinstance(each, Finder))


def environment(variables, safetensors=True):
    """Return the environment variables of a process that imports tensh as torch, from those that it would have."""
    others = [path for path in variables.get("PYTHONPATH", "").split(os.pathsep) if path and path != SITE]
    kept = {} if safetensors else {"TENSH_KEEP_SAFETENSORS": "1"}
    return {"PYTHONPATH": os.pathsep.join([SITE, *others])} | kept


@contextlib.contextmanager
def torch_is_tensh(noticed=None, children=False):
    """Make `import torch` import tensh within the context, even if PyTorch is installed or was imported."""
    finder, before = Finder(noticed), os.environ.get("PYTHONPATH")
    aside = {name: sys.modules.pop(name) for name in _torch_modules()}
    sys.meta_path.insert(0, finder)
    _rename_parts("torch")
    if children:
        os.environ |= environment(os.environ)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        if not is_installed():  # an enclosing context may have installed it
            _rename_parts("tensh")
        for name in _torch_modules():
            del sys.modules[name]
        sys.modules.update(aside)
        if children and before is None:
            os.environ.pop("PYTHONPATH", None)
        elif children:
            os.environ["PYTHONPATH"] = before


def _rename_parts(to):
    if any(map(is_part, sys.modules)):
        from tensh.alias.modules import rename_parts  # not loaded by programs that use only the engine

        rename_parts(to)


def _torch_modules():
    return [name for name in sys.modules if name.partition(".")[0] in MEANT]


def is_pytorch_loaded():
    """Return True if a module torch other than tensh has been imported."""
    file = getattr(sys.modules.get("torch"), "__file__", None) or ""
    return "torch" in sys.modules and not file.startswith(os.path.dirname(os.path.dirname(__file__)))
