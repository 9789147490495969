"""Saving a session to a file and loading it: `%save`, `%load`.

The file is in safetensors format: the memory of the tensors as arrays, and as text the source of the session and a
table of its names. The table records where in which memory each tensor lies, so that tensors that shared memory share
it again, and which leaves require grad; it also holds plain values: numbers, texts, and lists, tuples, dicts and sets
of values that can be saved. Modules and optimizers are saved by their state; functions and classes only by their
source. Loading runs no code of the file.
"""

import contextlib
import importlib
import json
import keyword
from collections import OrderedDict
from typing import NamedTuple

import numpy as np

from tensh import bounded_json
from tensh.cli.session.files.variable_names import is_reserved
from tensh.engine.arrays.bounds import view_memory
from tensh.language import _
from tensh.serialization.containers import check_keys
from tensh.show.describe import is_dense
from tensh.show.reprs import is_bounded
from tensh.utils.safetensors.format import DTYPES, SafetensorError, read, read_header, write

EXTENSION = ".safetensors"
VERSION = 1
PARTS = {"complex128": "float64", "complex32": "float16"}  # dtypes that the format lacks -> dtype of their parts
DTYPES_KEPT = frozenset([*DTYPES.values(), *PARTS])
DEEPEST = 50  # nested containers
CONTAINERS = {kind.__name__: kind for kind in (list, tuple, set, frozenset)}
TABLES = {kind.__name__: kind for kind in (dict, OrderedDict)}
LAYOUTS = frozenset(f"sparse_{kind}" for kind in ("coo", "csr", "csc", "bsr", "bsc"))
RANDOM = "random state"  # not a Python identifier


class FileError(Exception):
    """Raised for a damaged file, or one that cannot be written."""


class NotKept(Exception):
    """Raised for a value that cannot be saved."""


class State(NamedTuple):
    """The state of a module or an optimizer with its class name, to be loaded into an existing object."""

    kind: str
    values: dict


def has_state(value):
    """True if a value has a state to save and load, like modules and optimizers."""
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


@contextlib.contextmanager
def telling(path):
    """A context that turns errors into FileError with a sentence about the file."""
    try:
        yield
    except SafetensorError as error:
        raise FileError(f"{path}: {error}") from None
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}") from None


def is_session(path):
    """True if a file is a saved session."""
    try:
        with open(path, "rb") as file:
            return "tensh" in (read_header(file).metadata or {})
    except (SafetensorError, OSError):
        return False


class FileContents(NamedTuple):
    """The contents of a file: names with their values, the source, and the names that were not defined."""

    names: dict
    source: str
    left: list


def load(session, path, over=False):
    """Define the names in a file; return a FileContents. An error leaves the session unchanged.

    A module's state is loaded into the module of that name; without one it stays a State and defines nothing. Names
    with a meaning of their own, such as `print` or `torch`, are skipped unless ``over`` is true.
    """
    with telling(path):
        arrays, metadata = read(path)
    engine = engine_of(session)
    try:
        table = bounded_json.loads(metadata["tensh"])
        if table["version"] != VERSION:
            raise FileError(_("{path}: it was saved by another version of tensh").format(path=path))
        reader = Reader(engine, arrays, table["tensors"])
        names = {own_name(name): reader.value(value) for name, value in table["names"].items()}
        dtype = reader.value({"dtype": table["default_dtype"]})
        random = engine.from_numpy(arrays[RANDOM])
        engine.Generator().set_state(random)  # raises for an invalid state
        if not dtype.is_floating_point:
            raise ValueError(dtype)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RuntimeError, OverflowError) as error:
        raise FileError(
            _("{path}: its table of names is damaged ({name})").format(path=path, name=type(error).__name__)
        ) from None
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
                    _("{path}: the state of {name} does not fit what is there: {reason}").format(
                        path=path, name=name, reason=reason
                    )
                ) from None
            names[name] = there
    engine.set_default_dtype(dtype)
    engine.set_rng_state(random)
    session.namespace.update({name: value for name, value in names.items() if not isinstance(value, State)})
    return FileContents(names, metadata.get("source", ""), left)


def own_name(name):
    """Return a name if `%save` can have written it; raise ValueError for names such as __builtins__."""
    if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
        raise ValueError(name)
    return name


class Reader:
    """Decodes values from a table and arrays."""

    def __init__(self, engine, arrays, rows):
        self.engine = engine
        self.arrays = arrays
        self.rows = rows
        self.memories = {}
        self.made = {}  # (row number, whether it is a tensor) -> object

    def value(self, entry):
        """Decode a value from JSON."""
        ((kind, content),) = entry.items()
        if kind == "plain" and (content is None or type(content) in (bool, int, str)):
            return content
        if kind == "float":
            return float.fromhex(content)
        if kind == "complex":
            return complex(*map(float.fromhex, content))
        if kind in ("list", "tuple"):
            return CONTAINERS[kind](self.value(item) for item in content)
        if kind in CONTAINERS:
            return CONTAINERS[kind](check_keys(map(self.value, content)))
        if kind in TABLES:
            keys = check_keys(self.value(key) for key, _item in content)
            return TABLES[kind](zip(keys, [self.value(item) for _key, item in content], strict=True))
        if kind == "state":
            kind, state = content
            return State(str(kind), dict(self.value(state)))
        if kind == "Size":
            return self.engine.Size(content)
        if kind == "dtype" and content in DTYPES_KEPT:
            return getattr(self.engine, content)
        if kind in ("tensor", "array"):
            return self.value_of_row(content, kind == "tensor")
        raise ValueError(_("{kind} is not a kind of value").format(kind=kind))

    def value_of_row(self, number, as_tensor):
        """Return the tensor or array of a row; always the same object."""
        if (number, as_tensor) not in self.made:
            row = self.rows[number]
            self.made[number, as_tensor] = self.tensor(row) if as_tensor else self.array(row)
            if as_tensor and "grad" in row:
                self.made[number, as_tensor].grad = self.value_of_row(row["grad"], True)
        return self.made[number, as_tensor]

    def tensor(self, row):
        """Build a tensor over the array of a row, with its requires_grad."""
        if "meta" in row:
            dtype = getattr(self.engine, row["dtype"])
            tensor = self.engine.empty_strided(row["meta"], row["strides"], dtype=dtype, device="meta")
        elif "sparse" in row:
            tensor = self.sparse(row)
        else:
            tensor = self.engine.from_numpy(self.array(row))
        if row.get("parameter"):
            return self.engine.nn.Parameter(tensor, requires_grad=bool(row.get("requires_grad")))
        return tensor.requires_grad_(bool(row.get("requires_grad")))

    def sparse(self, row):
        """Build a sparse tensor from the arrays of other rows; raise RuntimeError for indices outside of its shape."""
        if row["layout"] not in LAYOUTS:
            raise ValueError(row["layout"])
        arrays = [self.array(self.rows[number]) for number in (*row["indices"], row["values"])]
        parts = map(self.engine.from_numpy, arrays)
        if row["layout"] == "sparse_coo":
            is_coalesced = True if row.get("coalesced") else None
            return self.engine.sparse_coo_tensor(
                *parts, row["sparse"], is_coalesced=is_coalesced, check_invariants=True
            )
        layout = getattr(self.engine, row["layout"])
        return self.engine.sparse_compressed_tensor(*parts, row["sparse"], layout=layout, check_invariants=True)

    def array(self, row):
        """Return the array of a row: a memory, or a view of it; raise RuntimeError for a view that leaves the memory."""
        memory = self.memory(row["memory"], row["dtype"])
        if "shape" not in row:
            return memory
        return view_memory(memory, memory.dtype, row["shape"], row["strides"], row["offset"])

    def memory(self, name, dtype):
        """Return a memory in its own dtype; cached, so that arrays share it again."""
        if name not in self.memories:
            array = self.arrays[name]
            if dtype in PARTS:
                array = array.view(getattr(self.engine, dtype).numpy)[..., 0]
            if array.dtype.name != dtype:
                raise ValueError(_("{name} is not {dtype}").format(name=name, dtype=dtype))
            self.memories[name] = array
        return self.memories[name]


def engine_of(session):
    """Return the engine; raise FileError unless it is tensh."""
    if session.engine != "tensh":
        raise FileError(_("with PyTorch's own tensors a session is not saved or loaded: torch.save keeps them"))
    return importlib.import_module(session.engine)
