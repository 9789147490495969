"""Operators and dispatch keys by name, as ``torch._C`` has them for libraries."""

import tensh as torch
from tensh._aten.schema import FunctionSchema
from tensh._library.dispatch_keys import NUMBERS, DispatchKey
from tensh._library.grammar import require_schema
from tensh._library.schema import print_schema


def parse_schema(schema):
    """Read the text of a schema; raise RuntimeError for a text that is none."""
    require_schema(schema)
    return FunctionSchema(print_schema(schema))


def schemas_of(name):
    """Return the schemas of all overloads of an operator, such as ``aten::sin``; none for an unknown one."""
    space, _, own = name.partition("::")
    packet = getattr(getattr(torch.ops, space), own, None)
    return [getattr(packet, each)._schema for each in packet.overloads()] if packet is not None else []


def has_kernel(name):
    """Return True for the name of an operator that has functions."""
    return bool(schemas_of(name.partition(".")[0]))


def parse_key(name):
    """Return the dispatch key of a name, or None."""
    return DispatchKey[name] if name in NUMBERS else None


def name_key(key):
    """Return the name of a dispatch key."""
    return key.name


def parse_namespace(qualname):
    """Split ``space::name``; raise ValueError for a text without both."""
    parts = qualname.split("::")
    if len(parts) != 2:
        raise ValueError(
            f'Expected `qualname` to be of the form "namespace::name", but got {qualname}. The qualname passed to the torch.library '
            "APIs must consist of a namespace and a name, e.g. aten::sin"
        )
    return tuple(parts)
