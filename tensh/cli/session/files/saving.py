"""Saving a session to a file and loading it: `%save`, `%load`.

The file is in safetensors format: the memory of the tensors as arrays, and as text the source of the session and a
table of its names. The table records where in which memory each tensor lies, so that tensors that shared memory share
it again, and which leaves require grad; it also holds plain values: numbers, texts, and lists, tuples, dicts and sets
of values that can be saved. Modules and optimizers are saved by their state; functions and classes only by their
source. Loading runs no code of the file.
"""

import importlib
import json
from typing import NamedTuple

import numpy as np

from tensh.cli.session.files.session_reading import (
    CONTAINERS,
    DTYPES_KEPT,
    PARTS,
    RANDOM,
    TABLES,
    VERSION,
    FileError,
    State,
    find_header,
    is_session,
    read_contents,
    telling,
)
from tensh.cli.session.files.variable_names import is_reserved
from tensh.show.reading.describe import is_dense
from tensh.show.reading.reprs import is_bounded
from tensh.support.collecting import without_collecting
from tensh.support.language import _
from tensh.utils.safetensors.format import write

__all__ = ["FileError", "State", "find_header", "is_session", "load", "save"]

EXTENSION = ".safetensors"
DEEPEST = 50  # nested containers


class NotKept(Exception):
    """Raised for a value that cannot be saved."""


def has_state(value):
    """Return True if a value has a state to save and load, like modules and optimizers."""
    return all(callable(getattr(type(value), name, None)) for name in ("state_dict", "load_state_dict"))


class Writer:
    """Encodes values as a table, and the memory of their tensors as arrays."""

    def __init__(self, engine):
        self.engine = engine
        self.arrays = {}  # name -> array, for the file
        self.rows = []  # the table of tensors and arrays
        self.numbers = {}  # id of a tensor or array -> its row
        self.memories = {}  # id of an owner of memory -> name of its array
        self.without_graph = []
        self.alive = []  # keeps objects alive, since their ids are in use

    def value(self, value, name, depth=0):
        """Encode a value for JSON; raise NotKept if it cannot be saved."""
        kind = type(value)
        if depth > DEEPEST or depth == 0 and not is_bounded(value):
            raise NotKept
        if value is None or kind in (bool, int, str):
            return {"plain": value}
        if kind is float:
            return {"float": value.hex()}
        if kind is complex:
            return {"complex": [value.real.hex(), value.imag.hex()]}
        if kind in CONTAINERS.values():
            return {kind.__name__: [self.value(item, f"{name}[{i}]", depth + 1) for i, item in enumerate(value)]}
        if kind in TABLES.values():
            pairs = [(key, item, f"{name}[{key!r}]") for key, item in value.items()]
            return {
                kind.__name__: [
                    [self.value(k, each, depth + 1), self.value(v, each, depth + 1)] for k, v, each in pairs
                ]
            }
        return self.write_engine_value(kind, value, name)

    def write_engine_value(self, kind, value, name):
        """Encode a size, dtype, tensor, array or state for JSON; raise NotKept for others."""
        if kind is self.engine.Size:
            return {"Size": list(value)}
        if kind is self.engine.dtype:
            return {"dtype": value.name}
        if kind is self.engine.Tensor or kind is self.engine.nn.Parameter:
            return {"tensor": self.tensor(value, name)}
        if kind is np.ndarray and value.dtype.name in DTYPES_KEPT:
            return {"array": self.row(value, value, name)}
        if has_state(value):
            try:
                state = dict(value.state_dict())
            except Exception:  # user code failed, or a module contains itself: save the other names
                raise NotKept from None
            return {"state": [kind.__name__, self.value(state, name)]}
        raise NotKept

    def tensor(self, tensor, name):
        """Return the row number of a tensor."""
        if id(tensor) in self.numbers:
            return self.numbers[id(tensor)]
        number = self.row(tensor, tensor.array, name) if is_dense(tensor) else self.row_of_parts(tensor, name)
        row = self.rows[number]
        if type(tensor) is not self.engine.Tensor:
            row["parameter"] = True
        if tensor.requires_grad and tensor.is_leaf:
            row["requires_grad"] = True
            if tensor.grad is not None:
                row["grad"] = self.tensor(tensor.grad, f"{name}.grad")
        elif tensor.requires_grad:
            self.without_graph.append(name)
        return number

    def row(self, value, array, name):
        """Add an array to the table; return its row number."""
        if id(value) not in self.numbers:
            self.numbers[id(value)] = len(self.rows)
            self.alive.append(value)
            self.rows.append(self.place(array, name))
        return self.numbers[id(value)]

    def row_of_parts(self, tensor, name):
        """Add a meta or sparse tensor to the table; return its row number."""
        if tensor.is_meta:
            row = {"meta": list(tensor.shape), "strides": tensor.stride(), "dtype": tensor.dtype.name}
        else:
            array = tensor.array
            indices = [self.row(each, each, f"{name}.indices") for each in array.indices]
            values = self.row(array.values, array.values, f"{name}.values")
            layout = str(tensor.layout).removeprefix("torch.")
            row = {"sparse": list(tensor.shape), "layout": layout, "indices": indices, "values": values}
            row |= {"coalesced": True} if array.coalesced else {}
        self.numbers[id(tensor)] = len(self.rows)
        self.alive.append(tensor)
        self.rows.append(row)
        return self.numbers[id(tensor)]

    def place(self, array, name):
        """Return the row of an array: its memory and dtype; for a part also shape, strides and offset in elements."""
        owner = array
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        if owner.dtype != array.dtype or not owner.flags.c_contiguous or min(array.strides, default=0) < 0:
            owner = np.ascontiguousarray(array)  # its position cannot be given in elements: copy it
            self.alive.append(owner)
            array = owner
        if id(owner) not in self.memories:
            self.memories[id(owner)] = self.memory(owner, name)
            self.alive.append(owner)
        row = {"memory": self.memories[id(owner)], "dtype": array.dtype.name}
        if array.shape == owner.shape and array.flags.c_contiguous:
            return row
        start = array.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
        size = array.itemsize
        return row | {
            "shape": list(array.shape),
            "strides": [s // size for s in array.strides],
            "offset": start // size,
        }

    def memory(self, owner, name):
        """Add a memory to the file, under the name of the first tensor in it."""
        if name in self.arrays:  # another value's path has the same text
            name = f"{name} ({len(self.arrays)})"
        parts = PARTS.get(owner.dtype.name)
        self.arrays[name] = owner.reshape(*owner.shape, 1).view(parts) if parts else owner
        return name


def save(session, path, source):
    """Write the names of a session and its source; return (saved, left out, saved without their graph)."""
    engine = engine_of(session)
    writer, names, left_out = Writer(engine), {}, {}
    for name, value in session.own_names().items():
        try:
            names[name] = writer.value(value, name)
        except NotKept:
            left_out[name] = value
    table = {
        "version": VERSION,
        "names": names,
        "tensors": writer.rows,
        "default_dtype": engine.get_default_dtype().name,
    }
    arrays = writer.arrays | {RANDOM: engine.get_rng_state().array}
    with telling(path):
        write(path, arrays, {"tensh": json.dumps(table), "source": source})
    return names, left_out, writer.without_graph


class FileContents(NamedTuple):
    """The contents of a file: names with their values, the source, and the names that were not defined."""

    names: dict
    source: str
    left: list


def load(session, path, over=False, header=None):
    """Define the names in a file; return a FileContents. An error leaves the session unchanged.

    A module's state is loaded into the module of that name; without one it stays a State and defines nothing. Names
    with a special meaning, such as `print` or `torch`, are skipped unless ``over`` is true. ``header`` is what
    ``find_header`` found.
    """
    engine = engine_of(session)
    with without_collecting():  # two fifths of the time of a file of 200,000 tensors
        names, metadata, dtype, random = read_contents(engine, path, header)
    own = session.own_names()
    left = [name for name in names if is_reserved(name) and name not in own and not over]
    names = {name: value for name, value in names.items() if name not in left}
    for name, value in names.items():
        there = session.namespace.get(name)
        if isinstance(value, State) and has_state(there):
            try:
                there.load_state_dict(value.values)
            except Exception as error:  # may be raised by user classes
                reason = str(error).partition("\n")[0] or type(error).__name__
                raise FileError(
                    _("{path}: the saved state does not fit {name}: {reason}").format(
                        path=path, name=name, reason=reason
                    )
                ) from None
            names[name] = there
    engine.set_default_dtype(dtype)
    engine.set_rng_state(random)
    session.namespace.update({name: value for name, value in names.items() if not isinstance(value, State)})
    return FileContents(names, metadata.get("source", ""), left)


def engine_of(session):
    """Return the engine; raise FileError unless it is tensh."""
    if session.engine != "tensh":
        raise FileError(_("a session with PyTorch's own tensors cannot be saved or loaded: use torch.save"))
    return importlib.import_module(session.engine)
