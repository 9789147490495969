"""torch.load: load objects from a file written by PyTorch or tensh, without executing anything in it."""

import io
import os
import pickle
import zipfile

from tensh.engine.arrays.absent import drop_elements
from tensh.engine.dtypes.device import device
from tensh.engine.errors.warnings import warn
from tensh.engine.operators.shapes.composites.storage import UntypedStorage
from tensh.serialization.allowed import Names
from tensh.serialization.archive import Archive
from tensh.serialization.containers import CallersError
from tensh.serialization.faults import REFUSED, UNKNOWN, translate_faults
from tensh.serialization.legacy import Legacy
from tensh.support.endless import is_endless

NOWHERE = "don't know how to restore data location of torch.storage.UntypedStorage (tagged with {})"
NO_DEVICE = (
    "Attempting to deserialize object on a {0} device but torch.{1}.is_available() is False. If you are running on a CPU-only "
    "machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU."
)
ZIP = b"PK\3\4"  # signature of an archive


def load(f, map_location=None, pickle_module=None, *, weights_only=None, mmap=None, **pickle_load_args):
    """Load an object from a file written by ``torch.save`` of tensh or PyTorch, including the format before 1.6.

    Args:
        f: a path, also of a ``.safetensors`` file, or a seekable file open for reading bytes.
        map_location: the location of the tensors, which is the CPU: "cpu", a device, a dict of locations, or a function of
            a storage and its location. Files from another device need it.
        weights_only: restrict the file to tensors, numbers, strings and plain containers; False also allows modules of
            classes that the program has, NumPy arrays, generators and a few kinds of values.
        mmap: map the memory of tensors, which is then read on demand; for paths.

    No code in the file is executed, whatever ``weights_only`` is. ``torch.serialization.add_safe_globals`` allows files to
    use a class or function of yours, whose code then runs. Raise RuntimeError or UnpicklingError for a file that is damaged,
    of another kind or uses other names; EOFError for an empty file.

    >>> import tensh as torch, io
    >>> file = io.BytesIO()
    >>> torch.save([torch.arange(3), "name"], file)
    >>> _ = file.seek(0)
    >>> torch.load(file)
    [tensor([0, 1, 2]), 'name']
    """
    if weights_only is None:
        weights_only = pickle_module is None
    if weights_only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    if weights_only and pickle_load_args:
        warn("pickle_load_args only works if `weights_only=False`.")
    encoding = pickle_load_args.get("encoding", "utf-8")
    place = choose_place(map_location)
    require_file(f)
    if isinstance(f, str | os.PathLike):
        path = os.fspath(f)
        if path.endswith(".safetensors"):
            return _safetensors(path, map_location)
        with open(path, "rb") as file:
            return _load(file, place, weights_only, encoding, mmap, path, f"{f}, " if isinstance(f, str) else "")
    for method in ("seek", "tell", "read"):
        try:
            getattr(f, method)
        except AttributeError as refusal:
            raise AttributeError(
                f"{refusal}. You can only torch.load from a file that is seekable. "
                "Please pre-load the data into a buffer like io.BytesIO and try to load from it instead."
            ) from None
    return _load(f, place, weights_only, encoding, mmap)


def require_file(f):
    """Raise RuntimeError for a pipe or a device."""
    if isinstance(f, str | os.PathLike) and is_endless(f):
        raise RuntimeError(f"{os.fspath(f)} is a pipe or a device, not a file")


def _safetensors(path, map_location):
    if isinstance(map_location, dict) or callable(map_location):
        form = "dict" if isinstance(map_location, dict) else "callable"
        raise RuntimeError(
            f"Loading safetensors file with {form} map_location is not supported. Use a device string or torch.device instead."
        )
    from tensh.utils.safetensors.torch import load_file

    return load_file(path, "cpu" if map_location is None else str(map_location))


# ── locations of tensors ─────────────────────────────────────────────────────
def choose_place(map_location):
    """Return the function that maps (a row of elements, its location) to a row of elements on the CPU."""
    if map_location is None:
        return restore_row
    if isinstance(map_location, dict):
        return lambda row, where: restore_row(row, map_location.get(where, where))
    if isinstance(map_location, str | device):
        return lambda row, where: restore_row(row, str(map_location))

    def ask_place(row, where):
        storage = map_location(UntypedStorage(row), where)
        if storage is None:
            return restore_row(row, where)
        if not isinstance(storage, UntypedStorage):
            raise CallersError(TypeError(f"map_location gave {type(storage)}, not an UntypedStorage"))
        return storage.bytes().view(row.dtype)

    return lambda row, where: _call_users(ask_place, row, where)


def _call_users(function, *arguments):
    try:
        return function(*arguments)
    except CallersError:
        raise
    except Exception as error:
        raise CallersError(error) from None


def restore_row(row, where):
    """Return the row if it belongs on the CPU; for "meta" a row without elements."""
    kind = where.partition(":")[0]
    if kind == "cpu":
        return row
    if kind == "meta":
        return drop_elements(row)
    if kind in ("cuda", "xpu", "hpu"):
        raise RuntimeError(NO_DEVICE.format(kind.upper(), kind))
    raise RuntimeError(NOWHERE.format(where))


def default_restore_location(storage, location):
    """Return a storage for a location that a file names, as a function for ``map_location`` may.

    Raise RuntimeError for devices other than the CPU and "meta".

    >>> import tensh as torch, io
    >>> file = io.BytesIO()
    >>> torch.save(torch.arange(3), file)
    >>> _ = file.seek(0)
    >>> torch.load(file, map_location=lambda storage, place: torch.serialization.default_restore_location(storage, "cpu"))
    tensor([0, 1, 2])
    """
    row = storage.bytes()
    restored = restore_row(row, location)
    return storage if restored is row else UntypedStorage(restored)


# ── reading ──────────────────────────────────────────────────────────────────
def _load(file, place, weights_only, encoding, mmap, path=None, shown=""):
    here = file.tell()
    start = file.read(4)
    if isinstance(start, str):
        raise AssertionError("Expected bytes, got str")
    file.seek(here)
    if mmap and start != ZIP:
        raise RuntimeError(
            f"mmap can only be used with files saved with `torch.save({shown}_use_new_zipfile_serialization=True), "
            "please torch.save your checkpoint with this option in order to use mmap."
        )
    if mmap and path is None:
        raise ValueError("f must be a file path in order to use the mmap argument")
    if weights_only and start != ZIP and start[:1] not in (pickle.PROTO, b""):
        raise pickle.UnpicklingError(f"{REFUSED}{UNKNOWN}{start[0]}")
    if weights_only:
        names = Names()
    else:
        from tensh.serialization.program_objects import ProgramObjects

        names = Names(ProgramObjects())
    with translate_faults(file, here, weights_only):
        return _read(file, start, place, names, encoding, path if mmap else None)


def _read(file, start, place, names, encoding, mapped):
    if start == ZIP:
        if not hasattr(file, "seekable"):  # zipfile asks for more methods than PyTorch
            file = io.BytesIO(file.read())
        with zipfile.ZipFile(file) as zipped:
            return Archive(zipped, place, mapped).load(names, encoding)
    here = file.tell()
    legacy = Legacy(file, place)
    loaded = legacy.load(names, encoding)
    file.seek(here + legacy.place)  # several may follow each other
    return loaded
