"""The file ``.metadata``: a pickle of the description of a checkpoint, read without running anything in it.

Only the classes of the description are made, and what they contain is checked: sizes, boxes, and the places of parts in
files. A file can thus neither lead out of its folder nor ask for more memory than it has bytes.
"""

import itertools
import math
import os

import tensh as torch
from tensh.distributed.checkpoint import metadata as described
from tensh.distributed.checkpoint.chunks import find_faults
from tensh.distributed.checkpoint.storage import _StorageInfo
from tensh.serialization.allowed import Known, Names, module_in_files
from tensh.serialization.containers import DamagedError, require_int
from tensh.serialization.faults import DAMAGE, describe_damage
from tensh.serialization.unpickling import Unpickler
from tensh.serialization.writing import Writer
from tensh.support.escaping import visible_line
from tensh.support.replacing import replace_file

LARGEST = 2**62  # elements of a tensor, and bytes of a file
MAKERS = {
    cls: lambda cls=cls: cls.__new__(cls)
    for cls in (
        described.BytesStorageMetadata, described.ChunkStorageMetadata, described.Metadata, described.MetadataIndex,
        described.StorageMeta, described.TensorProperties, described.TensorStorageMetadata, _StorageInfo,
    )
}  # fmt: skip
"""Class -> the function that makes an object of it, whose state follows in the file."""
ENCODING = described._MEM_FORMAT_ENCODING


def make_path(*parts):
    """Return a path as text."""
    if not all(type(part) is str for part in parts):
        raise DamagedError("it contains a path that is not text")
    return os.path.join(*parts) if parts else "."


def make_format(number):
    return ENCODING(require_int(number))


def find_format(cls, name):
    """Return a memory format by its name, as pickles of Python 3.11 refer to it."""
    if cls is not ENCODING or type(name) is not str:
        raise DamagedError("it asks for an attribute")
    return ENCODING[name]


class Description:
    """The names that a description may use beyond those of every file, and the classes that accept a state."""

    def __init__(self):
        self.known = {f"{module_in_files(cls.__module__)}.{cls.__name__}": Known(cls, MAKERS[cls]) for cls in MAKERS}
        self.known["torch.distributed.checkpoint.metadata._MEM_FORMAT_ENCODING"] = Known(ENCODING, make_format)
        self.known["builtins.getattr"] = Known(find_format, find_format)
        for module, system in itertools.product(("pathlib", "pathlib._local"), ("Posix", "Windows")):
            self.known[f"{module}.{system}Path"] = Known(make_path, make_path)

    def __call__(self, full):
        return self.known.get(full)

    def build(self, thing, state):
        """Set the fields of an object of the description; return False for another object."""
        if type(thing) not in MAKERS:
            return False
        if type(thing) is described.TensorProperties:
            if type(state) is not tuple or len(state) != 5 or not isinstance(state[3], ENCODING):
                raise DamagedError("it contains properties of a tensor that are not five")
            thing.__setstate__(state)
            return True
        if type(state) is not dict or not state.keys() <= type(thing).__dataclass_fields__.keys():
            raise DamagedError(f"it contains fields that a {type(thing).__name__} lacks")
        if type(thing) is described.MetadataIndex:  # a key, whose hash must end soon
            require(is_name(state), "it contains a part without a name")
        thing.__dict__.update(state)
        return True

    def finish(self):
        """Leave the check of what was made to ``check``, which follows."""


def write(metadata, path, sync):
    """Write a description, which replaces the one at ``path`` in one step once all of its bytes are there.

    With ``sync`` they are on the disk before.
    """
    with replace_file(path) as file:
        Writer(file).dump(metadata)
        file.flush()
        if sync:
            os.fsync(file.fileno())


def read(path):
    """Read and check a description.  Raise RuntimeError for a damaged file."""
    with open(path, "rb") as file:
        data = file.read()
    try:
        found = Unpickler(data, Names(Description()), storage=refuse_storage).load()
        check(found)
        check_lengths(found, os.path.dirname(path))
    except DAMAGE as error:
        raise RuntimeError(f"{path} is damaged: {describe_damage(error)}") from None
    return found


def refuse_storage(reference):
    raise DamagedError("it contains a tensor")


def require(condition, text, *names):
    """Raise DamagedError with a text, into which names from the file are put, unless a condition holds."""
    if not condition:
        raise DamagedError(text.format(*(visible_line(str(name))[:200] for name in names)))


def is_count(value):
    return type(value) is int and 0 <= value < LARGEST


def is_size(value):
    return isinstance(value, torch.Size) and all(map(is_count, value))


def is_name(state):
    """Return True for the fields of a ``MetadataIndex``."""
    offset = state.get("offset")
    return type(state.get("fqn")) is str and (offset is None or is_size(offset))


def check(found):
    """Raise DamagedError for a description that contradicts itself."""
    require(type(found) is described.Metadata, "it is not the description of a checkpoint")
    fields = vars(found)
    keys, paths, places = (fields.get(name) for name in ("state_dict_metadata", "planner_data", "storage_data"))
    require(type(keys) is dict and all(type(key) is str for key in keys), "it has no keys")
    require(type(places) is dict, "it does not say where its parts are")
    for index, place in places.items():
        check_place(index, place)
    for key, stored in keys.items():
        if type(stored) is described.BytesStorageMetadata:
            require(described.MetadataIndex(key) in places, "it does not say where {0} is", key)
        else:
            check_tensor(key, stored, places)
    check_paths(paths)
    check_apart(places)
    meta = fields.get("storage_meta")
    require(meta is None or type(meta) is described.StorageMeta, "it has no identifiers")


def check_paths(paths):
    require(paths is None or type(paths) is dict, "it has no paths")
    for key, path in (paths or {}).items():
        fits = type(path) is tuple and path and all(type(part) is str or is_count(part) for part in path)
        require(fits and type(path[0]) is str, "its key {0} has an invalid path", key)


def check_tensor(key, stored, places):
    """Check a tensor: its boxes fill it, and each has as many bytes in a file as its elements take."""
    require(type(stored) is described.TensorStorageMetadata, "its key {0} has an unknown kind of value", key)
    fields = vars(stored)
    properties, size, chunks = (fields.get(name) for name in ("properties", "size", "chunks"))
    require(
        type(properties) is described.TensorProperties and "dtype" in vars(properties), "{0} has no properties", key
    )
    require(isinstance(properties.dtype, torch.dtype), "{0} has a dtype that tensh lacks", key)
    require(is_size(size) and math.prod(size) < LARGEST, "{0} has an invalid size", key)
    require(type(chunks) is list, "{0} has no chunks", key)
    for chunk in chunks:
        box = vars(chunk) if type(chunk) is described.ChunkStorageMetadata else {}
        require(is_size(box.get("offsets")) and is_size(box.get("sizes")), "{0} has an invalid chunk", key)
        place = places.get(described.MetadataIndex(key, chunk.offsets))
        require(place is not None, "it does not say where {0} is", key)
        needed = math.prod(chunk.sizes) * properties.dtype.itemsize
        require(place.length >= needed, "{0} takes {1} bytes, and has {2} in the file", key, needed, place.length)
    for fault in find_faults(size, chunks, overlaps=False):
        require(False, "{0} {1}", key, fault)


def check_place(index, place):
    """Check the name of a part and its place, which is in a file of the folder."""
    require(type(index) is described.MetadataIndex, "a part has no name")
    fields = vars(place) if type(place) is _StorageInfo else {}
    name, offset, length = (fields.get(name) for name in ("relative_path", "offset", "length"))
    require(type(name) is str and is_count(offset) and is_count(length), "a part of {0} has no place", index.fqn)
    inside = name and name not in (".", "..") and not {"/", "\\", ":", "\0"} & {*name}
    require(inside, "it names {0}, which is not a file of its folder", name)
    require(not fields.get("transform_descriptors"), "{0} is compressed, which tensh does not read", index.fqn)


def check_apart(places):
    """Check that no two parts share bytes, so that all parts together take no more memory than the files have bytes."""
    spans = sorted((place.relative_path, place.offset, place.offset + place.length) for place in places.values())
    for before, after in itertools.pairwise(spans):
        require(before[0] != after[0] or before[2] <= after[1], "two parts share bytes of {0}", after[0])


def check_lengths(found, folder):
    """Check that existing files are long enough; a missing one is an error once it is needed."""
    ends = {}
    for place in found.storage_data.values():
        ends[place.relative_path] = max(ends.get(place.relative_path, 0), place.offset + place.length)
    for name, end in ends.items():
        path = os.path.join(folder, name)
        if os.path.exists(path):
            there = os.path.getsize(path)
            require(there >= end, "{0} has {1} bytes of {2}", name, there, end)
