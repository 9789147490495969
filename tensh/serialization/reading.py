"""torch.load: objects out of a file that PyTorch or tensh wrote, without running anything that is in it."""

import os
import pickle
import struct
import zipfile
import zlib

from tensh.engine.arrays.absent import drop_elements
from tensh.engine.dtypes.device import device
from tensh.engine.errors.warnings import warn
from tensh.engine.operators.shapes.composites.storage import UntypedStorage
from tensh.escaping import visible_line
from tensh.serialization.allowed import Names
from tensh.serialization.archive import BROKEN, Archive
from tensh.serialization.containers import DamagedError, LackingError
from tensh.serialization.legacy import Legacy

NOWHERE = "don't know how to restore data location of torch.storage.UntypedStorage (tagged with {})"
NO_DEVICE = (
    "Attempting to deserialize object on a {0} device but torch.{1}.is_available() is False. If you are running on a CPU-only "
    "machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU."
)
LONGEST = 1000  # characters of what is said of a file
ZIP = b"PK\3\4"  # how an archive begins
REFUSED = "Weights only load failed. WeightsUnpickler error: "
SAFE_HERE = " With weights_only=False tensh makes it without running anything of the file."
STILL_REFUSED = "tensh runs nothing of a file, whatever weights_only is. "
WRONG = (
    OverflowError, ValueError, TypeError, KeyError, IndexError, AttributeError, MemoryError, RecursionError,
    NotImplementedError, struct.error, OSError,
)  # fmt: skip
DAMAGE = (
    *WRONG, RuntimeError, EOFError, AssertionError, SyntaxError, pickle.UnpicklingError, DamagedError, zipfile.BadZipFile, zipfile.LargeZipFile,
    zlib.error,
)  # fmt: skip
"""Exceptions that reading a damaged archive, or its content, may raise."""


def load(f, map_location=None, pickle_module=None, *, weights_only=None, mmap=None, **pickle_load_args):
    """The object in a file that ``torch.save`` wrote, here or in PyTorch, today or before 1.6.

    Args:
        f: a path, or a file open for reading bytes that can be searched; the path of a ``.safetensors`` file, too.
        map_location: where tensors are to be, which is the CPU: "cpu", a device, a dict of places, or a function of a
            storage and its place. A file from another device needs it.
        weights_only: tensors, numbers, strings and plain containers are all that a file can hold, unless it is False: then
            modules of classes that the program has, arrays of NumPy, generators and a few kinds of values come as well.
        mmap: memory is mapped, and read when it is used; for paths.

    Nothing in the file is run, whatever ``weights_only`` is.  ``torch.serialization.add_safe_globals`` lets files ask for
    a class or a function of yours, whose code then runs.  RuntimeError or UnpicklingError for what is damaged, is no such
    file or asks for more; EOFError for an empty file.

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
            return _load(file, place, weights_only, encoding, path if mmap else None, mmap)
    for method in ("seek", "read"):
        if not hasattr(f, method):
            raise AttributeError(
                f"'{type(f).__name__}' object has no attribute '{method}'. You can only torch.load from a file that is seekable. "
                "Please pre-load the data into a buffer like io.BytesIO and try to load from it instead."
            )
    if mmap:
        raise ValueError("f must be a file path in order to use the mmap argument")
    return _load(f, place, weights_only, encoding, None, mmap)


def require_file(f):
    """Raise RuntimeError for the path of a pipe or a device: it may have no end, or nothing may ever come out of it."""
    if isinstance(f, str | os.PathLike) and os.path.exists(f) and not (os.path.isfile(f) or os.path.isdir(f)):
        raise RuntimeError(f"{os.fspath(f)} is a pipe or a device, and no file")


def _safetensors(path, map_location):
    if isinstance(map_location, dict) or callable(map_location):
        form = "dict" if isinstance(map_location, dict) else "callable"
        raise RuntimeError(
            f"Loading safetensors file with {form} map_location is not supported. Use a device string or torch.device instead."
        )
    from tensh.utils.safetensors.torch import load_file

    return load_file(path, "cpu" if map_location is None else str(map_location))


# ── where tensors are to be ──────────────────────────────────────────────────
def choose_place(map_location):
    """The function that gives (a row of elements, where it was) a row of elements here."""
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
            raise CallersError(TypeError(f"map_location gave {type(storage)}, and no UntypedStorage"))
        return storage.bytes().view(row.dtype)

    return lambda row, where: _call_users(ask_place, row, where)


class CallersError(Exception):
    """An exception that is not a fault of the file."""


def _call_users(function, *arguments):
    try:
        return function(*arguments)
    except CallersError:
        raise
    except Exception as error:
        raise CallersError(error) from None


def restore_row(row, where):
    """The row itself, if it belongs on the CPU; on "meta" one without elements."""
    kind = where.partition(":")[0]
    if kind == "cpu":
        return row
    if kind == "meta":
        return drop_elements(row)
    if kind in ("cuda", "xpu", "hpu"):
        raise RuntimeError(NO_DEVICE.format(kind.upper(), kind))
    raise RuntimeError(NOWHERE.format(where))


# ── reading ──────────────────────────────────────────────────────────────────
def _load(file, place, weights_only, encoding, mapped, mmap):
    here = file.tell()
    start = file.read(4)
    if not start:
        raise EOFError("Ran out of input")
    file.seek(here)
    if start != ZIP and start[:1] != pickle.PROTO:
        raise pickle.UnpicklingError("this is no file of torch.save")
    if weights_only:
        names = Names()
    else:
        from tensh.serialization.beyond import Beyond

        names = Names(Beyond())
    try:
        return _read(file, start, place, names, encoding, mapped, mmap)
    except CallersError as error:
        raise error.args[0] from None
    except LackingError as error:
        raise RuntimeError(
            f"this checkpoint holds {one_line(error)}: tensh computes on the CPU, without quantized numbers"
        ) from None
    except EOFError:
        raise EOFError("Ran out of input") from None
    except DamagedError as error:
        raise RuntimeError(f"this checkpoint is damaged: {one_line(error)}") from None
    except pickle.UnpicklingError as error:
        raise pickle.UnpicklingError(_explain_refusal(visible_line(str(error)), weights_only)) from None
    except (zipfile.BadZipFile, zipfile.LargeZipFile) as error:
        reason = one_line(error) if "CRC" in str(error) else "failed finding central directory"
        raise RuntimeError(BROKEN.format(reason)) from None
    except WRONG as error:
        raise pickle.UnpicklingError(f"this checkpoint is damaged: {type(error).__name__}: {one_line(error)}") from None
    except RuntimeError as error:
        if one_line(error) == str(error):
            raise
        raise RuntimeError(one_line(error)) from None


def _read(file, start, place, names, encoding, mapped, mmap):
    if start == ZIP:
        with zipfile.ZipFile(file) as zipped:
            return Archive(zipped, place, mapped).load(names, encoding)
    if mmap:
        raise RuntimeError(
            f"mmap can only be used with files saved with `torch.save({mapped}, _use_new_zipfile_serialization=True), "
            "please torch.save your checkpoint with this option in order to use mmap."
        )
    here = file.tell()
    legacy = Legacy(file, place)
    loaded = legacy.load(names, encoding)
    file.seek(here + legacy.place)  # several may follow one another
    return loaded


def _explain_refusal(message, weights_only):
    """Return the message for a file that asks for more than it may."""
    if not weights_only:
        return (STILL_REFUSED if message.startswith("Unsupported global") else "") + message
    asked = message.removeprefix("Unsupported global: GLOBAL ").partition(" ")[0]
    from tensh.serialization.beyond import Beyond

    more = Beyond()
    known = message.startswith("Unsupported global") and (more(asked) or more(f"builtins.{asked}"))
    return REFUSED + message + (SAFE_HERE if known else "")


def describe_damage(error):
    """Return what is wrong with a file, on one line: the message of an exception, or its type where it has none."""
    return one_line(error) or type(error).__name__


def one_line(error):
    """Return an error's message as one line: the names that it quotes come out of the file."""
    return visible_line(str(error))[:LONGEST]
