"""The settings of PyTorch's compilers as modules, such as ``torch._dynamo.config``: a few have an effect, all can be set.

``settings.txt`` lists their names, types and values, as ``tools/settings.py`` writes them. A name with a point is that of a
setting in a group: ``torch._inductor.config.triton.cudagraphs``.
"""

import ast
import contextlib
import hashlib
import importlib
from functools import cache
from pathlib import Path
from types import ModuleType

PATHS = (
    "torch._dynamo.config", "torch._inductor.config", "torch._functorch.config", "torch.compiler.config",
    "torch.fx.experimental._config", "torch._export.config",
)  # fmt: skip
ALIAS = "="
"""The type name of a setting that is another name of one, whose path stands for its value."""
KINDS = {"bool": bool, "int": int, "float": float, "str": str, "list": list, "dict": dict, "set": set}
CHANGED = "_changed"
DELETED = object()
"""The value of a setting that was deleted, as ``unittest.mock.patch`` does before it restores one."""


@cache
def read_settings():
    """Return path of a module -> name of a setting -> (type name, value as text).

    The type name is "?" for a setting that is not checked.
    """
    return {
        path: {name: (kind, value) for name, kind, value in found if kind != ALIAS}
        for path, found in read_lines().items()
    }


@cache
def read_aliases():
    """Return path of a module -> other name of a setting -> path of the setting, in this module or another."""
    return {
        path: {name: target for name, kind, target in found if kind == ALIAS} for path, found in read_lines().items()
    }


@cache
def read_lines():
    """Return path of a module -> [(name of a setting, type name, value as text)]."""
    text = Path(__file__).with_name("settings.txt").read_text(encoding="utf-8")
    parts = [part.strip().split("\n") for part in text.split("\n\n")]
    return {path: [line.split() for line in lines] for path, *lines in parts}


def read_value(text):
    """Return a value from its text; None for one that tensh does not know."""
    return None if text == "?" else ast.literal_eval(text)


class Settings(ModuleType):
    """A module of settings, some of which have several names; other names do not exist."""

    def __setattr__(self, name, value):
        if name[:2] == "__" or isinstance(value, ModuleType):
            super().__setattr__(name, value)
        else:
            put(self, name, value)

    def __delattr__(self, name):
        if name[:2] == "__":
            super().__delattr__(name)
        else:
            delete(self, name)

    def __getattribute__(self, name):
        if name[:2] != "__" and (name in known(self) or name in aliases(self) or name in groups(self)):
            return get(self, name)
        try:
            return super().__getattribute__(name)
        except AttributeError:
            if name[:2] == "__":
                raise
            made = METHODS.get(name)
            if made is None:
                raise missing(self, name) from None
            return lambda *args, **options: made(self, *args, **options)


class Group:
    """The settings with one beginning, such as ``triton``."""

    def __init__(self, module, name):
        vars(self).update(_module=module, _name=name)

    def __getattr__(self, name):
        return get(self._module, f"{self._name}.{name}")

    def __setattr__(self, name, value):
        put(self._module, f"{self._name}.{name}", value)

    def __delattr__(self, name):
        delete(self._module, f"{self._name}.{name}")


def path_of(module):
    return ModuleType.__getattribute__(module, "__name__").replace("tensh", "torch", 1)


def known(module):
    """Return name -> (type, text of the value) of the settings of a module."""
    return read_settings()[path_of(module)]


def aliases(module):
    """Return other name of a setting of a module -> path of the setting."""
    return read_aliases()[path_of(module)]


@cache
def groups_at(path):
    return frozenset(name.rpartition(".")[0] for name in read_settings()[path]) - {""}


def groups(module):
    """Return the names of the groups of settings of a module."""
    return groups_at(path_of(module))


def changed(module):
    """Return name -> value of the settings of a module that were set, or that can change in place."""
    return vars(module).setdefault(CHANGED, {})


def missing(module, name):
    """Return the error of a setting that does not exist."""
    return AttributeError(f"{path_of(module)}.{name} does not exist")


def module_at(path):
    """Return a module of settings by its path in PyTorch."""
    return importlib.import_module("tensh.switched_off").module(path)


def resolve(module, name):
    """Return the module that has a setting, and its name there.  Raise AttributeError if there is none."""
    if (target := aliases(module).get(name)) is not None:
        path, _, name = target.rpartition(".")
        module = module_at(path)
    if name not in known(module):
        raise missing(module, name)
    return module, name


def get(module, name):
    """Return a setting, or a group of settings."""
    if name in groups(module):
        return Group(module, name)
    module, name = resolve(module, name)
    values = changed(module)
    if name not in values:
        value = read_value(known(module)[name][1])
        if not isinstance(value, (list, dict, set)):
            return value
        values[name] = value
    if values[name] is DELETED:
        raise missing(module, name)
    return values[name]


def put(module, name, value):
    """Set a setting."""
    module, name = resolve(module, name)
    changed(module)[name] = value


def delete(module, name):
    """Delete a setting, until it is set again.  Raise KeyError if there is none of that name."""
    if name not in known(module) and name not in aliases(module):
        raise KeyError(name)
    put(module, name, DELETED)


# ── functions of the modules ─────────────────────────────────────────────────
class Changed(contextlib.ContextDecorator):
    """A context, and a decorator, in which settings of a module are others."""

    def __init__(self, module, changes):
        self.module, self.changes = module, changes

    def __enter__(self):
        self.before = {name: get(self.module, name) for name in self.changes}
        for name, value in self.changes.items():
            put(self.module, name, value)

    def __exit__(self, *failure):
        for name, value in self.before.items():
            put(self.module, name, value)

    def _recreate_cm(self):
        return Changed(self.module, self.changes)


def patch(module, arg1=None, arg2=None, **kwargs):
    """Return a context in which settings have other values: by keyword, as a dictionary, or a name and its value."""
    changes = kwargs or (arg1 if isinstance(arg1, dict) else {arg1: arg2})
    for name in changes:
        resolve(module, name)
    return Changed(module, dict(changes))


def copy_settings(module):
    """Return all settings as a dictionary."""
    now = changed(module)
    return {
        name: read_value(text) if now.get(name) is DELETED else get(module, name)
        for name, (_, text) in known(module).items()
    }


def list_changes(module):
    """Return the settings that are not what they are from the start."""
    return {
        name: value
        for name, value in changed(module).items()
        if value is not DELETED and value != read_value(known(module)[name][1])
    }


def write_changes(module):
    """Return the settings that were changed as lines of Python."""
    return "\n".join(f"{path_of(module)}.{name} = {value!r}" for name, value in list_changes(module).items())


def save(module):
    """Return all settings as bytes, for ``load_config``."""
    return repr(copy_settings(module)).encode()


def load(module, maybe_pickled_config):
    """Set all settings, from the bytes of ``save_config`` or from a dictionary."""
    given = maybe_pickled_config
    given = given if isinstance(given, dict) else ast.literal_eval(given.decode())
    for name, value in given.items():
        put(module, name, value)


def hash_settings(module):
    """Return a digest of the settings."""
    return hashlib.md5(save(module), usedforsecurity=False).digest()


def type_of(module, config_name):
    """Return the type of a setting; object for one that is not checked."""
    module, name = resolve(module, config_name)
    return KINDS.get(known(module)[name][0], object)


METHODS = {
    "patch": patch, "get_config_copy": copy_settings, "shallow_copy_dict": copy_settings, "to_dict": copy_settings,
    "codegen_config": write_changes, "save_config": save, "load_config": load, "get_hash": hash_settings, "get_type": type_of,
    "save_config_portable": list_changes,
}  # fmt: skip
"""Function of the modules -> the function of a module that it calls."""


def patch_dynamo(arg1=None, arg2=None, **kwargs):
    """Return a context in which settings have other values: by keyword, as a dictionary, or a name and its value.

    Raise AttributeError for a setting that does not exist.

    >>> import tensh as torch
    >>> with torch._dynamo.config.patch(cache_size_limit=2):
    ...     torch._dynamo.config.recompile_limit
    2
    >>> torch._dynamo.config.cache_size_limit
    8
    """
    return patch(module_at(PATHS[0]), arg1, arg2, **kwargs)


patch_dynamo.__module__ = PATHS[0]
