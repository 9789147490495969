"""The names that a checkpoint asks for: read its description, and build nothing."""

import os
import pickle
import zipfile

from tensh.serialization.allowed import BY_DEFAULT, COST, full_name, list_allowed
from tensh.serialization.archive import LARGEST_PICKLE, Archive
from tensh.serialization.containers import DamagedError
from tensh.serialization.reading import WRONG, ZIP, one_line
from tensh.serialization.unpickling import Unpickler


class Unknown:
    """A stand-in for the object behind a name of a file, where the names alone are of interest."""


class AskedNames:
    """A stand-in for ``Names`` that lists the names that a file asks for and that are not allowed, in order."""

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
        """Nothing has a state."""

    def finish(self):
        """Nothing was made."""


class AskingUnpickler(Unpickler):
    """An unpickler that goes on past containers that it does not know."""

    def append(self, items):
        if type(self.stack[-1]) is not Unknown:
            super().append(items)

    def set_items(self, items):
        if type(self.stack[-1]) is not Unknown:
            super().set_items(items)


def get_unsafe_globals_in_checkpoint(f):
    """The names that a file asks for and that ``torch.load`` does not allow; no objects are made of its contents.

    Raise RuntimeError or UnpicklingError for a file that is damaged, or has instructions that ``torch.save`` never writes.

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
        AskingUnpickler(data, asked, lambda said: Unknown()).load()
    except pickle.UnpicklingError as error:
        raise pickle.UnpicklingError(one_line(error)) from None
    except (zipfile.BadZipFile, DamagedError, EOFError, *WRONG) as error:
        raise RuntimeError(f"this checkpoint is damaged: {one_line(error)}") from None
    return list(asked.found)
