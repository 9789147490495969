"""The names that a file may ask for: what rebuilds tensors, and plain containers.  Nothing else is ever looked up."""

import collections
import contextlib

from tensh.engine.device import device
from tensh.engine.dtype import ALL
from tensh.engine.tensor import Size
from tensh.serialization.storages import KINDS, UNTYPED

EXTRA = {}  # full name -> what the user has said is safe

CONTAINERS = {
    ("collections", "OrderedDict"): collections.OrderedDict,
    ("collections", "Counter"): collections.Counter,
    ("collections", "defaultdict"): collections.defaultdict,
    ("builtins", "set"): set, ("builtins", "frozenset"): frozenset, ("builtins", "complex"): complex, ("__builtin__", "set"): set, ("__builtin__", "complex"): complex, ("builtins", "int"): int, ("builtins", "float"): float, ("builtins", "list"): list,
    ("builtins", "dict"): dict, ("builtins", "str"): str, ("builtins", "tuple"): tuple,
}  # fmt: skip


class Storage(str):
    """The class of a storage, by its name."""


def found(module, name):
    """What a file means by a name; None where it must not ask for it."""
    from tensh.serialization import rebuilding

    if (module, name) in CONTAINERS:
        return CONTAINERS[module, name]
    if module == "torch" and name in KINDS or (module, name) == ("torch.storage", UNTYPED):
        return Storage(name)
    if module == "torch" and name in ALL:
        return ALL[name]
    known = {
        ("torch", "Size"): Size,
        ("torch", "device"): device,
        ("torch._utils", "_rebuild_tensor_v2"): rebuilding.tensor,
        ("torch._utils", "_rebuild_tensor_v3"): rebuilding.tensor_of_dtype,
        ("torch._utils", "_rebuild_parameter"): rebuilding.parameter,
        ("torch._utils", "_rebuild_parameter_with_state"): rebuilding.parameter,
        ("torch.nn.parameter", "Parameter"): rebuilding.parameter,
        ("torch", "Tensor"): rebuilding.Tensor,
        ("torch.serialization", "_get_layout"): str,
    }
    return known.get((module, name)) or EXTRA.get(f"{module}.{name}")


# ── what the user adds ───────────────────────────────────────────────────────
def add_safe_globals(safe_globals):
    """Say of classes and functions that files may ask for them: their code then runs when a file is loaded."""
    for each in safe_globals:
        thing, name = each if isinstance(each, tuple) else (each, f"{each.__module__}.{each.__qualname__}")
        EXTRA[name] = thing


def get_safe_globals():
    """What was added."""
    return list(EXTRA.values())


def clear_safe_globals():
    """Take back all that was added."""
    EXTRA.clear()


@contextlib.contextmanager
def safe_globals(safe_globals):
    """Within the block files may ask for these as well."""
    before = dict(EXTRA)
    add_safe_globals(safe_globals)
    try:
        yield
    finally:
        EXTRA.clear()
        EXTRA.update(before)
