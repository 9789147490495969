"""The registrations of libraries: namespaces, operators and their functions."""

from functools import partial

from tensh._library.custom_ops import OPERATORS, CustomOpDef
from tensh._library.tags import Tag

BLOCKS: dict = {}
"""Namespace -> where its library of the kind DEF was made."""


def require_single(ns, place):
    """Raise RuntimeError if a namespace has a library of the kind DEF already; note a new one."""
    before = "built in" if ns == "aten" else BLOCKS.get(ns)
    if before:
        raise RuntimeError(
            f"Only a single TORCH_LIBRARY can be used to register the namespace {ns}; please put all of your definitions in a single "
            "TORCH_LIBRARY block.  If you were trying to specify implementations, consider using TORCH_LIBRARY_IMPL (which can be "
            "duplicated).  If you really intended to define operators for a single namespace in a distributed way, you can use "
            f"TORCH_LIBRARY_FRAGMENT to explicitly indicate this.  Previous registration of TORCH_LIBRARY was {before}; latest "
            f"registration was {place}"
        )
    BLOCKS[ns] = place


def remove_all(removals):
    """Undo all registrations of a library, the last one first."""
    while removals:
        removals.pop()()


def add_operator(qualname, schema, tags, place):
    """Add an operator without implementation, and those that wait for it."""
    tags = (tags,) if isinstance(tags, Tag) else tuple(tags)
    if qualname in OPERATORS:
        raise RuntimeError(
            f"Tried to register an operator ({qualname}{schema}) with the same name and overload name multiple times. Each "
            f"overload's schema should only be registered with a single call to def(). Duplicate registration: {place}. Original "
            f"registration: {PLACES.get(qualname, place)}"
        )
    PLACES[qualname] = place
    CustomOpDef(qualname, None, schema, tags)
    for keys, func, with_keyset in WAITING.pop(qualname, ()):
        add_kernels(qualname, keys, func, with_keyset)


PLACES: dict = {}
"""Operator -> where it was declared."""
WAITING: dict = {}
"""Operator that is not declared yet -> its implementations, with their dispatch keys."""


def add_kernels(qualname, keys, func, with_keyset=False):
    """Declare an operator if needed, and give it an implementation for each key. Return functions that undo both."""
    if qualname not in OPERATORS:
        WAITING.setdefault(qualname, []).append((keys, func, with_keyset))
        return [partial(WAITING.pop, qualname, None)]
    definition = OPERATORS[qualname]
    return [definition._kernels.add(definition._schema, key, func, with_keyset) for key in keys]
