"""Helpers of PyTorch's files that libraries call: versions, places of storages, temporary folders."""

import contextlib
import shutil
import tempfile

import tensh as torch
from tensh.engine.errors.warnings import warn


class SourceChangeWarning(Warning):
    """A warning that the source of a class has changed since a file was written; tensh reads no source from files.

    >>> import tensh as torch
    >>> issubclass(torch.serialization.SourceChangeWarning, Warning)
    True
    """

    __module__ = "torch.serialization"


@contextlib.contextmanager
def mkdtemp():
    """Make a folder that is removed at the end of the block.

    >>> import tensh as torch
    >>> with torch.serialization.mkdtemp() as path:
    ...     torch.save(1, path + "/one.pt")
    """
    path = tempfile.mkdtemp()
    try:
        yield path
    finally:
        shutil.rmtree(path)


def check_module_version_greater_or_equal(module, req_version_tuple, error_if_malformed=True):
    """Return whether a module has at least a version, given as a tuple.

    Raise RuntimeError for a version that cannot be read; with ``error_if_malformed=False``, warn and return True.

    >>> import tensh as torch, numpy
    >>> torch.serialization.check_module_version_greater_or_equal(numpy, (1, 20))
    True
    """
    try:
        kinds = [type(part) for part in req_version_tuple]
        version = tuple(kind(part) for kind, part in zip(kinds, module.__version__.split("."), strict=False))
    except Exception as error:
        text = f"'{module.__name__}' module version string is malformed '{module.__version__}' and cannot be compared with tuple "
        text += str(req_version_tuple)
        if error_if_malformed:
            raise RuntimeError(text) from error
        warn(text + ", but continuing assuming that requirement is met")
        return True
    return version >= req_version_tuple


def location_tag(storage):
    """Return the name of the device of a storage, as files have it.

    >>> import tensh as torch
    >>> torch.serialization.location_tag(torch.ones(2).untyped_storage())
    'cpu'
    """
    return storage.device.type


def normalize_storage_type(storage_type):
    """Return the class of storages of the CPU that has the name of a class.

    >>> import tensh as torch
    >>> torch.serialization.normalize_storage_type(torch.FloatStorage)
    <class 'torch.FloatStorage'>
    """
    return getattr(torch, storage_type.__name__)
