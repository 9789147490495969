"""Replacing a file atomically: the old contents are lost only when the new ones are complete.

Modules for copying files and naming temporary ones take a tenth of a command's start, and are imported on demand.
"""

import contextlib
import errno
import os
import stat

DESCRIPTORS = "/proc/self/fd"  # names of open files on Linux
MOST_TRIES = 100  # retries while others save to the same path
BEGIN = ".tensh-"  # suffix of unfinished files


@contextlib.contextmanager
def replace_file(path):
    """A context with a file open for writing that replaces ``path`` at the end, and leaves no trace if it fails.

    The bytes go to a file in the same folder, which is renamed: readers see either the old contents or the new ones. On Linux
    that file has no name before it is complete, so that a killed process leaves nothing behind; elsewhere the leftover is
    removed at the next save in that folder. Links are followed, and the permissions of an existing file are kept. In a folder
    that cannot be written, the existing file is overwritten once the new contents are complete and the disk has room
    for them. Pipes and devices are written directly.

    >>> import os, tempfile
    >>> from tensh.support.replacing import replace_file
    >>> path = os.path.join(tempfile.mkdtemp(), "numbers")
    >>> with replace_file(path) as file:
    ...     _ = file.write(b"123")
    >>> open(path, "rb").read()
    b'123'
    """
    path = os.path.realpath(os.fspath(path))
    folder, there = os.path.dirname(path), os.path.lexists(path)
    if there and not os.path.isfile(path):
        with open(path, "wb") as file:
            yield file
        return
    if there and not os.access(folder, os.W_OK):
        with overwritten(path) as file:
            yield file
        return
    if there and not os.access(path, os.W_OK):
        raise PermissionError(13, os.strerror(13), path)  # renaming over it would be allowed
    descriptor = open_nameless(folder, path)
    with write_named_file(folder, path) if descriptor is None else nameless_file(descriptor, folder, path) as file:
        yield file


# ── files without a name ─────────────────────────────────────────────────────
def open_nameless(folder, path):
    """Return the descriptor of an unnamed file in a folder; None where these do not exist."""
    if not (hasattr(os, "O_TMPFILE") and os.path.isdir(DESCRIPTORS)):
        return None
    try:
        return os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o666)
    except FileNotFoundError as error:
        raise type(error)(error.errno, error.strerror, path) from None
    except OSError:  # a file system without them; the other way will report other faults
        return None


@contextlib.contextmanager
def nameless_file(descriptor, folder, path):
    """A context with an open unnamed file, which is linked to the path at the end."""
    with open(descriptor, "wb") as file:
        yield file
        file.flush()
        if os.path.exists(path):
            copy_mode(path, descriptor)
        if not give_name(descriptor, folder, path):
            import shutil

            with open(f"{DESCRIPTORS}/{descriptor}", "rb") as source, write_named_file(folder, path) as copy:
                shutil.copyfileobj(source, copy)


def give_name(descriptor, folder, path):
    """Replace ``path`` by an unnamed file; return False if unnamed files cannot be linked.

    A link needs an unused name, so there are two steps. The intermediate name depends on ``path`` only: the next save removes
    the leftover of a killed one. Concurrent saves to the same path do the same with complete files, and the last one wins.
    """
    between = os.path.join(folder, BEGIN + digest(path))
    place = os.open(folder, os.O_RDONLY)  # makes `os.link` follow the symbolic link that is its source
    try:
        for _ in range(MOST_TRIES):
            try:
                os.link(f"{DESCRIPTORS}/{descriptor}", between, src_dir_fd=place, follow_symlinks=True)
                os.replace(between, path)
                return True
            except FileExistsError:
                pass
            except OSError as error:
                if not isinstance(error, FileNotFoundError):  # another process has renamed it
                    break
            finally:
                remove(between)
        return False
    finally:
        os.close(place)


def digest(path):
    """Return a short text that identifies a path."""
    from hashlib import blake2b

    return blake2b(os.fsencode(path), digest_size=12).hexdigest()


def remove(path):
    """Remove a file if it exists."""
    with contextlib.suppress(OSError):
        os.unlink(path)


# ── folders that cannot be written ───────────────────────────────────────────
@contextlib.contextmanager
def overwritten(path):
    """A context with a temporary file, whose contents overwrite ``path`` at the end if there is room for them."""
    import shutil
    import tempfile

    with open(path, "r+b") as target, tempfile.TemporaryFile() as file:
        yield file
        size, before = file.seek(0, os.SEEK_END), os.fstat(target.fileno()).st_size
        reserve(target.fileno(), size, before)
        file.seek(0)
        shutil.copyfileobj(file, target)
        target.truncate(size)


def reserve(descriptor, size, before):
    """Reserve disk space for a file; raise OSError, leaving the file as it was, if there is not enough."""
    if not size or not hasattr(os, "posix_fallocate"):
        return
    try:
        os.posix_fallocate(descriptor, 0, size)
    except OSError as error:
        os.ftruncate(descriptor, before)
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise


# ── systems without unnamed files ────────────────────────────────────────────
@contextlib.contextmanager
def write_named_file(folder, path):
    """A context with an open file beside ``path``, renamed to it at the end."""
    import tempfile

    remove_stale(folder)
    try:
        descriptor, name = tempfile.mkstemp(dir=folder, prefix=f"{BEGIN}{machine()}-{os.getpid()}-")
    except OSError as error:
        raise type(error)(error.errno, error.strerror, path) from None
    try:
        with open(descriptor, "wb") as file:
            yield file
        take_mode(name, path)
        os.replace(name, path)
    except BaseException:
        remove(name)
        raise


def machine():
    """Return a short text that identifies this machine, whose processes can be checked."""
    import platform

    return digest(platform.node())[:8]


def remove_stale(folder):
    """Remove unfinished files of killed processes of this machine."""
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            match name.removeprefix(BEGIN).split("-", 2) if name.startswith(BEGIN) else ():
                case [node, process, _] if node == machine() and process.isdecimal() and not lives(int(process)):
                    remove(os.path.join(folder, name))


def lives(process):
    """Return True if a process exists, or if that is unknown."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def copy_mode(old, new):
    """Copy a file's permissions to another, given by name or descriptor."""
    os.chmod(new, stat.S_IMODE(os.stat(old).st_mode))


def take_mode(new, old):
    """Set the permissions of a new file: those of the file it replaces, else the default."""
    if os.path.exists(old):
        copy_mode(old, new)
        return
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(new, 0o666 & ~mask)
