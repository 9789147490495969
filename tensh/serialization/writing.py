"""torch.save: write objects to a file in PyTorch's format."""

import copyreg
import errno
import functools
import hashlib
import io
import os
import pickle
import sys
import types
from collections import OrderedDict
from operator import index

import numpy as np

from tensh.engine.arrays.absent import is_absent
from tensh.engine.core.tensor import SPARSE, Tensor
from tensh.engine.dispatch.override.state import is_wrapper
from tensh.engine.dtypes.device import device, layout
from tensh.engine.dtypes.dtype import ALL, dtype
from tensh.engine.dtypes.size import Size
from tensh.engine.operators.shapes.composites.storage import UntypedStorage
from tensh.engine.operators.shapes.composites.typed_storage import TypedStorage
from tensh.engine.random.generator import Generator
from tensh.nn.modules.module import Module
from tensh.nn.parameter import Parameter, is_lazy
from tensh.nn.utils.rnn import PackedSequence
from tensh.serialization import legacy
from tensh.serialization.allowed import module_in_files
from tensh.serialization.options import skips_data
from tensh.serialization.records import ALIGNMENT, Records
from tensh.serialization.sparse import sparse_facts
from tensh.serialization.storages import STORAGES, UNTYPED, dtype_name, flat, place_of
from tensh.serialization.whole_writes import write_whole
from tensh.support.naming import is_of_torch, names_of_torch
from tensh.support.replacing import replace_file

PROTOCOL = 2
NUMBERS = frozenset([int, float, bool, type(None)])


class Global:
    """A name written to the file, which need not exist here."""

    def __init__(self, module, name):
        self.module, self.name = module, name

    def __call__(self, *args):
        """Never called: a pickle requires a callable in place of a function."""


class BlockMention:
    """A reference to a block of memory."""

    def __init__(self, kind, key, count):
        self.kind, self.key, self.count = kind, key, count


TENSOR = Global("torch._utils", "_rebuild_tensor_v2")
TENSOR_OF_DTYPE = Global("torch._utils", "_rebuild_tensor_v3")
WITHOUT_ELEMENTS = Global("torch._utils", "_rebuild_meta_tensor_no_storage")
WRAPPER = Global("torch._utils", "_rebuild_wrapper_subclass")
WITH_ATTRIBUTES = Global("torch._tensor", "_rebuild_from_type_v2")
SPARSE_TENSOR = Global("torch._utils", "_rebuild_sparse_tensor")
NESTED = Global("torch._utils", "_rebuild_nested_tensor")
JAGGED = Global("torch.nested._internal.nested_tensor", "_rebuild_njt")
NESTED_TENSOR = Global("torch.nested._internal.nested_tensor", "NestedTensor")
PARAMETER = Global("torch._utils", "_rebuild_parameter")
PARAMETER_WITH_STATE = Global("torch._utils", "_rebuild_parameter_with_state")
SIZE, DEVICE, PLAIN = Global("torch", "Size"), Global("torch", "device"), Global("torch", "Tensor")
LAYOUT = Global("torch.serialization", "_get_layout")
GENERATOR, TENSOR_BASE = Global("torch._C", "Generator"), Global("torch._C", "TensorBase")


def reduces_itself(cls):
    """Return True for a user's class of tensors or modules that says by ``__reduce_ex__`` what a file has of it."""
    if not issubclass(cls, (Tensor, Module)):
        return False
    names = ("__reduce_ex__",) if issubclass(cls, Tensor) else ("__reduce_ex__", "__reduce__")  # ignored by tensors
    owner = next(each for each in cls.__mro__ if any(name in vars(each) for name in names))
    return owner is not object and not is_of_torch(owner.__module__)


def mention(stored):
    """Return an archive's reference to a block of memory."""
    return "storage", stored.kind, stored.key, "cpu", stored.count


UNOPENED = {errno.EISDIR, errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG}
"""Errors of paths that cannot be opened for writing."""


class Writer(pickle._Pickler):
    """A pickler that writes tensors as PyTorch does, with their memory stored separately, each block once.

    Based on the pickler written in Python: the one in C requires every name that it writes to be importable here.
    """

    def __init__(self, file, protocol=PROTOCOL, mention=mention):
        super().__init__(file, protocol)
        self.mention = mention
        self.blocks = []  # the bytes of each storage
        self.counts = {}  # key of a storage -> number of its elements
        self.keys = {}  # (address, length) of a block -> (key, dtype)
        self.names = {}  # one Global per name, so that it is written once

    def mention_global(self, module, name):
        return self.names.setdefault((module, name), Global(module, name))

    def persistent_id(self, obj):
        if isinstance(obj, UntypedStorage):
            obj = self.mention_storage(flat(obj.array), None)
        elif isinstance(obj, TypedStorage):
            obj = self.mention_storage(flat(obj.row), dtype_name(obj.row))
        return self.mention(obj) if isinstance(obj, BlockMention) else None

    def reducer_override(self, obj):
        if reduces_itself(type(obj)):
            with names_of_torch():
                return obj.__reduce_ex__(self.proto)
        if is_lazy(obj):
            return type(obj), (obj.requires_grad,)
        if isinstance(obj, Tensor):
            return self.parameter(obj) if issubclass(type(obj), Parameter) else self.tensor(obj)
        if isinstance(obj, Module):
            return copyreg.__newobj__, (type(obj),), obj.__getstate__()
        if isinstance(obj, Size):
            return SIZE, (tuple(obj),)
        if isinstance(obj, device):
            return DEVICE, (obj.type,) if obj.index is None else (obj.type, obj.index)
        if isinstance(obj, layout):
            return LAYOUT, (str(obj),)
        if isinstance(obj, Generator):
            return GENERATOR, (obj.device,), (obj.initial_seed(), None, obj.get_state())
        if isinstance(obj, PackedSequence):
            return copyreg.__newobj__, (type(obj), *obj)
        if isinstance(obj, types.FunctionType) and (obj.__module__, obj.__qualname__) == (
            "torch",
            f"Tensor.{obj.__name__}",
        ):
            return getattr, (TENSOR_BASE, obj.__name__)
        return NotImplemented

    def parameter(self, p):
        facts = p.data, p.requires_grad, OrderedDict()
        return (PARAMETER_WITH_STATE, (*facts, p.__dict__)) if p.__dict__ else (PARAMETER, facts)

    def tensor(self, t):
        if t.is_nested:
            return self.nested(t)
        if type(t.array) in SPARSE:
            return self.add_attributes(t, SPARSE_TENSOR, (t.layout, sparse_facts(t)))
        if is_wrapper(t):
            facts = (
                type(t),
                t.dtype,
                tuple(t.shape),
                tuple(t.stride()),
                t.storage_offset(),
                t.layout,
                t.device,
                t.requires_grad,
            )
            return self.add_attributes(t, WRAPPER, facts)
        if is_absent(t.array):
            facts = t.dtype, tuple(t.shape), tuple(t.stride()), t.requires_grad
            return self.add_attributes(t, WITHOUT_ELEMENTS, facts)
        if not isinstance(t.array, np.ndarray):
            raise NotImplementedError(f"tensh does not save a {type(t).__name__}: it has no elements of its own")
        place = place_of(t.array)
        name = dtype_name(t.array)
        facts = (place.offset, tuple(map(int, t.shape)), place.strides, t.requires_grad, OrderedDict())
        function, arguments = TENSOR, (self.mention_storage(place.block, name), *facts)
        if name not in STORAGES:
            function, arguments = TENSOR_OF_DTYPE, (*arguments, self.mention_global("torch", name))
        return self.add_attributes(t, function, arguments)

    def add_attributes(self, t, function, arguments):
        """Return the call that makes a tensor, extended for another class or attributes."""
        if type(t) is Tensor and not t.__dict__:
            return function, arguments
        return WITH_ATTRIBUTES, (function, PLAIN if type(t) is Tensor else type(t), arguments, t.__dict__)

    def nested(self, t):
        found = t._parts_to_save()
        return (NESTED, found) if len(found) > 1 else (WITH_ATTRIBUTES, (JAGGED, NESTED_TENSOR, found, {}))

    def mention_storage(self, block, name):
        """Return the reference to a block of elements of a dtype, or of bytes if it is None; add a new block."""
        address = (block.__array_interface__["data"][0], block.nbytes) if block.nbytes else object()
        if address in self.keys and self.keys[address][1] != name:
            raise RuntimeError("Cannot save multiple tensors or storages that view the same data as different types")
        if address not in self.keys:
            self.keys[address] = str(len(self.blocks)), name
            self.blocks.append(block)
        typed, key = name in STORAGES, self.keys[address][0]
        count = self.counts[key] = block.nbytes // (ALL[name].numpy.itemsize if typed else 1)
        return BlockMention(
            self.mention_global("torch", STORAGES[name]) if typed else self.mention_global("torch.storage", UNTYPED),
            key,
            count,
        )

    def save_named(self, obj):
        self.write(pickle.GLOBAL + f"{obj.module}\n{obj.name}\n".encode())
        self.memoize(obj)

    def save_dtype(self, obj):
        self.save(self.mention_global("torch", str(obj).removeprefix("torch.")))

    def save_global(self, obj, name=None):
        """Save a class or function, under PyTorch's name for those of tensh."""
        module = module_in_files(getattr(obj, "__module__", None) or "")
        if module.partition(".")[0] != "torch":
            try:
                return super().save_global(obj, name)
            except (pickle.PicklingError, AttributeError) as error:
                raise self.explain_absence(
                    obj, name or getattr(obj, "__qualname__", None) or obj.__name__, error
                ) from None
        return self.save_named(Global(module, obj.__qualname__))

    @staticmethod
    def explain_absence(obj, name, error):
        """The error of PyTorch's pickler, which is written in C, for a class or function that a reader would not find."""
        if "<locals>" in name:
            return AttributeError(f"Can't pickle local object {name!r}")
        if "not the same object" in str(error):
            return error
        module = pickle.whichmodule(obj, name)
        return pickle.PicklingError(f"Can't pickle {obj!r}: attribute lookup {name} on {module} failed")

    def save_ordered_dict(self, obj):
        """Save an OrderedDict and its attributes, without calling its own slower `__reduce__`."""
        self.save_reduce(OrderedDict, (), obj.__dict__ or None, None, obj.items(), obj=obj)

    def save_tensor(self, t):
        """Save a tensor as described by `reducer_override`, written directly: in half the time."""
        if t.__dict__ or type(t.array) is not np.ndarray or (name := dtype_name(t.array)) not in STORAGES:
            return super().save(t)
        place = place_of(t.array)
        self.save(TENSOR)
        self.write(pickle.MARK)
        self.write(pickle.MARK)
        for part in self.mention(self.mention_storage(place.block, name)):
            self.save(part)
        numbers = describe_ints(place.offset) + describe_ints(t.array.shape) + describe_ints(place.strides)
        self.write(pickle.TUPLE + pickle.BINPERSID + numbers + (pickle.NEWTRUE if t.requires_grad else pickle.NEWFALSE))
        self.save(OrderedDict)
        self.write(pickle.EMPTY_TUPLE + pickle.REDUCE + pickle.TUPLE + pickle.REDUCE)
        return self.memoize(t)

    def save_list(self, values):
        """Save a list; one of numbers is written by the pickler in C, in a third of the time."""
        if not (values and NUMBERS.issuperset(map(type, values))):
            return super().save_list(values)
        self.write(pickle.EMPTY_LIST)
        self.memoize(values)
        return self.write(pickle.dumps(values, PROTOCOL)[5:-1])  # without protocol, list, memo index and stop

    def save(self, obj, save_persistent_id=True):
        """Save any object; plain types are dispatched first, without the tests that take most of the time."""
        write = PLAIN_KINDS.get(type(obj))
        if write is None:
            return super().save(obj, save_persistent_id)
        self.framer.commit_frame()
        known = self.memo.get(id(obj))
        return write(self, obj) if known is None else self.write(self.get(known[0]))

    dispatch = pickle._Pickler.dispatch | {Global: save_named, dtype: save_dtype, types.FunctionType: save_global}


PLAIN_KINDS = {
    kind: Writer.dispatch[kind] for kind in (type(None), bool, int, float, str, bytes, tuple, list, dict, Global)
} | {OrderedDict: Writer.save_ordered_dict, Tensor: Writer.save_tensor, list: Writer.save_list}


@functools.lru_cache(4096)
def describe_ints(values):
    """Return the instructions that make an int, or a tuple of ints."""
    if type(values) is int:
        return pickle.dumps(values, PROTOCOL)[2:-1]
    return pickle.MARK + b"".join(map(describe_ints, values)) + pickle.TUPLE if values else pickle.EMPTY_TUPLE


def save(
    obj,
    f,
    pickle_module=pickle,
    pickle_protocol=PROTOCOL,
    _use_new_zipfile_serialization=True,
    _disable_byteorder_record=False,
):
    """Save an object to a file in PyTorch's format: tensors, and containers of them such as a ``state_dict``.

    Args:
        obj: tensors, parameters, numbers, strings, and lists, tuples, dicts and sets of them.
        f: a path, or a file open for writing bytes.
        pickle_protocol: the pickle protocol, 2 or more.
        _use_new_zipfile_serialization: False for the format of PyTorch before 1.6.

    Tensors that share memory share it again when loaded. An existing file is replaced only when everything is written.
    Raise RuntimeError for a folder that does not exist, and for the old format within ``torch.serialization.skip_data``.

    >>> import tensh as torch, io
    >>> file = io.BytesIO()
    >>> torch.save({"w": torch.ones(2)}, file)
    >>> torch.load(io.BytesIO(file.getvalue()))
    {'w': tensor([1., 1.])}
    """

    pickle_protocol = index(pickle_protocol)
    if skips_data.get() and not _use_new_zipfile_serialization:
        raise RuntimeError("Cannot use skip_data=True with _use_new_zipfile_serialization=False")

    def put(file, name):
        if _use_new_zipfile_serialization:
            archive(obj, file, name, pickle_protocol)
        else:
            legacy.write(Writer, obj, file, pickle_protocol)

    if isinstance(f, str | os.PathLike):
        return _to_path(put, os.fspath(f), _use_new_zipfile_serialization)
    if not hasattr(f, "write"):
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
    whole = write_whole(f)
    if _is_at_start(f):
        put(whole, "archive")
    else:
        written = io.BytesIO()
        put(written, "archive")
        whole.write(written.getbuffer())
    f.flush()
    return None


def _is_at_start(file):
    """Return True if an archive can be written directly: positions in an archive count from the file's beginning."""
    try:
        return file.seekable() and file.tell() == 0
    except (AttributeError, OSError, ValueError):
        return False


def _to_path(put, path, zipped):
    """Write to a temporary file that replaces the old one atomically; a path that cannot be opened raises PyTorch's error."""
    folder = os.path.dirname(path) or "."
    if zipped and not os.path.isdir(folder):
        raise RuntimeError(f"Parent directory {folder} does not exist.")
    if zipped and not path:
        raise RuntimeError("[enforce fail at inline_container.cc:720] . invalid file name: ")
    try:
        with replace_file(path) if path else open(path, "wb") as file:
            put(file, os.path.splitext(os.path.basename(path))[0] or "archive")
    except OSError as error:
        if error.errno not in UNOPENED:
            raise
        if zipped:
            words = f"[enforce fail at inline_container.cc:747] . open file failed with strerror: {error.strerror}"
            raise RuntimeError(words) from None
        raise OSError(error.errno, error.strerror, path) from None


def archive(obj, file, name, protocol=PROTOCOL):
    """Write the archive: the pickle, the memory of the tensors, and PyTorch's other records."""
    described = io.BytesIO()
    writer = Writer(described, protocol)
    writer.dump(obj)
    records = Records(file, name)
    records.put("data.pkl", described.getvalue())
    records.put(".format_version", b"1")
    records.put(".storage_alignment", str(ALIGNMENT).encode())
    records.put("byteorder", sys.byteorder.encode())
    for key, block in enumerate(writer.blocks):
        block = np.zeros(block.nbytes, np.uint8) if skips_data.get() else np.ascontiguousarray(block)
        records.put(f"data/{key}", memoryview(block).cast("B") if block.nbytes else b"")
    records.put("version", b"3\n")
    records.put(".data/serialization_id", _identity(described.getvalue(), records.checksums))
    records.end()


def _identity(described, checksums):
    """Return a number that identifies the contents, from the checksums of the archive."""
    hashed = hashlib.sha1(described, usedforsecurity=False)
    hashed.update(repr(checksums).encode())
    return str(int.from_bytes(hashed.digest(), "big") % 10**40).rjust(40, "0").encode()
