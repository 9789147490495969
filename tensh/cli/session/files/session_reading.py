"""Reading the file of a session: its contents are checked, and nothing is defined yet."""

import contextlib
import keyword
import os
from collections import OrderedDict
from typing import NamedTuple

from tensh.engine.arrays.bounds import view_memory
from tensh.engine.arrays.owners import lend
from tensh.engine.core.tensor import wrap
from tensh.serialization.containers import check_keys
from tensh.show.drawing.text import shorten_middle
from tensh.support import bounded_json
from tensh.support.collecting import without_collecting
from tensh.support.escaping import visible_line
from tensh.support.language import _
from tensh.utils.safetensors.format import DTYPES, SafetensorError, read, read_header

VERSION = 1
PARTS = {"complex128": "float64", "complex32": "float16"}  # dtypes that the format lacks -> dtype of their parts
DTYPES_KEPT = frozenset([*DTYPES.values(), *PARTS])
CONTAINERS = {kind.__name__: kind for kind in (list, tuple, set, frozenset)}
TABLES = {kind.__name__: kind for kind in (dict, OrderedDict)}
LAYOUTS = frozenset(f"sparse_{kind}" for kind in ("coo", "csr", "csc", "bsr", "bsc"))
RANDOM = "random state"  # not a Python identifier
DAMAGE = (KeyError, TypeError, ValueError, IndexError, AttributeError, RuntimeError, OverflowError)


class FileError(Exception):
    """Raised for a damaged file, or one that cannot be written."""


class State(NamedTuple):
    """The state of a module or an optimizer with its class name, to be loaded into an existing object."""

    kind: str
    values: dict


@contextlib.contextmanager
def telling(path):
    """A context that turns errors into FileError with a sentence about the file."""
    try:
        yield
    except SafetensorError as error:
        raise FileError(f"{path}: {error}") from None
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}") from None


def find_header(path):
    """Return the header of a file that is a saved session; None for any other, and for pipes, which may never be written."""
    if not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as file, without_collecting():
            header = read_header(file)
    except (SafetensorError, OSError):
        return None
    return header if "tensh" in (header.metadata or {}) else None


def is_session(path):
    """Return True if a file is a saved session."""
    return find_header(path) is not None


class Contents(NamedTuple):
    """The contents of a file: the values of its names, its texts, the default dtype and the state of random numbers."""

    names: dict
    metadata: dict
    dtype: object
    random: object


def read_contents(engine, path, header):
    """Read a session from a file; nothing is defined yet. FileError for a damaged one."""
    with telling(path):
        arrays, metadata = read(path, header)
    try:
        table = bounded_json.loads(metadata["tensh"])
        version, rows, entries = table["version"], table["tensors"], table["names"].items()
        if version != VERSION:
            raise FileError(_("{path}: it was saved by another version of tensh").format(path=path))
        reader = Reader(engine, arrays, rows)
        dtype = reader.value({"dtype": table["default_dtype"]})
        random = engine.from_numpy(arrays[RANDOM])
        engine.Generator().set_state(random)  # raises for an invalid state
        if not dtype.is_floating_point:
            raise ValueError(dtype)
    except DAMAGE:
        raise FileError(
            _("{path}: its table of names is damaged: expected names, tensors, a dtype and a random state").format(
                path=path
            )
        ) from None
    names = {}
    try:
        for name, entry in entries:
            names[own_name(name)] = reader.value(entry)
    except DAMAGE:
        raise FileError(
            _("{path}: its table of names is damaged: {name} is not something that %save writes").format(
                path=path, name=shorten_middle(visible_line(name))
            )
        ) from None
    return Contents(names, metadata, dtype, random)


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
        if kind in ("tensor", "array"):  # first, as they are the most
            return self.value_of_row(content, kind == "tensor")
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
        raise ValueError(_("{kind} is not a kind of value").format(kind=kind))

    def value_of_row(self, number, as_tensor):
        """Return the tensor or array of a row; always the same object."""
        if (number, as_tensor) not in self.made:
            row = self.rows[number]
            made = self.made[number, as_tensor] = self.tensor(row) if as_tensor else lend(self.array(row))
            if as_tensor and "grad" in row:
                made.grad = self.value_of_row(row["grad"], True)
        return self.made[number, as_tensor]

    def tensor(self, row):
        """Build a tensor over the array of a row, with its requires_grad."""
        if "meta" in row:
            if row["dtype"] not in DTYPES_KEPT:  # not looked up: any other name would load all of the engine
                raise ValueError(row["dtype"])
            dtype = getattr(self.engine, row["dtype"])
            tensor = self.engine.empty_strided(row["meta"], row["strides"], dtype=dtype, device="meta")
        elif "sparse" in row:
            tensor = self.sparse(row)
        else:
            tensor = wrap(self.array(row))
        if row.get("parameter"):
            return self.engine.nn.Parameter(tensor, requires_grad=bool(row.get("requires_grad")))
        return tensor.requires_grad_(True) if row.get("requires_grad") else tensor

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
            if dtype not in DTYPES_KEPT or array.dtype != getattr(self.engine, dtype).numpy:
                raise ValueError(_("{name} is not {dtype}").format(name=name, dtype=dtype))
            self.memories[name] = array
        return self.memories[name]
