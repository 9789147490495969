"""The names that a checkpoint refers to, found by reading its pickle without building anything."""

import os
import pickle
import zipfile

from tensh.serialization.allowed import BY_DEFAULT, COST, full_name, list_allowed
from tensh.serialization.archive import LARGEST_PICKLE, Archive
from tensh.serialization.containers import DamagedError
from tensh.serialization.faults import WRONG, one_line
from tensh.serialization.reading import ZIP
from tensh.serialization.unpickling import Unpickler


class Unknown:
    """A stand-in for the object that a name stands for."""


class AskedNames:
    """A stand-in for ``Names`` that records, in order, the names that are not allowed."""

    def __init__(self, allowed):
        self.allowed, self.found = allowed, {}

    def find(self, module, name):
        full = full_name(module, name)[1]
        if full not in self.allowed:
            self.found[full] = None
        return Unknown()

    def call(self, function, arguments):
        return Unknown()

    new = call

    def cost(self, function):
        return COST

    def count_numbers(self, function, arguments):
        return 0

    def build(self, thing, state):
        """Do nothing: there are no states."""

    def finish(self):
        """Do nothing: no object was made."""


class AskingUnpickler(Unpickler):
    """An unpickler that continues past unknown containers."""

    def append(self, items):
        if type(self.stack[-1]) is not Unknown:
            super().append(items)

    def set_items(self, items):
        if type(self.stack[-1]) is not Unknown:
            super().set_items(items)


def get_unsafe_globals_in_checkpoint(f):
    """List the names that a file refers to and ``torch.load`` does not allow, without making any objects.

    Raise RuntimeError or UnpicklingError for a file that is damaged, or contains instructions that ``torch.save`` never
    writes.

    >>> import tensh as torch, io
    >>> file = io.BytesIO()
    >>> torch.save([slice(1), torch.ones(1)], file)
    >>> torch.serialization.get_unsafe_globals_in_checkpoint(file)
    ['builtins.slice']
    """
    if isinstance(f, str | os.PathLike):
        with open(f, "rb") as file:
            return get_unsafe_globals_in_checkpoint(file)
    f.seek(0)
    if f.read(4) != ZIP:
        raise ValueError("Expected input to be a checkpoint returned by torch.save")
    asked = AskedNames({*BY_DEFAULT, *list_allowed()})
    try:
        with zipfile.ZipFile(f) as zipped:
            data = Archive(zipped, None).read("data.pkl", LARGEST_PICKLE)
        AskingUnpickler(data, asked, lambda reference: Unknown()).load()
    except pickle.UnpicklingError as error:
        raise pickle.UnpicklingError(one_line(error)) from None
    except (zipfile.BadZipFile, DamagedError, EOFError, *WRONG) as error:
        raise RuntimeError(f"this checkpoint is damaged: {one_line(error)}") from None
    return list(asked.found)
