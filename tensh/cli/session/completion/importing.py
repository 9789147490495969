"""Completion of modules to import, and of names to import from them."""

import os
import re
import sys

from tensh.cli.session.completion.matching import list_matching
from tensh.cli.session.static.known import Known
from tensh.cli.session.static.members import describe_members, names
from tensh.support.language import deferred

IMPORT = re.compile(r"\s*(?:import|from)\s+(?:[\w.]+\s*,\s*)*([\w.]*)\Z")
FROM = re.compile(r"\s*from\s+([\w.]+)\s+import\s+\(?(?:[\w ,\n]*,)?\s*(\w*)\Z")


def modules(text):
    """Yield (text, kind, description) for importable modules, completing the last part of a dotted name."""
    parent, dot, begin = text.rpartition(".")
    if not dot:
        known = {*sys.stdlib_module_names, *(name.partition(".")[0] for name in sys.modules), "torch", "tensh", "numpy"}
        yield from (
            (name, deferred("module"), "")
            for name in sorted(known)
            if name.startswith(begin) and not name.startswith("_")
        )
        return
    for name in sorted(submodules(parent)):
        if name.startswith(begin):
            yield name, deferred("module"), ""


def submodules(parent):
    """Yield the submodules of a loaded package or of tensh, read from its folder."""
    module = loaded_module(parent)
    for folder in getattr(module, "__path__", ()) if module else ():
        try:
            for name in os.listdir(folder):
                stem, extension = os.path.splitext(name)
                if stem.isidentifier() and not stem.startswith("_") and (extension == ".py" or not extension):
                    yield stem
        except OSError:
            continue


def loaded_module(name):
    """Return a loaded module; `torch` stands for tensh, whose modules are imported if necessary."""
    root, dot, rest = name.partition(".")
    if root in ("torch", "tensh"):
        from importlib import import_module

        try:
            return import_module(f"tensh{dot}{rest}")
        except ImportError:
            return None
    return sys.modules.get(name)


def importable(parent, begin):
    """Yield (text, kind, description) for the names in `from parent import`."""
    module = loaded_module(parent)
    if module is None:
        return
    known = Known(module, type(module))
    found = list_matching({*names(known), *submodules(parent)}, begin)
    for name, described in zip(found, describe_members(known, found), strict=True):
        yield name, *described
