"""torch.load: load objects from a file written by PyTorch or tensh, without executing anything in it."""

import io
import os
import pickle
import struct
import zipfile
import zlib

from tensh.engine.arrays.absent import drop_elements
from tensh.engine.arrays.memory import NO_MEMORY
from tensh.engine.dtypes.device import device
from tensh.engine.errors.messages import too_large
from tensh.engine.errors.warnings import warn
from tensh.engine.operators.shapes.composites.storage import UntypedStorage
from tensh.serialization.allowed import Names
from tensh.serialization.archive import BROKEN, Archive
from tensh.serialization.containers import CallersError, DamagedError, LackingError
from tensh.serialization.legacy import Legacy
from tensh.serialization.unpickling import TRUNCATED
from tensh.support.escaping import visible_line

NOWHERE = "don't know how to restore data location of torch.storage.UntypedStorage (tagged with {})"
NO_DEVICE = (
    "Attempting to deserialize object on a {0} device but torch.{1}.is_available() is False. If you are running on a CPU-only "
    "machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU."
)
LACKING_MEMORY = NO_MEMORY.partition("{}")[0]
LONGEST = 1000  # characters of an error message about a file
ZIP = b"PK\3\4"  # signature of an archive
SHORTEST = 22  # bytes of an archive without records
UNKNOWN = "Unsupported operand "
REFUSED = "Weights only load failed. WeightsUnpickler error: "
SAFE_HERE = " With weights_only=False tensh builds it without running any code of the file."
STILL_REFUSED = "tensh runs no code of a file, whatever weights_only is. "
WRONG = (
    OverflowError, ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError,
    NotImplementedError, struct.error, OSError,
)  # fmt: skip
DAMAGE = (
    *WRONG, MemoryError, RuntimeError, EOFError, AssertionError, SyntaxError, pickle.UnpicklingError, DamagedError, zipfile.BadZipFile, zipfile.LargeZipFile,
    zlib.error,
)  # fmt: skip
"""Exceptions that a damaged archive or its contents may raise."""


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
    """Raise RuntimeError for a pipe or a device, which may be endless or never yield anything."""
    if isinstance(f, str | os.PathLike) and os.path.exists(f) and not (os.path.isfile(f) or os.path.isdir(f)):
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
    try:
        return _read(file, start, place, names, encoding, path if mmap else None)
    except CallersError as error:
        raise error.args[0] from None
    except LackingError as error:
        raise RuntimeError(
            f"this checkpoint holds {one_line(error)}: tensh computes on the CPU, without quantized numbers"
        ) from None
    except EOFError as error:
        if str(error) == TRUNCATED and not weights_only:
            raise pickle.UnpicklingError(TRUNCATED) from None
        raise EOFError("Ran out of input") from None
    except DamagedError as error:
        raise RuntimeError(f"this checkpoint is damaged: {one_line(error)}") from None
    except pickle.UnpicklingError as error:
        raise pickle.UnpicklingError(_explain_refusal(visible_line(str(error)), weights_only)) from None
    except (zipfile.BadZipFile, zipfile.LargeZipFile) as error:
        is_short = file.seek(0, os.SEEK_END) - here < SHORTEST
        reason = "not a ZIP archive" if is_short else "failed finding central directory"
        reason = one_line(error) if "CRC" in str(error) else reason
        raise RuntimeError(BROKEN.format(f"reading zip archive: {reason}")) from None
    except MemoryError as error:
        raise too_large(error) from None
    except WRONG as error:
        raise pickle.UnpicklingError(f"this checkpoint is damaged: {type(error).__name__}: {one_line(error)}") from None
    except RuntimeError as error:
        if one_line(error) == str(error):
            raise
        raise RuntimeError(one_line(error)) from None


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


def _explain_refusal(message, weights_only):
    """Return the message for a file that has an unknown instruction, or refers to something that is not allowed."""
    if not weights_only and message.startswith(UNKNOWN):
        code = int(message.removeprefix(UNKNOWN))
        shown = chr(code) if 32 <= code < 127 and chr(code) not in "'\\" else f"\\x{code:02x}"
        return f"invalid load key, '{shown}'."
    if not weights_only:
        return (STILL_REFUSED if message.startswith("Unsupported global") else "") + message
    asked = message.removeprefix("Unsupported global: GLOBAL ").partition(" ")[0]
    from tensh.serialization.program_objects import ProgramObjects

    more = ProgramObjects()
    known = message.startswith("Unsupported global") and (more(asked) or more(f"builtins.{asked}"))
    return REFUSED + message + (SAFE_HERE if known else "")


def describe_damage(error):
    """Return the fault of a file in one line: the message of an exception, or its type.

    Raise PyTorch's error if there is no memory for its contents, which is no fault of the file.
    """
    if isinstance(error, MemoryError):
        raise too_large(error) from None
    if type(error) is RuntimeError and LACKING_MEMORY in str(error):  # raised by a reader of a part
        raise error from None
    is_misplaced = isinstance(error, OSError) and error.filename is None  # a record lies beyond what a file can have
    if is_misplaced or isinstance(error, (zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error)):
        return "its archive is damaged, or a part of it is missing"
    return one_line(error) or type(error).__name__


def one_line(error):
    """Return an error's message as one line, with names from the file escaped."""
    return visible_line(str(error))[:LONGEST]
