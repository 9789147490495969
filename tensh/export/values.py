"""Values in files of exported programs: arguments, sizes and dtypes as JSON, and back."""

import re

import tensh as torch
from tensh._library.custom_ops import OPERATORS as CUSTOM
from tensh.engine.dtypes.size import Size
from tensh.export.descriptions import Expression, SymbolicTensor
from tensh.func.trees import LEAF, TreeSpec, kind_of, take_apart, unflatten
from tensh.fx.immutable_collections import immutable_dict
from tensh.fx.node import Node
from tensh.support.bounded_json import loads
from tensh.support.escaping import visible_line
from tensh.tracing.program import Place
from tensh.utils._pytree_json import treespec_dumps, treespec_loads

SIZE = re.compile(r"[\w ()+*/.-]{1,200}", re.ASCII)
"""A dynamic size: a name, or an expression of names, which is printed and appears in errors."""


class DamagedFile(ValueError):
    """The file is not an exported program, or it is damaged."""


def decode_value(entry):
    if isinstance(entry, dict) and "dtype" in entry:
        shape = entry["shape"]
        if not isinstance(shape, list) or not all(is_size(each) for each in shape):
            raise DamagedFile(f"a shape is invalid: {shape!r:.80}")
        return SymbolicTensor(shape, read_dtype(entry["dtype"]))
    if isinstance(entry, dict) and "parts" in entry:
        if not (type(entry["parts"]) is int and 0 <= entry["parts"] < 2**31):
            raise DamagedFile(f"a number of results is invalid: {entry['parts']!r:.80}")
        return range(entry["parts"])  # has a length, but takes no memory for it
    if isinstance(entry, dict) and "number" in entry:
        if not (isinstance(entry["number"], str) and visible_line(entry["number"]) == entry["number"]):
            raise DamagedFile(f"a number is invalid: {entry['number']!r:.80}")
        return Expression(entry["number"])
    return None


def is_size(value):
    """Return True for a size: an integer that a tensor can have, the expression of a dynamic size, or "?" in a branch."""
    if isinstance(value, str):
        return value == "?" or SIZE.fullmatch(value) is not None
    return type(value) is int and 0 <= value < 2**63


def read_dtype(name):
    found = getattr(torch, name, None) if isinstance(name, str) else None
    if not isinstance(found, torch.dtype):
        raise DamagedFile(f"{name!r} is not a dtype")
    return found


def read_spec(text):
    """Return the structure that a JSON text describes, of containers that the program has registered."""
    if not isinstance(text, str):
        raise DamagedFile("the structure of a container is invalid")
    loads(text, deepest=100)
    return treespec_loads(text)


def encode(value):
    """Encode an argument as JSON; values that JSON lacks become a table with one key."""
    if isinstance(value, Node):
        return {"node": value.name}
    if isinstance(value, Place):
        return {"place": int(value)}
    if isinstance(value, dict) and (type(value) is dict or isinstance(value, immutable_dict)):
        return {"dict": [[encode(key), encode(each)] for key, each in value.items()]}
    if isinstance(value, list):
        return [encode(each) for each in value]
    if isinstance(value, tuple) and kind_of(value) in (tuple, Size):
        return {"tuple": [encode(each) for each in value]}
    if (kind := kind_of(value)) is not None:  # a container that the program has registered, or a named tuple
        children, context = take_apart(value, kind)
        spec = TreeSpec(kind, context, [LEAF] * len(children))
        return {"branch": [treespec_dumps(spec), [encode(each) for each in children]]}
    if isinstance(value, slice):
        return {"slice": [encode(each) for each in (value.start, value.stop, value.step)]}
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return {"float": repr(float(value))}
    if isinstance(value, complex):
        return {"complex": [repr(value.real), repr(value.imag)]}
    if hasattr(value, "_definition"):
        return {"operator": value.name()}
    for kind in ("dtype", "device", "layout", "memory_format"):
        if isinstance(value, getattr(torch, kind)):
            return {kind: str(value)}
    raise RuntimeError(f"a file of an exported program cannot hold {value!r:.80}")


def decode(entry, nodes):
    """Decode an argument from JSON."""
    if isinstance(entry, list):
        return [decode(each, nodes) for each in entry]
    if not isinstance(entry, dict):
        if isinstance(entry, str) and visible_line(entry) != entry:  # graphs and errors show it
            raise DamagedFile(f"a text has control characters: {entry!r:.80}")
        return entry
    ((kind, value),) = entry.items()
    if kind == "node":
        return nodes[value]
    if kind == "place":
        return Place(value)
    if kind == "branch":
        spec = read_spec(value[0])
        return unflatten([decode(each, nodes) for each in value[1]], spec)
    if kind == "tuple":
        return tuple(decode(each, nodes) for each in value)
    if kind == "dict":
        return {decode(key, nodes): decode(each, nodes) for key, each in value}
    if kind == "slice":
        return slice(*(decode(each, nodes) for each in value))
    if kind == "float":
        return float(value)
    if kind == "complex":
        return complex(*map(float, value))
    if kind == "operator":
        return find_custom(value)
    if kind == "device":
        return torch.device(value)
    if kind in ("dtype", "layout", "memory_format"):
        found = getattr(torch, value.removeprefix("torch."), None)
        if isinstance(found, getattr(torch, kind)):
            return found
    raise DamagedFile(f"it holds a {kind!r:.40}")


def find_custom(name):
    """Return an operator that the running program has defined."""
    if name not in CUSTOM:
        raise DamagedFile(f"it calls {name!r:.80}, an operator that this program has not defined by torch.library")
    return CUSTOM[name]._opoverload
