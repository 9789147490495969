"""Writing a file so that what was there before is lost only when the new contents are complete."""

import contextlib
import os
import stat


@contextlib.contextmanager
def replaced(path):
    """A file open for writing that takes the place of ``path`` when the block ends, and leaves no trace if it fails.

    The bytes go to a file beside it, which is renamed: whoever reads sees the old contents or the new ones.  A link is
    followed, and the permissions of a file that was there are kept.  What is no ordinary file (a pipe, a device), or
    lies in a folder where nothing can be made, is written directly.

    >>> import os, tempfile
    >>> from tensh.utils.replacing import replaced
    >>> path = os.path.join(tempfile.mkdtemp(), "numbers")
    >>> with replaced(path) as file:
    ...     _ = file.write(b"123")
    >>> open(path, "rb").read()
    b'123'
    """
    path = os.path.realpath(os.fspath(path))
    mode = _mode(path)
    if mode is not None and not (stat.S_ISREG(mode) and os.access(os.path.dirname(path), os.W_OK)):
        with open(path, "wb") as file:
            yield file
        return
    if mode is not None and not os.access(path, os.W_OK):
        raise PermissionError(13, os.strerror(13), path)  # to rename over it would be allowed
    beside = f"{path}.{os.getpid()}.part"
    try:
        with open(beside, "wb") as file:
            yield file
        if mode is not None:
            os.chmod(beside, stat.S_IMODE(mode))
        os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.remove(beside)
        raise


def _mode(path):
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None
