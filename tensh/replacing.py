"""Writing a file so that what was there before is lost only when the new contents are complete.

What copies files and names temporary ones takes a tenth of the start of a command, and is imported where it is needed.
"""

import contextlib
import errno
import os
import stat

DESCRIPTORS = "/proc/self/fd"  # where Linux gives open files names
MOST_TRIES = 100  # while others save to the same path
BEGIN = ".tensh-"  # of the names of files that are not finished


@contextlib.contextmanager
def replace_file(path):
    """A file open for writing that takes the place of ``path`` when the block ends, and leaves no trace if it fails.

    The bytes go to a file in the same folder, which is renamed: whoever reads sees the old contents or the new ones.  On
    Linux that file has no name before it is complete, so nothing is left of it if the process is killed; elsewhere it is
    removed when something is next saved in that folder.  A link is followed, and the permissions of a file that was there
    are kept.  A file in a folder where nothing can be made is written over when the new contents are complete and the disk
    has room for them.  What is not an ordinary file (a pipe, a device) is written directly.

    >>> import os, tempfile
    >>> from tensh.replacing import replace_file
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
        raise PermissionError(13, os.strerror(13), path)  # to rename over it would be allowed
    descriptor = open_nameless(folder, path)
    with write_named_file(folder, path) if descriptor is None else nameless_file(descriptor, folder, path) as file:
        yield file


# ── files without a name ─────────────────────────────────────────────────────
def open_nameless(folder, path):
    """The descriptor of a file in a folder that has no name; None where there are no such files."""
    if not (hasattr(os, "O_TMPFILE") and os.path.isdir(DESCRIPTORS)):
        return None
    try:
        return os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o666)
    except FileNotFoundError as error:
        raise type(error)(error.errno, error.strerror, path) from None
    except OSError:  # a file system without them; whatever else is wrong, the other way will say
        return None


@contextlib.contextmanager
def nameless_file(descriptor, folder, path):
    """The open file, which gets the name when the block ends."""
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
    """Let a file without a name take the place of the one at ``path``; False where files cannot be given names.

    Only a name that is free can be given, so there are two steps.  The name between them depends on ``path`` alone: the next
    save takes away what a killed one has left there.  Whoever saves to the same path at the same time does the same with a
    file that is complete, too, and the last one stays.
    """
    between = os.path.join(folder, BEGIN + digest(path))
    place = os.open(folder, os.O_RDONLY)  # with it, `os.link` follows the link that the source is
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
    """A short text for a path, another one for each."""
    from hashlib import blake2b

    return blake2b(os.fsencode(path), digest_size=12).hexdigest()


def remove(path):
    """Remove a file that may be there."""
    with contextlib.suppress(OSError):
        os.unlink(path)


# ── where there is no other file ─────────────────────────────────────────────
@contextlib.contextmanager
def overwritten(path):
    """A file elsewhere, whose contents are written over those of ``path`` when the block ends and there is room for them."""
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
    """Have the disk keep room for so many bytes of a file; OSError, and the file as it was, where it has none."""
    if not size or not hasattr(os, "posix_fallocate"):
        return
    try:
        os.posix_fallocate(descriptor, 0, size)
    except OSError as error:
        os.ftruncate(descriptor, before)
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise


# ── where there are none ─────────────────────────────────────────────────────
@contextlib.contextmanager
def write_named_file(folder, path):
    """An open file beside ``path``, which is renamed when the block ends."""
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
    """A short text for this machine, whose processes can be asked whether they live."""
    import platform

    return digest(platform.node())[:8]


def remove_stale(folder):
    """Remove the files that processes of this machine have begun and not finished before they were killed."""
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            match name.removeprefix(BEGIN).split("-", 2) if name.startswith(BEGIN) else ():
                case [node, process, _] if node == machine() and process.isdecimal() and not lives(int(process)):
                    remove(os.path.join(folder, name))


def lives(process):
    """True if there is a process of this number, or if that cannot be known."""
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
    """Give a file, by its name or its descriptor, the permissions of another."""
    os.chmod(new, stat.S_IMODE(os.stat(old).st_mode))


def take_mode(new, old):
    """Give a new file the permissions of the one that it replaces, or those that files get by themselves."""
    if os.path.exists(old):
        copy_mode(old, new)
        return
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(new, 0o666 & ~mask)
