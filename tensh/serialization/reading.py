"""torch.load: objects out of a file that PyTorch or tensh wrote, without running anything that is in it."""

import io
import os
import pickle
import sys
import zipfile

import numpy as np

from tensh.engine.dtype import ALL
from tensh.serialization.allowed import Storage, found
from tensh.serialization.rebuilding import DamagedError
from tensh.serialization.storages import KINDS

BROKEN = (
    "PytorchStreamReader failed reading zip archive: {}. This is an internal miniz error. If you are seeing this error, there "
    "is a high likelihood that your checkpoint file is corrupted. This can happen if the checkpoint was not saved properly, was "
    "transferred incorrectly, or the file was modified after saving."
)
REFUSED = (
    "Weights only load failed. This file asks for names that could run code, and tensh loads no such file. \n"
    "\tWeightsUnpickler error: Unsupported global: GLOBAL {0} was not an allowed global by default. Please use "
    "`torch.serialization.add_safe_globals([{1}])` or the `torch.serialization.safe_globals([{1}])` context manager to allowlist "
    "this global if you trust this class/function."
)
LARGEST_PICKLE = 2**30  # bytes of the description, which is small beside the tensors


def load(f, map_location=None, pickle_module=None, *, weights_only=None, mmap=None, **pickle_load_args):
    """The object in a file that ``torch.save`` wrote, here or in PyTorch.

    Args:
        f: a path, or a file open for reading bytes that can be searched.
        map_location: where tensors are to be; only "cpu" is there.
        weights_only: a file that asks for more than tensors and containers is refused, whatever is said here:
            ``torch.serialization.add_safe_globals`` is the way to let it have a class.

    Nothing in the file is run.  RuntimeError or UnpicklingError for what is damaged, or is no such file.

    >>> import tensh as torch, io
    >>> file = io.BytesIO()
    >>> torch.save([torch.arange(3), "name"], file)
    >>> _ = file.seek(0)
    >>> torch.load(file)
    [tensor([0, 1, 2]), 'name']
    """
    refuse_other_places(map_location)
    if isinstance(f, str | os.PathLike):
        with open(f, "rb") as file:
            return _load(file, map_location)
    for method in ("seek", "read"):
        if not hasattr(f, method):
            raise AttributeError(
                f"'{type(f).__name__}' object has no attribute '{method}'. You can only torch.load from a file that is seekable. "
                "Please pre-load the data into a buffer like io.BytesIO and try to load from it instead."
            )
    return _load(f, map_location)


def refuse_other_places(place):
    """Tensors can only be on the CPU."""
    if isinstance(place, dict):
        places = place.values()
    elif callable(place) or place is None:
        places = ()
    else:
        places = (place,)
    for each in places:
        if str(each).partition(":")[0] == "cuda":
            raise RuntimeError(
                "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running on "
                "a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU."
            )


def _load(file, map_location):
    start = file.read(4)
    if not start:
        raise EOFError("Ran out of input")
    file.seek(0)
    if start[:2] != b"PK":
        raise pickle.UnpicklingError(
            "this is no file of torch.save: PyTorch has written zip archives since 1.6, and older files are not read here"
        )
    try:
        with zipfile.ZipFile(file) as zipped:
            return Archive(zipped).load()
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise RuntimeError(BROKEN.format("failed finding central directory")) from error
    except DamagedError as error:
        raise RuntimeError(f"this checkpoint is damaged: {error}") from None
    except (
        EOFError,
        OverflowError,
        ValueError,
        TypeError,
        KeyError,
        IndexError,
        AttributeError,
        MemoryError,
        RecursionError,
    ) as error:
        raise pickle.UnpicklingError(f"this checkpoint is damaged: {type(error).__name__}: {error}") from None


class Archive:
    """The records of a file, by their names within the one folder that holds them."""

    def __init__(self, zipped):
        self.zipped = zipped
        self.size = (
            os.fstat(zipped.fp.fileno()).st_size if _has_descriptor(zipped.fp) else zipped.fp.seek(0, io.SEEK_END)
        )
        self.records = {}
        for info in zipped.infolist():
            self.records[info.filename.partition("/")[2]] = info
        if "data.pkl" not in self.records:
            raise DamagedError("it has no data.pkl")
        self.swapped = self.text("byteorder", sys.byteorder) not in ("", sys.byteorder)
        self.storages = {}
        self.left = self.size  # bytes of storages that a file of this size can still have

    def text(self, name, otherwise):
        return self.read(name, 64).decode(errors="replace").strip() if name in self.records else otherwise

    def read(self, name, most):
        """The bytes of a record, which must be stored as they are and no longer than the file."""
        info = self.records.get(name)
        if info is None:
            raise DamagedError(f"it has no record {name}")
        if (
            info.compress_type != zipfile.ZIP_STORED
            or info.file_size != info.compress_size
            or info.file_size > self.size
        ):
            raise DamagedError(f"the record {name} is not stored as it is")
        if info.file_size > most:
            raise DamagedError(f"the record {name} has {info.file_size} bytes, and {most} is the most")
        return self.zipped.read(info)

    def load(self):
        return Reader(io.BytesIO(self.read("data.pkl", LARGEST_PICKLE)), self).load()

    def storage(self, kind, key, count):
        """The elements of a storage, read once for all tensors that share it."""
        if key not in self.storages:
            dtype = ALL[KINDS[kind]].numpy if kind in KINDS else np.dtype(np.uint8)
            if type(count) is not int or count < 0:
                raise DamagedError(f"a storage of {count} elements")
            data = self.read(f"data/{key}", self.size)
            if len(data) != count * dtype.itemsize:
                raise DamagedError(
                    f"storage {key} has {len(data)} bytes, and {count} elements of {dtype} need {count * dtype.itemsize}"
                )
            self.left -= len(data)
            if self.left < 0:
                raise DamagedError("its storages overlap: they are larger than the file")
            array = np.frombuffer(bytearray(data), dtype)
            self.storages[key] = (array.byteswap() if self.swapped else array), kind
        array, known = self.storages[key]
        if known != kind:
            raise DamagedError(f"storage {key} is said to be {known} and {kind}")
        return array


def _has_descriptor(file):
    try:
        file.fileno()
    except (OSError, AttributeError, io.UnsupportedOperation):
        return False
    return True


class Reader(pickle.Unpickler):
    """An unpickler that knows the names of tensors and containers, and refuses every other."""

    def __init__(self, file, archive):
        super().__init__(file, encoding="utf-8")
        self.archive = archive

    def find_class(self, module, name):
        thing = found(module, name)
        if thing is None:
            raise pickle.UnpicklingError(REFUSED.format(f"{module}.{name}", name.rpartition(".")[2]))
        return thing

    def persistent_load(self, mention):
        if not (
            isinstance(mention, tuple)
            and len(mention) == 5
            and mention[0] == "storage"
            and isinstance(mention[1], Storage)
        ):
            raise DamagedError("it mentions something that is no storage")
        _, kind, key, _, count = mention
        if not isinstance(key, str):
            raise DamagedError("a storage without a name")
        return self.archive.storage(str(kind), key, count)
