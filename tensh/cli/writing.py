"""Files that are written whole, or stay as they were."""

import contextlib
import os
import shutil
import tempfile


def write(path, data):
    """Write bytes into a file: all of them, or it is as it was, or not there. Raises OSError."""
    target = os.path.realpath(path)  # a link stays a link
    if os.path.lexists(target) and not os.path.isfile(target):  # a folder, which refuses, or a pipe or a device
        with open(target, "wb") as file:
            file.write(data)
        return
    with tempfile.NamedTemporaryFile(dir=os.path.dirname(target), prefix=".tensh-", delete=False) as file:
        try:
            file.write(data)
            file.close()
            take_mode(file.name, target)
            os.replace(file.name, target)
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
