"""Isolation of programs that run one after another in one process: each starts in a fresh state."""

import contextlib
import importlib.util
import os
import random
import sys

from tensh.cli.programs.options import UsageError
from tensh.support.language import _


def require_engine(engine):
    """Raise UsageError if the engine is not installed."""
    if importlib.util.find_spec(engine) is None:
        raise UsageError(_("--engine torch: PyTorch is not installed here"))


@contextlib.contextmanager
def fresh_world(engine):
    """A context for a program: seed anew, and undo its process-wide changes at the end."""
    require_engine(engine)
    torch, numpy = importlib.import_module(engine), importlib.import_module("numpy")
    folder, variables, modules = os.path.curdir, dict(os.environ), {*sys.modules}
    with contextlib.suppress(OSError):  # the folder was deleted
        folder = os.getcwd()
    options, numbers = torch_options(torch), numpy.get_printoptions()
    for start in (torch.seed, numpy.random.seed, random.seed):
        start()
    try:
        yield
    finally:
        restore_torch(torch, options)
        numpy.set_printoptions(**numbers)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(variables)
        for name in own_modules(since=modules):
            del sys.modules[name]


def torch_options(torch):
    """Return the process-wide settings of an engine."""
    get_options = getattr(torch, "get_printoptions", None)  # PyTorch has no such function
    return torch.get_default_dtype(), torch.is_grad_enabled(), get_options and get_options()


def restore_torch(torch, options):
    dtype, grad, printing = options
    torch.set_default_dtype(dtype)
    torch.set_grad_enabled(grad)
    if printing:
        torch.set_printoptions(**printing)


def own_modules(since):
    """Return the names of user modules imported after ``since`` was taken."""
    return [name for name in {*sys.modules} - since if is_own(sys.modules[name])]


def is_own(module):
    """Return True if a module is the user's, not part of an installed package."""
    from tensh.cli.session.failures.failure import OURS

    folder = next(iter(getattr(module, "__path__", None) or ()), "")  # for a namespace package
    file = getattr(module, "__file__", None) or folder
    return bool(file) and not file.startswith((OURS, sys.prefix, sys.base_prefix)) and "site-packages" not in file
