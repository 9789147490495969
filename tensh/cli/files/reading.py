"""Safe reading of files that a user names: refuse endless and oversized ones, and decode text.

Errors take one line: what was expected, and what was found.
"""

import codecs
import contextlib
import errno
import importlib.util
import io
import os
import stat

from tensh.cli.programs.options import UsageError
from tensh.support.language import _, deferred
from tensh.support.patterns import pattern

LARGEST = 128 * 2**20  # bytes of a file; parsed as JSON it may take twenty times as much memory
MOST_IN_MEMORY = 2 * LARGEST  # bytes of a decoded text, whose characters are all as wide as the widest
MOST_LINES = 2**22  # lines of a text: each becomes an object of a hundred bytes or more
WIDEST, WIDER = pattern(rb"[\xf0-\xff]"), pattern(rb"[\xc4-\xef]")
WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0)  # otherwise opening a pipe blocks until a writer opens it
NO_FILES = {
    stat.S_IFDIR: deferred("a folder"),
    stat.S_IFCHR: deferred("a device"),
    stat.S_IFBLK: deferred("a device"),
    stat.S_IFSOCK: deferred("a socket"),
}
LONGEST_REASON = 200  # characters of Python's error message for a file
NEWLINE = b"\n"
WIDE = {
    getattr(codecs, f"BOM_UTF{bits}_{order}"): f"UTF-{bits}" for bits in (32, 16) for order in ("LE", "BE")
}  # the mark of UTF-32 begins like that of UTF-16


def content(path, most=None):
    """Return the bytes of a file or an open pipe; raise UsageError for anything else."""
    most = LARGEST if most is None else most
    try:
        with open(path, "rb", opener=_open) as file:
            found = os.fstat(file.fileno())
            kind = stat.S_IFMT(found.st_mode)
            if kind in NO_FILES:
                raise UsageError(_("{path}: this is {kind}, not a file").format(path=path, kind=_(NO_FILES[kind])))
            if found.st_size > most:
                raise UsageError(f"{path}: {too_large(found.st_size, most)}")
            read = file.read(most + 1) if kind == stat.S_IFREG else _read_pipe(file, path, most)
    except OSError as error:
        raise UsageError(f"{path}: {_reason(error, path)}") from None
    except ValueError as error:  # a NUL character in the name
        raise UsageError(
            _("{path!r}: this is not a valid file name ({error})").format(path=path, error=error)
        ) from None
    if read is None:  # some system files behave like pipes
        raise UsageError(_("{path}: this file cannot be read").format(path=path))
    if len(read) > most:
        raise UsageError(f"{path}: {too_large(len(read), most)}")
    return read


def whole_name(path):
    """Return the absolute path of a file; raise UsageError if the current folder has been removed."""
    try:
        return os.path.abspath(path)
    except FileNotFoundError:
        raise UsageError(_("{path}: no such file: the current folder has been removed").format(path=path)) from None


def require(path):
    """Raise UsageError unless a path is that of a file."""
    try:
        kind = stat.S_IFMT(os.stat(path).st_mode)
    except OSError as error:
        raise UsageError(f"{path}: {_reason(error, path)}") from None
    if kind != stat.S_IFREG:
        raise UsageError(
            _("{path}: this is {kind}, not a file").format(path=path, kind=_(NO_FILES.get(kind, deferred("a pipe"))))
        )


def _open(path, flags):
    return os.open(path, flags | WITHOUT_WAITING)


def _read_pipe(file, path, most):
    """Read a pipe that is open for writing."""
    begin = b""
    with contextlib.suppress(BlockingIOError):  # there is a writer, which has not written yet
        begin = os.read(file.fileno(), 1)
        if not begin:
            raise UsageError(_("{path}: this is a pipe without a writer, not a file").format(path=path))
    os.set_blocking(file.fileno(), True)
    return begin + file.read(most)


def _reason(error, path):
    """Explain why a file could not be read."""
    if isinstance(error, FileNotFoundError):
        if os.path.islink(path):
            return _("this link leads to {readlink}, which does not exist").format(readlink=os.readlink(path))
        return _("no such file") + similar(path)
    if isinstance(error, IsADirectoryError):
        return _("this is {kind}, not a file").format(kind=_(NO_FILES[stat.S_IFDIR]))
    if error.errno == errno.ELOOP:
        return _("this link leads to itself, not to a file")
    if error.errno == errno.ENXIO:
        return _("this is {kind}, not a file").format(kind=_(NO_FILES[stat.S_IFSOCK]))
    return error.strerror or str(error)


def too_large(size, most):
    """Return the message for a size beyond the limit."""
    unit, name = (2**20, "MiB") if most >= 2**20 else (2**10, "KiB")
    return _("it is larger than the limit of {most:,.0f} {name}").format(most=most / unit, name=name) + (
        f": {size / unit:,.0f} {name}" if size > most + 1 else ""
    )


def require_lines(data, path):
    """Raise UsageError for a text of too many lines."""
    if max(data.count(b"\n"), data.count(b"\r")) > MOST_LINES:
        raise UsageError(_("{path}: it has more lines than the limit of {most:,}").format(path=path, most=MOST_LINES))


def text(path, most=None):
    """Read a file as UTF-8 text."""
    return decode(content(path, most), path)


def read_stream(stream, name):
    """Read all of an open text stream."""
    try:
        read = stream.read(LARGEST + 1)
    except UnicodeDecodeError as error:
        raise UsageError(
            _("{name}: expected text in {encoding} ({reason})").format(
                name=name, encoding=error.encoding, reason=error.reason
            )
        ) from None
    except OSError as error:  # a folder
        raise UsageError(f"{name}: {error.strerror}") from None
    if len(read) > LARGEST:
        raise UsageError(f"{name}: {too_large(len(read), LARGEST)}")
    require_lines(read.encode(errors="replace"), name)
    return read


def code(path):
    """Read a Python file as text, in its declared encoding."""
    data = content(path)
    require_lines(data, path)
    try:
        return importlib.util.decode_source(data)
    except (UnicodeError, SyntaxError, LookupError) as error:
        decode(data, path)  # raises a more precise error
        reason = str(error)  # quotes the file, whose encoding may have a name of any length
        if len(reason) > LONGEST_REASON:
            reason = reason[: LONGEST_REASON - 3] + "..."
        raise UsageError(_("{path}: this is not text ({reason})").format(path=path, reason=reason)) from None


def decode(data, path):
    """Decode UTF-8 text and normalise its line ends."""
    for mark, name in WIDE.items():
        if data.startswith(mark):
            raise UsageError(_("{path}: expected text in UTF-8, but this is {name}").format(path=path, name=name))
    width = 4 if WIDEST.search(data) else 2 if WIDER.search(data) else 1
    if len(data) * width > MOST_IN_MEMORY:
        raise UsageError(
            _("{path}: its characters take {size:,.0f} MiB of memory, more than the limit of {most:,.0f} MiB").format(
                path=path, size=len(data) * width / 2**20, most=MOST_IN_MEMORY / 2**20
            )
        )
    require_lines(data, path)
    try:
        found = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = _("byte 0x{byte:02x} on line {line}").format(
            byte=data[error.start], line=data.count(NEWLINE, 0, error.start) + 1
        )
        raise UsageError(
            _("{path}: expected text in UTF-8, but {place} is invalid").format(path=path, place=place)
        ) from None
    return io.IncrementalNewlineDecoder(None, True).decode(found, final=True)


def similar(path):
    """Suggest a file that may have been meant."""
    from tensh.support.spelling import close

    with contextlib.suppress(OSError):
        meant = close(os.path.basename(path), os.listdir(os.path.dirname(path) or "."))
        if meant:
            return _("; did you mean {name}?").format(name=os.path.join(os.path.dirname(path), meant))
    return ""
