"""Reading files of the safetensors format array by array, and out of bytes."""

import mmap
import os

import numpy as np

from tensh.engine.codegen.registry import PUBLIC
from tensh.engine.core.tensor import wrap
from tensh.utils.safetensors.format import (
    SafetensorError,
    as_array,
    header_of,
    map_array,
    open_file,
    read_array,
    read_header,
)
from tensh.utils.safetensors.slices import read_index

FRAMEWORKS = {"pt": wrap, "torch": wrap, "pytorch": wrap, "np": np.asarray, "numpy": np.asarray}
DEVICES = ("cpu", "cuda", "mps", "npu", "xpu", "xla", "mlu", "musa", "hpu")
BACKENDS = ("mmap", "pread")
SMALL = 2**20  # bytes of a file that is not worth mapping


class safe_open:
    """An open file: its names and metadata are read at once, each tensor when it is asked for.

    Args:
        filename: a path.
        framework: "pt" for tensors, "np" for NumPy arrays.
        device: must be "cpu".
        backend: "mmap" or "pread": large files are mapped, and read when they are used, or read at once.

    Raise SafetensorError for other settings, and for a file of another format.

    >>> import os, tempfile, tensh as torch
    >>> from tensh.utils.safetensors import safe_open
    >>> from tensh.utils.safetensors.torch import save_file
    >>> path = os.path.join(tempfile.mkdtemp(), "model.safetensors")
    >>> save_file({"w": torch.arange(6.0).view(2, 3)}, path, {"made": "today"})
    >>> with safe_open(path, framework="pt") as file:
    ...     file.keys(), file.metadata(), file.get_slice("w")[:, 1]
    (['w'], {'made': 'today'}, tensor([1., 4.]))
    """

    def __init__(self, filename, framework, device="cpu", *, backend="mmap"):
        if framework not in FRAMEWORKS:
            raise SafetensorError(f"framework {framework} is invalid")
        check_device(device)
        if backend not in BACKENDS:
            raise SafetensorError(f'backend "{backend}" is invalid (expected one of: "mmap", "pread")')
        self._made = FRAMEWORKS[framework]
        self._path = path_of(filename)
        self._file = open_file(self._path)  # it stays open as long as this does
        try:
            self._header = read_header(self._file)
            self._mapped = map_file(self._file) if backend == "mmap" else None
        except BaseException:
            self._file.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, _exc_type, _exc_value, _traceback):
        self._file.close()

    def keys(self):
        """Return the names, in alphabetical order."""
        return sorted(self._open().entries)

    def offset_keys(self):
        """Return the names, in the order of their places in the file."""
        return list(self._open().entries)

    def metadata(self):
        """Return the metadata of the file, name -> text; None if it has none."""
        return self._open().metadata

    def get_tensor(self, name):
        """Return a tensor of the file."""
        if self._mapped is not None and self._require_name(name).size:
            return self._made(map_array(self._mapped, self._header, name))
        self._require_name(name)
        return self._made(read_array(self._file, self._header, name))

    def get_tensors(self):
        """Return all tensors of the file, by name."""
        return {name: self.get_tensor(name) for name in self.offset_keys()}

    def get_slice(self, name):
        """Return a tensor of the file from which parts can be taken: ``file.get_slice("w")[:, 1]`` reads only these."""
        return Slice(self, self._require_name(name))

    def _open(self):
        if self._file.closed:
            raise SafetensorError("File is closed")
        return self._header

    def _require_name(self, name):
        if name not in self._open().entries:
            raise SafetensorError(f"File does not contain tensor {name}")
        return self._header.entries[name]


class _safe_open_handle(safe_open):
    """A file that a program has opened, read by its name.

    Args:
        f: a file with a descriptor and a name.
        framework, device, backend: as of ``safe_open``.
    """

    def __init__(self, f, framework, device="cpu", *, backend="mmap"):
        _ = f.fileno  # AttributeError for an object without a descriptor
        super().__init__(f.name, framework, device, backend=backend)


class Slice:
    """A tensor in a file that is not read as a whole."""

    def __init__(self, opened, entry):
        self._opened, self._entry = opened, entry

    def get_shape(self):
        """Return the sizes, as a list."""
        return list(self._entry.shape)

    def get_dtype(self):
        """Return the dtype, in the word of the format."""
        return self._entry.dtype

    def __getitem__(self, index):
        """Return the part at an index, as of a tensor; of an array, only numbers and slices that lie within it."""
        opened, entry = self._opened, self._entry
        begin = opened._open().length + entry.begin
        data = np.zeros(0, np.uint8)
        if entry.size:
            data = np.asarray(np.memmap(opened._path, np.uint8, "c", begin, (entry.size,)))  # pages are read when used
        array = as_array(data, entry)
        if opened._made is np.asarray:
            return np.array(array[read_index(index, entry.shape)])
        return wrap(array)[index].clone()


def map_file(file):
    """Return a file as memory that is read when it is used; None for a small one, which is read at once.

    A write to it changes a copy.  Not on Windows, where the file could not be saved as long as it is mapped.
    """
    if os.name == "nt" or os.fstat(file.fileno()).st_size < SMALL:
        return None
    return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)


def check_device(device):
    """Raise unless tensors can be on the device."""
    known = device.partition(":")[0] in DEVICES if isinstance(device, str) else isinstance(device, int)
    if not known:
        raise SafetensorError(
            f"device {device} is invalid" if isinstance(device, str) else f"device {device!r} is invalid"
        )
    if device != "cpu":
        PUBLIC["empty"](0, device=device)  # says why not


def path_of(filename):
    """Return a path as text; raise TypeError for anything else."""
    if isinstance(filename, bytes):
        raise TypeError("argument 'filename': 'bytes' object is not an instance of 'str'")
    try:
        path = os.fspath(filename)
    except TypeError as error:
        raise TypeError(f"argument 'filename': {error}") from None
    if not os.path.exists(path):
        raise FileNotFoundError(f"No such file or directory: {path}")
    return path


def from_bytes(data):
    """Yield (name, format's word for the dtype, array) of a file that is in memory, in the order of their places."""
    if not isinstance(data, bytes):
        raise TypeError(f"argument 'bytes': '{type(data).__name__}' object is not an instance of 'bytes'")
    header = header_of(data)
    for name, entry in header.entries.items():
        begin = header.length + entry.begin
        yield name, entry, np.frombuffer(bytearray(data[begin : begin + entry.size]), np.uint8)


def deserialize(bytes):
    """List the entries of a file in memory: (name, {"data": its bytes, "shape": ..., "dtype": ...})."""
    return [
        (name, {"data": bytearray(data), "shape": list(entry.shape), "dtype": entry.dtype})
        for name, entry, data in from_bytes(bytes)
    ]
