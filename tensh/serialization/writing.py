"""torch.save: objects into a file that PyTorch reads."""

import hashlib
import io
import os
import pickle
import struct
import sys
import zipfile
from collections import OrderedDict

import numpy as np

from tensh.engine.device import device
from tensh.engine.dtype import dtype
from tensh.engine.tensor import Size, Tensor
from tensh.nn.parameter import Parameter
from tensh.serialization.storages import STORAGES, UNTYPED, dtype_name, placed

ALIGNMENT = 64  # bytes: where the memory of tensors begins in the file, so that it can be mapped
PROTOCOL = 2


class Global:
    """A name that the file mentions, whether or not there is such a thing here."""

    def __init__(self, module, name):
        self.module, self.name = module, name

    def __call__(self, *args):
        """Only what can be called may stand for a function in a pickle."""


class Stored:
    """A mention of a block of memory."""

    def __init__(self, kind, key, count):
        self.kind, self.key, self.count = kind, key, count


TENSOR = Global("torch._utils", "_rebuild_tensor_v2")
TENSOR_OF_DTYPE = Global("torch._utils", "_rebuild_tensor_v3")
PARAMETER = Global("torch._utils", "_rebuild_parameter")
SIZE, DEVICE = Global("torch", "Size"), Global("torch", "device")


class Writer(pickle._Pickler):
    """A pickler that writes tensors as PyTorch does, and keeps their memory apart, each block once.

    It is the pickler in Python: the one in C insists that every name it writes can be imported here.
    """

    def __init__(self, file):
        super().__init__(file, PROTOCOL)
        self.blocks = []  # the bytes of each storage
        self.keys = {}  # id of a block's first byte and its length -> (key, dtype)
        self.kinds = {}
        self.names = {}  # one Global for each name, so that it is written once

    def named(self, module, name):
        return self.names.setdefault((module, name), Global(module, name))

    def persistent_id(self, obj):
        if isinstance(obj, Stored):
            return "storage", obj.kind, obj.key, "cpu", obj.count
        return None

    def reducer_override(self, obj):
        if isinstance(obj, Parameter):
            return PARAMETER, (obj.data, obj.requires_grad, OrderedDict())
        if isinstance(obj, Tensor):
            return self.tensor(obj)
        if isinstance(obj, Size):
            return SIZE, (tuple(obj),)
        if isinstance(obj, device):
            return DEVICE, (obj.type,) if obj.index is None else (obj.type, obj.index)
        return NotImplemented

    def tensor(self, t):
        place = placed(t.array)
        name = dtype_name(t.array)
        facts = (place.offset, tuple(map(int, t.shape)), place.strides, t.is_leaf and t.requires_grad, OrderedDict())
        stored = self.stored(place.block, name, t.array.itemsize)
        if name in STORAGES:
            return TENSOR, (stored, *facts)
        return TENSOR_OF_DTYPE, (stored, *facts, self.named("torch", name))

    def stored(self, block, name, itemsize):
        """The mention of a block, which is kept when it is new."""
        address = block.__array_interface__["data"][0], block.nbytes
        if not block.nbytes:
            address = object()  # memory without bytes has no place
        if address in self.keys and self.keys[address][1] != name:
            raise RuntimeError("Cannot save multiple tensors or storages that view the same data as different types")
        if address not in self.keys:
            self.keys[address] = str(len(self.blocks)), name
            self.blocks.append(block)
        kind = self.named("torch", STORAGES[name]) if name in STORAGES else self.named("torch.storage", UNTYPED)
        return Stored(kind, self.keys[address][0], block.nbytes // (itemsize if name in STORAGES else 1))

    def save_named(self, obj):
        self.write(pickle.GLOBAL + f"{obj.module}\n{obj.name}\n".encode())
        self.memoize(obj)

    def save_dtype(self, obj):
        self.save(self.named("torch", str(obj).removeprefix("torch.")))

    dispatch = pickle._Pickler.dispatch | {Global: save_named, dtype: save_dtype}


def save(
    obj,
    f,
    pickle_module=pickle,
    pickle_protocol=PROTOCOL,
    _use_new_zipfile_serialization=True,
    _disable_byteorder_record=False,
):
    """Write an object to a file, in the format of PyTorch: tensors, and containers of them such as a ``state_dict``.

    Args:
        obj: tensors, parameters, numbers, texts, and lists, tuples, dicts and sets of them.
        f: a path, or a file open for writing bytes.

    Tensors that share memory share it when they come back.  A file that was there is replaced only when all is written.

    >>> import tensh as torch, io
    >>> file = io.BytesIO()
    >>> torch.save({"w": torch.ones(2)}, file)
    >>> torch.load(io.BytesIO(file.getvalue()))
    {'w': tensor([1., 1.])}
    """
    if isinstance(f, str | os.PathLike):
        return _to_path(obj, os.fspath(f))
    if not hasattr(f, "write"):
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
    written = io.BytesIO()
    archive(obj, written, "archive")
    f.write(written.getvalue())
    return None


def _to_path(obj, path):
    """Write beside the file first: it is replaced whole, or not at all."""
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise RuntimeError(f"Parent directory {folder} does not exist.")
    beside = f"{path}.{os.getpid()}.part"
    try:
        with open(beside, "wb") as file:
            archive(obj, file, os.path.splitext(os.path.basename(path))[0] or "archive")
        os.replace(beside, path)
    except BaseException:
        if os.path.exists(beside):
            os.remove(beside)
        raise


def archive(obj, file, name):
    """The whole archive: the pickle, the memory of the tensors, and what else PyTorch puts there."""
    described = io.BytesIO()
    writer = Writer(described)
    writer.dump(obj)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as zipped:

        def put(path, data):
            _put(zipped, f"{name}/{path}", data)

        put("data.pkl", described.getvalue())
        put(".format_version", b"1")
        put(".storage_alignment", str(ALIGNMENT).encode())
        put("byteorder", sys.byteorder.encode())
        for key, block in enumerate(writer.blocks):
            put(f"data/{key}", memoryview(np.ascontiguousarray(block)).cast("B") if block.nbytes else b"")
        put("version", b"3\n")
        put(".data/serialization_id", _identity(described.getvalue(), writer.blocks))


def _put(zipped, path, data):
    """One record, whose bytes begin at a multiple of the alignment."""
    info = zipfile.ZipInfo(path)
    begin = zipped.fp.tell() + 30 + len(path.encode())
    padding = -(begin + 4) % ALIGNMENT
    info.extra = struct.pack("<HH", 0x4246, padding) + b"Z" * padding  # the field that PyTorch pads with
    with zipped.open(info, "w", force_zip64=len(data) >= 2**31) as record:
        record.write(data)


def _identity(described, blocks):
    """A number that tells files apart, the same for the same contents."""
    hashed = hashlib.sha1(described, usedforsecurity=False)
    for block in blocks:
        hashed.update(np.ascontiguousarray(block).data if block.nbytes else b"")
    return str(int.from_bytes(hashed.digest(), "big") % 10**40).rjust(40, "0").encode()
