"""The format of PyTorch before 1.6: pickles one behind the other, and then the memory of the tensors."""

import io
import pickle
import sys

import numpy as np

from tensh.serialization.archive import dtype_of, storage_facts, text
from tensh.serialization.containers import DamagedError
from tensh.serialization.rebuilding import storage_over
from tensh.serialization.unpickling import Unpickler

MAGIC = 0x1950A86A20F9469CFC6C
VERSION = 1001
SIZES = {"short": 2, "int": 4, "long": 4}


class Legacy:
    """A file of that format, all of it in memory."""

    def __init__(self, data, place):
        self.data, self.place_of = data, place
        self.rows, self.views = {}, {}  # key -> (class, its memory); key of a part -> the part
        self.left = len(data)

    def load(self, names, encoding="utf-8"):
        """The object that the file describes; afterwards ``place`` is where the file ends."""
        place = 0
        for expected, words in (
            (MAGIC, "Invalid magic number; corrupt file?"),
            (VERSION, "Invalid protocol version: {}"),
        ):
            found, place = self.pickled(names, place, encoding)
            if type(found) is not int or found != expected:
                raise RuntimeError(words.format(found if type(found) is int else type(found).__name__))
        facts, place = self.pickled(names, place, encoding)
        swapped = type(facts) is dict and facts.get("little_endian", True) is not (sys.byteorder == "little")
        described = place
        _, place = self.pickled(names, described, encoding, self.mention)  # which storages there are, and how large
        keys, place = self.pickled(names, place, encoding)
        if type(keys) is not list:
            raise DamagedError("it has no list of its storages")
        for key in keys:
            place = self.fill(key, place, swapped)
        self.place = place
        return self.pickled(names, described, encoding, self.mention)[0]  # now that their elements are known

    def pickled(self, names, place, encoding, mention=None):
        """(the object of the pickle at a place, where the next begins)."""
        unpickler = Unpickler(self.data, names, mention or refused, place, encoding)
        return unpickler.load(), unpickler.place

    def mention(self, said):
        """The storage that a pickle mentions, or a class with its source, which is not looked at."""
        if type(said) is tuple and len(said) == 4 and text(said[0]) == "module":
            return said[1]
        kind, key, where, count = storage_facts(said, 6)
        if key not in self.rows:
            dtype = dtype_of(kind)
            self.left -= count * dtype.itemsize
            if self.left < 0:
                raise DamagedError("its storages are larger than the file")
            row = np.zeros(count, dtype)
            self.rows[key] = kind, row, storage_over(self.place_of(row, where))
        known, row, stored = self.rows[key]
        if known != kind:
            raise DamagedError(f"storage {key} is said to be {known} and {kind}")
        return stored if said[5] is None else self.part(row, said[5])

    def part(self, row, said):
        """A part of a storage that was one of its own in versions long gone."""
        if type(said) is not tuple or len(said) != 3 or not all(type(n) is int and n >= 0 for n in said[1:]):
            raise DamagedError("it mentions a part of a storage that is none")
        key, begin, count = said
        if type(key) is not str or begin + count > row.size:
            raise DamagedError("it mentions a part of a storage that is none")
        return self.views.setdefault(key, storage_over(row[begin : begin + count]))

    def fill(self, key, place, swapped):
        """Read the memory of a storage; where the next begins."""
        if type(key) is not str or key not in self.rows:
            raise DamagedError("it lists a storage that no tensor lies in")
        row = self.rows[key][1]
        begin, end = place + 8, place + 8 + row.nbytes
        if int.from_bytes(self.data[place:begin], "little") != row.size:
            raise DamagedError(f"storage {key} has another size than is said of it")
        if end > len(self.data):
            raise RuntimeError(
                f"unexpected EOF, expected {end - len(self.data)} more bytes. The file might be corrupted."
            )
        found = np.frombuffer(self.data, row.dtype, row.size, begin) if row.size else row
        if row.dtype == bool:
            found = found.view(np.uint8) != 0
        row[...] = found.byteswap() if swapped else found
        return end


def refused(said):
    raise DamagedError("it mentions a storage where none can be")


# ── writing ──────────────────────────────────────────────────────────────────
def write(writer, obj, file, protocol):
    """Write an object in that format; ``writer`` makes the pickler."""
    facts = {"protocol_version": VERSION, "little_endian": sys.byteorder == "little", "type_sizes": SIZES}
    for each in (MAGIC, VERSION, facts):
        file.write(pickle.dumps(each, protocol))
    described = io.BytesIO()
    pickler = writer(
        described, protocol, mention=lambda stored: ("storage", stored.kind, stored.key, "cpu", stored.count, None)
    )
    pickler.dump(obj)
    file.write(described.getvalue())
    order = sorted(pickler.counts)
    file.write(pickle.dumps(order, protocol))
    for key in order:
        file.write(pickler.counts[key].to_bytes(8, "little"))
        file.write(pickler.blocks[int(key)].tobytes())
