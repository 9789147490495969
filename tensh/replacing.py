"""Writing a file so that what was there before is lost only when the new contents are complete."""

import contextlib
import os
import shutil
import tempfile


@contextlib.contextmanager
def replaced(path):
    """A file open for writing that takes the place of ``path`` when the block ends, and leaves no trace if it fails.

    The bytes go to a file beside it, which is renamed: whoever reads sees the old contents or the new ones.  A link is
    followed, and the permissions of a file that was there are kept.  What is no ordinary file (a pipe, a device), or
    lies in a folder where nothing can be made, is written directly.

    >>> import os, tempfile
    >>> from tensh.replacing import replaced
    >>> path = os.path.join(tempfile.mkdtemp(), "numbers")
    >>> with replaced(path) as file:
    ...     _ = file.write(b"123")
    >>> open(path, "rb").read()
    b'123'
    """
    path = os.path.realpath(os.fspath(path))
    folder, there = os.path.dirname(path), os.path.lexists(path)
    if there and not (os.path.isfile(path) and os.access(folder, os.W_OK)):
        with open(path, "wb") as file:
            yield file
        return
    if there and not os.access(path, os.W_OK):
        raise PermissionError(13, os.strerror(13), path)  # to rename over it would be allowed
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".tensh-", delete=False) as file:
        try:
            yield file
            file.close()
            take_mode(file.name, path)
            os.replace(file.name, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(file.name)
            raise


def take_mode(new, old):
    """Give a new file the permissions of the one that it replaces, or those that files get by themselves."""
    if os.path.exists(old):
        shutil.copymode(old, new)
        return
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(new, 0o666 & ~mask)
