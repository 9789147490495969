"""Faults of files: exceptions of readers as PyTorch's errors, in one line and with names from the file escaped."""

import contextlib
import os
import pickle
import struct
import zipfile
import zlib

from tensh.engine.arrays.memory import NO_MEMORY
from tensh.engine.errors.messages import too_large
from tensh.serialization.archive import BROKEN
from tensh.serialization.containers import CallersError, DamagedError, LackingError
from tensh.serialization.unpickling import TRUNCATED
from tensh.support.escaping import visible_line

LACKING_MEMORY = NO_MEMORY.partition("{}")[0]
LONGEST = 1000  # characters of an error message about a file
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


@contextlib.contextmanager
def translate_faults(file, begin, weights_only):
    """Return a context in which exceptions of the readers of a checkpoint, which begins at ``begin``, become PyTorch's."""
    try:
        yield
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
        raise pickle.UnpicklingError(explain_refusal(visible_line(str(error)), weights_only)) from None
    except (zipfile.BadZipFile, zipfile.LargeZipFile) as error:
        is_short = file.seek(0, os.SEEK_END) - begin < SHORTEST
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


def explain_refusal(message, weights_only):
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

    Raise PyTorch's error if there is no memory for its contents, which is no fault of the file, and the system's if there is
    no such file.
    """
    if isinstance(error, OSError) and error.filename is not None:
        raise error from None
    if isinstance(error, MemoryError):
        raise too_large(error) from None
    if type(error) is RuntimeError and LACKING_MEMORY in str(error):  # raised by a reader of a part
        raise error from None
    if isinstance(
        error, (OSError, zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error)
    ):  # OSError: a record lies beyond what a file can have
        return "its archive is damaged, or a part of it is missing"
    return one_line(error) or type(error).__name__


def one_line(error):
    """Return an error's message as one line, with names from the file escaped."""
    return visible_line(str(error))[:LONGEST]
